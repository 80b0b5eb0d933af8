#include "Semantics/Evaluate.h"
#include "Semantics/Operators.h"

namespace ptxray {

using isa::StepOp;

namespace {

class Machine {
public:
  Machine(const Recipe &recipe, Lanes &lanes) : recipe(recipe), lanes(lanes) {}
  EvaluationOutcome run();

private:
  Value &at(uint16_t step, unsigned lane, unsigned element) {
    const uint16_t elements = recipe.steps[step].elements;
    return values[first[step] + size_t(lane) * elements + (elements == 1 ? 0 : element)];
  }
  void step(uint16_t number, unsigned lane);
  bool ofLanes(uint16_t number, unsigned lane);
  bool ofElements(uint16_t number, unsigned lane);
  bool ofParts(uint16_t number, unsigned lane);
  void elementwise(uint16_t number, unsigned lane);
  void read(uint16_t number, unsigned lane);
  Bits registerBits(const RecipeOperand &operand, size_t index, unsigned lane) const;
  uint8_t *memory(const RecipeOperand &operand, unsigned lane, size_t bytes, uint64_t offset = 0);
  void load(uint16_t number, unsigned lane);
  void store(const RecipeResult &result, unsigned lane);
  void storeRegisters(const RecipeResult &result, unsigned lane);
  void storeMemory(const RecipeResult &result, unsigned lane);
  void copyBytes(const RecipeResult &result, unsigned lane);
  Bits storedBits(const RecipeResult &result, unsigned lane, unsigned element);
  uint32_t everyone(unsigned lane) const;
  template <class Word> void multiply();
  void load(const RecipeMove &move);
  void store(const RecipeMove &move);
  uint8_t *piece(const RecipeMove &move, const MatrixMove::Piece &piece, unsigned &bit);
  void refuse(const char *why) {
    if (outcome.refusal.empty())
      outcome.refusal = why;
  }

  const Recipe &recipe;
  Lanes &lanes;
  EvaluationOutcome outcome;
  std::vector<Value> values;
  std::vector<size_t> first; // index of the first value of each step
  std::array<bool, lanesOfWarp> carryBefore{};
};

bool isActive(const Lanes &lanes, unsigned lane) { return lanes.active >> lane & 1; }

} // namespace

Bits Machine::registerBits(const RecipeOperand &operand, size_t index, unsigned lane) const {
  const RecipeOperand::Register &one = operand.registers[index];
  Bits bits = one.constant;
  if (!one.isConstant)
    if (const auto found = lanes.nodes.find({one.node, one.part}); found != lanes.nodes.end())
      bits = found->second[lane];
  return one.isNot ? Bits(bits == 0) : bits;
}

void Machine::read(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const RecipeOperand &operand = recipe.operands[step.operand];
  for (unsigned i = 0; i < step.elements; ++i) {
    const Bits bits = registerBits(operand, i / step.type.count, lane);
    at(number, lane, i) = readElement(bits >> step.type.bits * (i % step.type.count), step.type);
  }
}

uint8_t *Machine::memory(const RecipeOperand &operand, unsigned lane, size_t bytes, uint64_t offset) {
  const uint64_t address = static_cast<uint64_t>(registerBits(operand, 0, lane)) + offset;
  for (const MemoryPart &part : lanes.memory)
    if (part.space == operand.space && address >= part.address && address - part.address + bytes <= part.bytes.size())
      return part.bytes.data() + (address - part.address);
  refuse("an address without memory");
  return nullptr;
}

void Machine::load(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const size_t bytes = step.type.bits / 8;
  const uint8_t *from = memory(recipe.operands[step.operand], lane, bytes * step.elements);
  for (unsigned i = 0; from && i < step.elements; ++i) {
    Bits bits = 0;
    for (size_t byte = 0; byte < bytes; ++byte)
      bits |= Bits(from[i * bytes + byte]) << 8 * byte;
    at(number, lane, i) = readElement(bits, step.type);
  }
}

/// Returns the lanes that participate together with this one.
uint32_t Machine::everyone(unsigned lane) const {
  if (recipe.among < 0)
    return lanes.active;
  return static_cast<uint32_t>(registerBits(recipe.operands[recipe.among], 0, lane)) & lanes.active;
}

/// Executes a step that reads other lanes, whose earlier steps are complete. Returns false if the step is of another
/// kind.
bool Machine::ofLanes(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const uint32_t group = everyone(lane);
  const auto set = [&](Bits bits) { at(number, lane, 0) = Value::integer(bits); };
  switch (step.op) {
  case StepOp::Lane: set(lane); return true;
  case StepOp::Active: set(lanes.active); return true;
  case StepOp::Everyone: set(group); return true;
  case StepOp::Leader: set(group ? __builtin_ctz(group) : 0); return true;
  case StepOp::Carry: set(carryBefore[lane]); return true;
  case StepOp::At: {
    const Value &from = at(step.args[1], lane, 0);
    const bool isThere = !from.isNegative && from.magnitude < lanesOfWarp && group >> unsigned(from.magnitude) & 1;
    for (unsigned i = 0; i < step.elements; ++i) {
      at(number, lane, i) = at(step.args[0], isThere ? unsigned(from.magnitude) : lane, i);
      at(number, lane, i).isUndefined |= !isThere;
    }
    return true;
  }
  case StepOp::Lanes:
  case StepOp::Alike: {
    Bits mask = 0;
    for (unsigned other = 0; other < lanesOfWarp; ++other)
      if (group >> other & 1) {
        const Value &theirs = at(step.args[0], other, 0);
        const bool holds = step.op == StepOp::Lanes ? theirs.isTrue() : theirs.bits == at(step.args[0], lane, 0).bits;
        mask |= Bits(holds) << other;
      }
    set(mask);
    return true;
  }
  case StepOp::Fold: {
    bool isFirst = true;
    RecipeStep joining = step;
    joining.op = step.joins;
    for (unsigned other = 0; other < lanesOfWarp; ++other)
      if (group >> other & 1) {
        const Value &theirs = at(step.args[0], other, 0);
        at(number, lane, 0) = isFirst ? theirs : computed(joining, {at(number, lane, 0), theirs});
        isFirst = false;
      }
    return true;
  }
  default: return false;
  }
}

/// Returns a digit of a word such as `.h10` or `.b7654`. Index 0 is the last digit.
static unsigned digitOf(isa::WordId word, unsigned index) {
  const llvm::StringRef text = isa::word(word).text();
  return index + 2 < text.size() ? text[text.size() - 1 - index] - '0' : ~0u;
}
static bool names(isa::WordId word, unsigned part) {
  const llvm::StringRef text = isa::word(word).text();
  return text.drop_front(2).contains(static_cast<char>('0' + part));
}

/// Executes a step that does not work element by element. Returns false if the step is of another kind.
bool Machine::ofElements(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const auto arg = [&](unsigned i, unsigned element) -> Value & { return at(step.args[i], lane, element); };
  const auto bitsOf = [&](unsigned i, unsigned e) {
    return arg(i, e).hasBits ? arg(i, e).bits : arg(i, e).twosComplement();
  };
  switch (step.op) {
  case StepOp::Bits: {
    Bits bits = 0;
    const RecipeStep &source = recipe.steps[step.args[0]];
    for (unsigned i = 0; i < source.elements; ++i)
      bits |= lowBits(bitsOf(0, i), source.type.bits) << source.type.bits * i;
    at(number, lane, 0) = Value::integer(bits);
    return true;
  }
  case StepOp::Pieces: {
    const auto from = step.args.size() > 2 ? static_cast<unsigned>(arg(2, 0).magnitude) : 0;
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = readElement(bitsOf(0, 0) >> step.type.bits * (from + i), step.type);
    return true;
  }
  case StepOp::Joined: {
    unsigned to = 0;
    for (unsigned i = 0; i < step.args.size(); ++i)
      for (unsigned e = 0; e < recipe.steps[step.args[i]].elements; ++e)
        at(number, lane, to++) = arg(i, e);
    return true;
  }
  case StepOp::Element: at(number, lane, 0) = arg(0, static_cast<unsigned>(arg(1, 0).magnitude)); return true;
  case StepOp::Powers:
    for (unsigned i = 0; i < step.elements; ++i) {
      const RecipeStep &source = recipe.steps[step.args[0]];
      at(number, lane, i) = Value::real(numbers::read(
          static_cast<uint64_t>(bitsOf(0, 0) >> (source.type.bits > 8 ? 8 * i : 0) & 255), numbers::ue8m0));
    }
    return true;
  case StepOp::Number:
    at(number, lane, 0) = Value::integer(isa::word(recipe.steps[step.args[0]].word).number);
    return true;
  case StepOp::Decoded:
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = readElement(bitsOf(0, i), step.type);
    return true;
  case StepOp::Encoded: // bits, whatever the destination type
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = readElement(storeElement(arg(0, i), step.type), step.type);
    return true;
  default: return false;
  }
}

void Machine::elementwise(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  llvm::SmallVector<Value, 4> args(step.args.size());
  for (unsigned element = 0; element < step.elements; ++element) {
    bool isUndefined = false;
    for (unsigned i = 0; i < args.size(); ++i) {
      args[i] = at(step.args[i], lane, element);
      isUndefined |= args[i].isUndefined && !(step.op == StepOp::Choice && i != (args[0].isTrue() ? 1u : 2u));
    }
    Value &result = at(number, lane, element) = computed(step, args);
    result.isUndefined |= isUndefined;
  }
}

void Machine::step(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  switch (step.op) {
  case StepOp::Operand: read(number, lane); return;
  case StepOp::Memory:
    if (step.elements)
      load(number, lane);
    return;
  case StepOp::Word: return;
  case StepOp::Constant: {
    const bool isNegative = step.constant < 0;
    at(number, lane, 0) =
        Value::integer(isNegative ? 0 - static_cast<uint64_t>(step.constant) : step.constant, isNegative);
    return;
  }
  case StepOp::Bytes: return; // handled by `copyBytes`
  default: break;
  }
  if (!ofLanes(number, lane) && !ofElements(number, lane) && !ofParts(number, lane))
    elementwise(number, lane);
}

/// Executes a step on the bytes or halves named by the letters and digits of a word. Returns false if the step is of
/// another kind.
bool Machine::ofParts(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const auto arg = [&](unsigned i, unsigned element) -> Value & { return at(step.args[i], lane, element); };
  const auto word = [&](unsigned i) { return recipe.steps[step.args[i]].word; };
  switch (step.op) {
  case StepOp::Sum: {
    RecipeStep adding = step;
    adding.op = StepOp::Add;
    at(number, lane, 0) = arg(0, 0);
    for (unsigned i = 1; i < recipe.steps[step.args[0]].elements; ++i)
      at(number, lane, 0) = computed(adding, {at(number, lane, 0), arg(0, i)});
    return true;
  }
  case StepOp::Masked:
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = names(word(1), i) ? arg(0, i) : Value();
    return true;
  case StepOp::Merged: {
    const unsigned elements = recipe.steps[step.args[0]].elements;
    if (!word(2)) { // unchanged
      at(number, lane, 0) = arg(0, 0);
      return true;
    }
    const unsigned width = isa::word(word(2)).text()[1] == 'h' ? 16 : 8;
    Bits bits = lowBits(arg(1, 0).twosComplement(), 32);
    for (unsigned i = 0; i < 32 / width; ++i)
      if (names(word(2), i)) {
        const Bits mask = lowBits(~Bits(0), width) << width * i;
        bits = (bits & ~mask) | (arg(0, elements == 1 ? 0 : i).twosComplement() << width * i & mask);
      }
    at(number, lane, 0) = Value::integer(bits);
    return true;
  }
  case StepOp::Picked: {
    const std::optional<ElementType> type = elementType(word(3));
    ElementType part = step.type;
    part.kind = type->kind;
    const Bits all = lowBits(arg(1, 0).bits, 32) << 32 | lowBits(arg(0, 0).bits, 32);
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = readElement(all >> part.bits * digitOf(word(2), i), part);
    return true;
  }
  default: return false;
  }
}

Bits Machine::storedBits(const RecipeResult &result, unsigned lane, unsigned element) {
  if (!result.isApproximate) {
    const Value &value = at(result.step, lane, element);
    if (recipe.steps[result.step].op == StepOp::Encoded)
      return value.bits;
    const bool isCopy = value.hasBits && recipe.steps[result.step].type.bits == result.type.bits &&
                        recipe.steps[result.step].type.format == result.type.format;
    return isCopy ? lowBits(value.bits, result.type.bits) : storeElement(value, result.type);
  }
  const RecipeStep &step = recipe.steps[result.step];
  llvm::SmallVector<Bits, 2> codes;
  for (const uint16_t arg : step.args)
    codes.push_back(at(arg, lane, element).bits);
  const std::optional<Bits> bits = approximated(step, codes, recipe.flushes, recipe.isFull);
  if (!bits)
    refuse("an unknown approximation");
  return bits.value_or(0);
}

void Machine::storeRegisters(const RecipeResult &result, unsigned lane) {
  const RecipeOperand &operand = recipe.operands[result.operand];
  const unsigned whole = result.type.bits * result.type.count;
  unsigned element = 0;
  for (size_t i = 0; i < operand.registers.size(); ++i) {
    WrittenRegister &to = outcome.registers[result.written + i];
    if (result.isWhole) {
      to.bits[lane] = lowBits(at(result.step, lane, 0).twosComplement() >> whole * i, whole);
      to.undefinedLanes |= uint32_t(at(result.step, lane, 0).isUndefined) << lane;
      continue;
    }
    Bits bits = 0;
    for (unsigned part = 0; part < result.type.count; ++part, ++element) {
      bits |= storedBits(result, lane, element) << result.type.bits * part;
      to.undefinedLanes |= uint32_t(at(result.step, lane, element).isUndefined) << lane;
    }
    to.bits[lane] = bits;
  }
}

/// Copies the number of bytes that the formula names, and fills up with zeros to a second number.
void Machine::copyBytes(const RecipeResult &result, unsigned lane) {
  const RecipeStep &step = recipe.steps[result.step];
  const auto count = static_cast<size_t>(at(step.args[1], lane, 0).magnitude);
  const size_t all = step.args.size() > 2 ? static_cast<size_t>(at(step.args[2], lane, 0).magnitude) : count;
  uint8_t *const to = memory(recipe.operands[result.operand], lane, all);
  const uint8_t *const from =
      count ? memory(recipe.operands[recipe.steps[step.args[0]].operand], lane, count) : nullptr;
  if (!to || (count && !from) || count > all)
    return refuse("a copy of more bytes than there are");
  std::copy_n(from, count, to);
  std::fill_n(to + count, all - count, uint8_t(0));
}

void Machine::storeMemory(const RecipeResult &result, unsigned lane) {
  if (recipe.steps[result.step].op == StepOp::Bytes)
    return copyBytes(result, lane);
  const unsigned elements = std::max(recipe.steps[result.step].elements, result.type.count);
  const size_t bytes = result.type.bits / 8;
  uint8_t *to = memory(recipe.operands[result.operand], lane, bytes * elements);
  for (unsigned element = 0; to && element < elements; ++element) {
    const Bits bits = storedBits(result, lane, element);
    for (size_t byte = 0; byte < bytes; ++byte)
      to[element * bytes + byte] = static_cast<uint8_t>(bits >> 8 * byte);
  }
}

/// The registers of an operand, as a matrix product reads them.
template <class Word> struct OperandWords {
  std::vector<std::array<Word, lanesOfWarp>> words;
  std::vector<const Word *> pointers;
};

template <class Word> void Machine::multiply() {
  const RecipeProduct &product = recipe.product;
  const auto isSame = [&](const RegisterAt &written, const RecipeOperand::Register &read) {
    const auto first = lanes.names.find(written), second = lanes.names.find({read.node, read.part});
    return first != lanes.names.end() && second != lanes.names.end() && first->second == second->second;
  };
  const auto words = [&]<class Part>(int operand, OperandWords<Part> to) {
    const size_t count = operand < 0 ? 0 : recipe.operands[operand].registers.size();
    to.words.resize(count);
    for (size_t i = 0; i < count; ++i) {
      for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
        to.words[i][lane] = static_cast<Part>(registerBits(recipe.operands[operand], i, lane));
      to.pointers.push_back(to.words[i].data());
    }
    return to;
  };
  const auto a = words(product.a, OperandWords<Word>()), b = words(product.b, OperandWords<Word>());
  auto c = words(product.c, OperandWords<Word>());
  const auto metadata = words(product.metadata, OperandWords<uint32_t>());
  const auto scalesOfA = words(product.scalesOfA, OperandWords<uint32_t>());
  const auto scalesOfB = words(product.scalesOfB, OperandWords<uint32_t>());
  std::vector<std::array<Word, lanesOfWarp>> sums(outcome.registers.size());
  std::vector<Word *> to;
  for (auto &sum : sums)
    to.push_back(sum.data());
  const ProductOperands<Word> operands{a.pointers,        b.pointers,         c.pointers,
                                       metadata.pointers, scalesOfA.pointers, scalesOfB.pointers};
  product.function->multiply(operands, to);
  for (size_t i = 0; product.function->isOneByOne() && i < sums.size(); ++i) {
    bool isReadAgain = false;
    for (size_t j = i + 1; j < c.words.size(); ++j)
      if (isSame(outcome.registers[i].at, recipe.operands[product.c].registers[j])) {
        c.words[j] = sums[i];
        isReadAgain = true;
      }
    const auto before = sums;
    if (isReadAgain)
      product.function->multiply(operands, to);
    std::copy(before.begin(), before.begin() + i + 1, sums.begin());
  }
  for (size_t i = 0; i < sums.size(); ++i)
    std::copy(sums[i].begin(), sums[i].end(), outcome.registers[i].bits.begin());
}

/// Returns the byte in which a piece begins, and sets its first bit there.
uint8_t *Machine::piece(const RecipeMove &move, const MatrixMove::Piece &piece, unsigned &bit) {
  const MatrixMove &function = *move.function;
  uint64_t stride = function.stride;
  if (move.stride >= 0)
    stride = static_cast<uint32_t>(registerBits(recipe.operands[move.stride], 0, piece.addressLane));
  const uint64_t at = piece.inner + piece.outer * stride * function.bitsOfElement;
  bit = at % 8;
  const size_t bytes = (bit + function.bits + 7) / 8;
  return memory(recipe.operands[move.address], piece.addressLane, bytes, at / 8);
}

void Machine::load(const RecipeMove &move) {
  const MatrixMove &function = *move.function;
  for (WrittenRegister &one : outcome.registers)
    one.bits = {};
  for (const MatrixMove::Piece &one : function.pieces) {
    unsigned bit = 0;
    const uint8_t *const from = piece(move, one, bit);
    if (!from)
      return;
    Bits bits = 0;
    for (size_t byte = 0; byte < (bit + function.bits + 7) / 8; ++byte)
      bits |= Bits(from[byte]) << 8 * byte;
    bits = lowBits(bits >> bit, function.bits);
    if (function.isSigned && bits >> (function.bits - 1) & 1)
      bits = lowBits(bits | ~Bits(0) << function.bits, function.bitsOfRegister);
    for (size_t to = one.word; to < outcome.registers.size(); to += function.registers)
      outcome.registers[to].bits[one.lane] |= bits << one.bit;
  }
}

void Machine::store(const RecipeMove &move) {
  const MatrixMove &function = *move.function;
  for (const MatrixMove::Piece &one : function.pieces) {
    unsigned bit = 0;
    uint8_t *const to = piece(move, one, bit);
    if (!to)
      return;
    const Bits bits =
        lowBits(registerBits(recipe.operands[move.registers], one.word, one.lane) >> one.bit, function.bits);
    for (size_t byte = 0; byte < (bit + function.bits + 7) / 8; ++byte) {
      const Bits mask = lowBits(~Bits(0), function.bits) << bit >> 8 * byte & 255;
      to[byte] = static_cast<uint8_t>((to[byte] & ~mask) | (bits << bit >> 8 * byte & mask));
    }
  }
}

void Machine::store(const RecipeResult &result, unsigned lane) {
  switch (result.target) {
  case isa::FormulaTarget::Operand: return storeRegisters(result, lane);
  case isa::FormulaTarget::Memory: return storeMemory(result, lane);
  case isa::FormulaTarget::Carry: lanes.carry[lane] = at(result.step, lane, 0).magnitude & 1; return;
  case isa::FormulaTarget::Nothing: return;
  }
}

EvaluationOutcome Machine::run() {
  size_t size = 0;
  for (const RecipeStep &step : recipe.steps) {
    first.push_back(size);
    size += size_t(step.elements) * lanesOfWarp;
  }
  values.resize(size);
  carryBefore = lanes.carry;
  for (const RecipeResult &result : recipe.results) {
    outcome.writesCarry |= result.target == isa::FormulaTarget::Carry;
    if (result.target == isa::FormulaTarget::Operand)
      for (const RecipeOperand::Register &one : recipe.operands[result.operand].registers)
        outcome.registers.push_back({{one.node, one.part}, result.type, {}, 0, result.isApproximate});
  }
  if (recipe.product.function) {
    recipe.product.function->isOfDoubles() ? multiply<uint64_t>() : multiply<uint32_t>();
    return std::move(outcome);
  }
  if (recipe.move.function) {
    recipe.move.isStore ? store(recipe.move) : load(recipe.move);
    return std::move(outcome);
  }
  const auto compute = [&](unsigned lane) {
    for (uint16_t i = 0; i < recipe.steps.size(); ++i)
      step(i, lane);
  };
  const auto storeAll = [&](unsigned lane) {
    for (const RecipeResult &result : recipe.results)
      store(result, lane);
  };
  if (recipe.isOneByOne) {
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      if (isActive(lanes, lane)) {
        compute(lane);
        storeAll(lane);
      }
    return std::move(outcome);
  }
  for (uint16_t i = 0; i < recipe.steps.size(); ++i)
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      if (isActive(lanes, lane))
        step(i, lane);
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    if (isActive(lanes, lane))
      storeAll(lane);
  return std::move(outcome);
}

EvaluationOutcome evaluate(const Recipe &recipe, Lanes &lanes) {
  if (!recipe.refusal.empty()) {
    EvaluationOutcome outcome;
    outcome.refusal = recipe.refusal;
    return outcome;
  }
  return Machine(recipe, lanes).run();
}

} // namespace ptxray
