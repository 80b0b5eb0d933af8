#include "Equal/Symbolic.h"
#include "Machine/InstructionKinds.h"
#include "Semantics/Operators.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using machine::Place;
using machine::warpSize;

// ---- what is known of an instruction

/// Returns the id of the name at a node.
static LocalId localAt(const Body &body, uint32_t instruction, int node) {
  const llvm::ArrayRef<Operand> nodes = body.operands(instruction);
  const llvm::ArrayRef<LocalId> locals = body.namesOf(instruction);
  const auto index = static_cast<size_t>(llvm::count_if(
      nodes.take_front(static_cast<size_t>(node)), [](const Operand &one) { return one.kind == OperandKind::Name; }));
  return index < locals.size() ? locals[index] : LocalId::None;
}

static SiteRegister registerAt(const machine::FunctionCode &code, uint32_t instruction, int node) {
  const Body &body = *code.body;
  const llvm::ArrayRef<Operand> nodes = body.operands(instruction);
  if (node < 0 || size_t(node) >= nodes.size() || nodes[node].kind != OperandKind::Name)
    return {};
  const LocalId local = localAt(body, instruction, node);
  if (local == LocalId::None || !body.isRegister(local))
    return {};
  const auto found = llvm::find_if(code.named, [&](const auto &one) { return one.first == local; });
  return found == code.named.end() ? SiteRegister() : SiteRegister{found->second, code.values.find(found->second.slot)};
}

static bool mixesLanes(const Recipe &recipe) {
  return recipe.product.function || recipe.move.function || llvm::any_of(recipe.steps, [](const RecipeStep &step) {
           return step.op == StepOp::At || step.op == StepOp::Lanes || step.op == StepOp::Fold ||
                  step.op == StepOp::Alike;
         });
}

Site siteOf(const machine::FunctionCode &code, uint32_t instruction, const ReadModule &module) {
  Site site;
  const Body &body = *code.body;
  const Verdict &verdict = *body.verdicts[instruction];
  if (!verdict.match || !verdict.facts->known)
    return site;
  const llvm::ArrayRef<Operand> nodes = body.operands(instruction);
  const llvm::SmallVector<Shape, 16> shapes = machine::shapesOf(verdict, nodes);
  site.recipe = recipeOf({*verdict.opcode, shapes, module.state().availability}, *verdict.match);
  site.isKnown = site.recipe.refusal.empty();
  site.mixesLanes = mixesLanes(site.recipe);
  for (const RecipeOperand &operand : site.recipe.operands) {
    auto &registers = site.operands.emplace_back();
    for (const RecipeOperand::Register &one : operand.registers) {
      registers.push_back(one.isConstant ? SiteRegister() : registerAt(code, instruction, one.node));
      site.isVague |= one.part != 0;
    }
  }
  const auto isDouble = [](const ElementType &type) { return type.format == &numbers::f64; };
  site.keepsNan = llvm::any_of(site.recipe.results, [&](const RecipeResult &one) { return isDouble(one.type); });
  return site;
}

// ---- values

std::optional<Bits> Symbolic::knownBits(const SiteRegister &one, unsigned lane) const {
  const Place place = one.place;
  if (!place.bits)
    return {};
  if (place.bits == 1)
    return Bits(machine::predicateAt(frame.registers, place.slot) >> lane & 1);
  Bits bits = 0;
  std::memcpy(&bits, frame.registers + place.slot + size_t(lane) * (place.bits / 8), place.bits / 8);
  return bits;
}

Term Symbolic::registerTerm(const RecipeOperand &operand, size_t index, unsigned lane) {
  const auto number = static_cast<size_t>(&operand - recipe.operands.data());
  const RecipeOperand::Register &written = operand.registers[index];
  const SiteRegister &one = site.operands[number][index];
  const bool isTruth = operand.type.kind == ElementType::Kind::Truth;
  const unsigned whole = isTruth ? 1 : operand.type.bits * operand.type.count;
  Term term = none;
  if (written.isConstant)
    term = terms.constant(written.constant, whole);
  else if (const Term found = one.place.bits ? termOf(one, lane) : unknown)
    term = found;
  else if (const std::optional<Bits> bits = knownBits(one, lane))
    term = terms.constant(*bits, one.place.bits);
  else
    return unknown;
  if (written.isNot && isTruth)
    return terms.negation(term);
  return written.isNot ? unknown : term;
}

Term Symbolic::numberOf(const Item &item) { return item.isKnown ? terms.number(item.value) : item.number; }

/// Returns an element with these bits.
Symbolic::Item Symbolic::itemOf(Term bits, const ElementType &type) {
  Item item;
  if (bits != unknown && terms.isConstant(bits)) {
    item.isKnown = true;
    item.value = readElement(terms.constantOf(bits), type);
    return item;
  }
  item.number = terms.read(bits, type, site.keepsNan);
  item.bits = bits;
  item.width = type.bits;
  if (const Term number = item.number; number != unknown && terms[number].kind == Node::Kind::Value) {
    item.isKnown = true;
    item.value = terms.valueOf(number);
  }
  return item;
}

Symbolic::Item Symbolic::itemOfNumber(Term number) {
  Item item;
  if (number != unknown && terms[number].kind == Node::Kind::Value) {
    item.isKnown = true;
    item.value = terms.valueOf(number);
  } else if (number != unknown && terms.isConstant(number)) { // a truth
    item.isKnown = true;
    item.value = Value::truth(terms.constantOf(number) != 0);
  }
  item.number = number;
  return item;
}

/// Returns the bits of an element, as `Bits` or `Pieces` take them.
Term Symbolic::bitsOf(const Item &item, unsigned width) {
  if (item.isKnown)
    return terms.constant(item.value.hasBits ? item.value.bits : item.value.twosComplement(), width);
  if (item.bits != none)
    return terms.slice(item.bits, 0, width);
  return terms.store(item.number, {ElementType::Kind::Unsigned, static_cast<uint16_t>(width), 1, nullptr});
}

// ---- steps

bool Symbolic::read(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const RecipeOperand &operand = recipe.operands[step.operand];
  for (unsigned i = 0; i < step.elements; ++i) {
    const Term whole = registerTerm(operand, i / step.type.count, lane);
    if (whole == unknown)
      return false;
    const bool isTruth = step.type.kind == ElementType::Kind::Truth;
    const Term bits = isTruth ? whole : terms.slice(whole, step.type.bits * (i % step.type.count), step.type.bits);
    at(number, lane, i) = itemOf(bits, step.type);
  }
  return true;
}

bool Symbolic::load(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const size_t bytes = step.type.bits / 8;
  if (memory[lane].size() < bytes * step.elements)
    return false;
  for (unsigned i = 0; i < step.elements; ++i)
    at(number, lane, i) = itemOf(terms.join(llvm::ArrayRef(memory[lane]).slice(i * bytes, bytes)), step.type);
  return true;
}

uint32_t Symbolic::everyone(unsigned lane) {
  if (recipe.among < 0)
    return active;
  const Term mask = registerTerm(recipe.operands[recipe.among], 0, lane);
  return mask != unknown && terms.isConstant(mask) ? static_cast<uint32_t>(terms.constantOf(mask)) & active : 0;
}

/// Evaluates a step that reads other lanes.
std::optional<bool> Symbolic::ofLanes(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const auto set = [&](Bits bits) {
    at(number, lane, 0) = Item{.isKnown = true, .value = Value::integer(bits)};
    return true;
  };
  const uint32_t group = everyone(lane);
  switch (step.op) {
  case StepOp::Lane: return set(lane);
  case StepOp::Active: return set(active);
  case StepOp::Everyone: return set(group);
  case StepOp::Leader: return set(group ? __builtin_ctz(group) : 0);
  case StepOp::Carry: return false;
  case StepOp::At: {
    const Item &from = at(step.args[1], lane, 0);
    if (!from.isKnown)
      return false;
    const Value &value = from.value;
    const bool isThere = !value.isNegative && value.magnitude < warpSize && group >> unsigned(value.magnitude) & 1;
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = at(step.args[0], isThere ? unsigned(value.magnitude) : lane, i);
    return true;
  }
  case StepOp::Lanes: {
    Term mask = terms.constant(0, 32);
    for (unsigned other = 0; other < warpSize; ++other)
      if (group >> other & 1) {
        const Item &theirs = at(step.args[0], other, 0);
        const Term truth = theirs.isKnown ? terms.constant(theirs.value.isTrue(), 1) : theirs.number;
        mask = terms.bitwise(StepOp::Or, mask,
                             terms.chosen(truth, terms.constant(Bits(1) << other, 32), terms.constant(0, 32)));
      }
    at(number, lane, 0) = itemOf(mask, {ElementType::Kind::Unsigned, 32, 1, nullptr});
    return mask != unknown;
  }
  case StepOp::Fold: {
    bool isFirst = true;
    RecipeStep joining = step;
    joining.op = step.joins;
    Item result;
    for (unsigned other = 0; other < warpSize; ++other)
      if (group >> other & 1) {
        const Item &theirs = at(step.args[0], other, 0);
        result = isFirst ? theirs : itemOfNumber(terms.apply(joining, {numberOf(result), numberOf(theirs)}));
        isFirst = false;
      }
    at(number, lane, 0) = result;
    return !isFirst;
  }
  case StepOp::Alike: return false;
  default: return {};
  }
}

/// Joins the bits of all elements.
bool Symbolic::joinAll(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const auto arg = [&](unsigned i, unsigned element) -> Item & { return at(step.args[i], lane, element); };
  const RecipeStep &source = recipe.steps[step.args[0]];
  llvm::SmallVector<Ref, 16> bytes;
  if (source.type.bits % 8)
    return false;
  for (unsigned i = 0; i < source.elements; ++i) {
    const Term bits = bitsOf(arg(0, i), source.type.bits);
    for (unsigned byte = 0; byte < source.type.bits / 8u; ++byte)
      bytes.push_back(terms.byteOf(bits, byte));
  }
  const Term whole = terms.join(bytes);
  at(number, lane, 0) =
      itemOf(whole, {ElementType::Kind::Unsigned, static_cast<uint16_t>(8 * bytes.size()), 1, nullptr});
  return whole != unknown;
}

/// Adds all elements.
bool Symbolic::addAll(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const auto arg = [&](unsigned i, unsigned element) -> Item & { return at(step.args[i], lane, element); };
  RecipeStep adding = step;
  adding.op = StepOp::Add;
  Item sum = arg(0, 0);
  for (unsigned i = 1; i < recipe.steps[step.args[0]].elements; ++i) {
    const Item &next = arg(0, i);
    sum = sum.isKnown && next.isKnown ? Item{.isKnown = true, .value = computed(adding, {sum.value, next.value})}
                                      : itemOfNumber(terms.apply(adding, {numberOf(sum), numberOf(next)}));
  }
  at(number, lane, 0) = sum;
  return true;
}

/// Evaluates a step that does not work element by element.
std::optional<bool> Symbolic::ofElements(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  const auto arg = [&](unsigned i, unsigned element) -> Item & { return at(step.args[i], lane, element); };
  switch (step.op) {
  case StepOp::Bits: return joinAll(number, lane);
  case StepOp::Pieces: {
    const auto from = step.args.size() > 2 ? static_cast<unsigned>(arg(2, 0).value.magnitude) : 0;
    const Term whole = bitsOf(arg(0, 0), recipe.steps[step.args[0]].type.bits);
    if (whole == unknown)
      return false;
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = itemOf(terms.slice(whole, step.type.bits * (from + i), step.type.bits), step.type);
    return true;
  }
  case StepOp::Joined: {
    unsigned to = 0;
    for (unsigned i = 0; i < step.args.size(); ++i)
      for (unsigned e = 0; e < recipe.steps[step.args[i]].elements; ++e)
        at(number, lane, to++) = arg(i, e);
    return true;
  }
  case StepOp::Element:
    if (!arg(1, 0).isKnown)
      return false;
    at(number, lane, 0) = arg(0, static_cast<unsigned>(arg(1, 0).value.magnitude));
    return true;
  case StepOp::Number:
    at(number, lane, 0) =
        Item{.isKnown = true, .value = Value::integer(isa::word(recipe.steps[step.args[0]].word).number)};
    return true;
  case StepOp::Decoded:
    for (unsigned i = 0; i < step.elements; ++i)
      at(number, lane, i) = itemOf(bitsOf(arg(0, i), step.type.bits), step.type);
    return true;
  case StepOp::Encoded:
    for (unsigned i = 0; i < step.elements; ++i) {
      const Term bits = arg(0, i).isKnown ? terms.constant(storeElement(arg(0, i).value, step.type), step.type.bits)
                                          : terms.store(arg(0, i).number, step.type);
      at(number, lane, i) = itemOf(bits, step.type);
      if (at(number, lane, i).isKnown)
        at(number, lane, i).value.hasBits = true;
    }
    return true;
  case StepOp::Sum: return addAll(number, lane);
  case StepOp::Powers:
  case StepOp::Masked:
  case StepOp::Merged:
  case StepOp::Picked: return false;
  default: return {};
  }
}

/// Selects one of two numbers, and keeps the bits of the selected one.
bool Symbolic::choose(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  for (unsigned i = 0; i < step.elements; ++i) {
    const Item &condition = at(step.args[0], lane, i), &a = at(step.args[1], lane, i), &b = at(step.args[2], lane, i);
    if (condition.isKnown) {
      at(number, lane, i) = condition.value.isTrue() ? a : b;
      continue;
    }
    Item result = itemOfNumber(terms.apply(step, {numberOf(condition), numberOf(a), numberOf(b)}));
    // An argument keeps its bits if it was only copied; otherwise the bits are computed from its number.
    const auto hasBits = [](const Item &item) { return item.isKnown ? item.value.hasBits : item.bits != none; };
    const bool isSame = step.target.bits == step.type.bits && step.target.format == step.type.format;
    if (isSame && !result.isKnown && terms[result.number].sort == Node::Sort::Float && (hasBits(a) || hasBits(b))) {
      const auto armOf = [&](const Item &arm) {
        return hasBits(arm) ? bitsOf(arm, step.type.bits) : terms.store(numberOf(arm), step.target);
      };
      result.bits = terms.chosen(condition.number, armOf(a), armOf(b));
      result.width = step.type.bits;
    } else if (!result.isKnown && terms[result.number].sort == Node::Sort::Float && (hasBits(a) || hasBits(b))) {
      return false;
    }
    at(number, lane, i) = result;
  }
  return true;
}

bool Symbolic::elementwise(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  for (unsigned element = 0; element < step.elements; ++element) {
    llvm::SmallVector<Value, 4> values;
    bool areKnown = true;
    for (const uint16_t arg : step.args) {
      const Item &item = at(arg, lane, element);
      areKnown &= item.isKnown;
      values.push_back(item.value);
    }
    if (areKnown) {
      at(number, lane, element) = Item{.isKnown = true, .value = computed(step, values)};
      continue;
    }
    llvm::SmallVector<Term, 4> numbers;
    for (const uint16_t arg : step.args)
      numbers.push_back(numberOf(at(arg, lane, element)));
    // The sign of a NaN, and NaNs that mark data, depend on the bits.
    const bool isOfBits =
        step.op == StepOp::IsNegative || step.op == StepOp::WithSign || step.op == StepOp::IsOutOfBounds;
    if (isOfBits && at(step.args[0], lane, element).bits == none && !at(step.args[0], lane, element).isKnown)
      return false;
    at(number, lane, element) =
        isOfBits ? ofSign(step, at(step.args[0], lane, element), numbers) : itemOfNumber(terms.apply(step, numbers));
    if (at(number, lane, element).number == unknown)
      return false;
  }
  return true;
}

/// Evaluates a step that reads or writes the sign bit.
Symbolic::Item Symbolic::ofSign(const RecipeStep &step, const Item &item, llvm::ArrayRef<Term> numbers) {
  const unsigned width = step.type.bits;
  const Term bits = bitsOf(item, width);
  const Bits sign = Bits(1) << (width - 1);
  if (step.op == StepOp::IsNegative)
    return itemOfNumber(terms.slice(bits, width - 1, 1));
  if (step.op == StepOp::IsOutOfBounds)
    return itemOfNumber(unknown);
  const Term positive = terms.bitwise(StepOp::And, bits, terms.constant(~sign, width));
  const Term set = terms.chosen(numbers[1], terms.constant(sign, width), terms.constant(0, width));
  return itemOf(terms.bitwise(StepOp::Or, positive, set), step.type);
}

bool Symbolic::step(uint16_t number, unsigned lane) {
  const RecipeStep &step = recipe.steps[number];
  switch (step.op) {
  case StepOp::Operand: return read(number, lane);
  case StepOp::Memory: return !step.elements || load(number, lane);
  case StepOp::Word: return true;
  case StepOp::Constant: {
    const bool isNegative = step.constant < 0;
    at(number, lane, 0) = {
        .isKnown = true,
        .value = Value::integer(isNegative ? 0 - static_cast<uint64_t>(step.constant) : step.constant, isNegative)};
    return true;
  }
  case StepOp::Bytes: return false;
  case StepOp::Choice: return choose(number, lane);
  default: break;
  }
  if (const std::optional<bool> done = ofLanes(number, lane))
    return *done;
  if (const std::optional<bool> done = ofElements(number, lane))
    return *done;
  return elementwise(number, lane);
}

bool Symbolic::run(uint32_t lanes) {
  active = lanes;
  if (!site.isKnown || site.isVague || recipe.product.function || recipe.move.function)
    return false;
  size_t size = 0;
  first.clear();
  for (const RecipeStep &one : recipe.steps) {
    first.push_back(size);
    size += size_t(one.elements) * warpSize;
  }
  items.assign(size, {});
  for (uint16_t i = 0; i < recipe.steps.size(); ++i)
    for (uint32_t left = lanes; left; left &= left - 1)
      if (!step(i, static_cast<unsigned>(__builtin_ctz(left))))
        return false;
  return true;
}

// ---- results

Term Symbolic::storedBits(const RecipeResult &result, unsigned lane, unsigned element) {
  const RecipeStep &step = recipe.steps[result.step];
  const Item &item = at(result.step, lane, element);
  if (!result.isApproximate) {
    if (step.op == StepOp::Encoded)
      return bitsOf(item, step.type.bits);
    const bool isSame = step.type.bits == result.type.bits && step.type.format == result.type.format;
    if (item.isKnown)
      return terms.constant(item.value.hasBits && isSame ? item.value.bits : storeElement(item.value, result.type),
                            result.type.bits);
    if (item.bits != none && isSame)
      return terms.slice(item.bits, 0, result.type.bits);
    return terms.store(item.number, result.type);
  }
  llvm::SmallVector<Term, 2> codes;
  bool areKnown = true;
  for (const uint16_t arg : step.args) {
    codes.push_back(bitsOf(at(arg, lane, element), recipe.steps[arg].type.bits));
    if (codes.back() == unknown)
      return unknown;
    areKnown &= terms.isConstant(codes.back());
  }
  if (!areKnown)
    return terms.approximation(step, recipe.flushes, recipe.isFull, codes);
  llvm::SmallVector<Bits, 2> known;
  for (const Term one : codes)
    known.push_back(terms.constantOf(one));
  const std::optional<Bits> bits = approximated(step, known, recipe.flushes, recipe.isFull);
  return bits ? terms.constant(*bits, result.type.bits) : unknown;
}

Term Symbolic::resultOf(const RecipeResult &result, size_t index, unsigned lane) {
  const auto operand = result.operand;
  const unsigned width = site.operands[operand][index].place.bits;
  if (!width)
    return none;
  const unsigned whole = result.type.bits * result.type.count;
  if (result.type.kind == ElementType::Kind::Truth) {
    const Item &item = at(result.step, lane, static_cast<unsigned>(index));
    const Term truth = item.isKnown ? terms.constant(item.value.isTrue(), 1) : item.number;
    return truth != unknown && terms[truth].bits == 1 ? truth : unknown;
  }
  const bool isSigned = result.type.isSigned();
  if (result.isWhole) {
    const Item &item = at(result.step, lane, 0);
    const unsigned all = whole * static_cast<unsigned>(site.operands[operand].size());
    return terms.extended(terms.slice(bitsOf(item, all), static_cast<unsigned>(whole * index), whole), width, isSigned);
  }
  if (result.type.count == 1)
    return terms.extended(storedBits(result, lane, static_cast<unsigned>(index)), width, isSigned);
  llvm::SmallVector<Ref, 16> bytes;
  if (result.type.bits % 8)
    return unknown;
  for (unsigned part = 0; part < result.type.count; ++part) {
    const Term bits = storedBits(result, lane, static_cast<unsigned>(index * result.type.count + part));
    for (unsigned byte = 0; byte < result.type.bits / 8u; ++byte)
      bytes.push_back(terms.byteOf(bits, byte));
  }
  return terms.extended(terms.join(bytes), width, isSigned);
}

llvm::SmallVector<Term, 8> Symbolic::storedBy(const RecipeResult &result, unsigned lane) {
  llvm::SmallVector<Term, 8> all;
  const unsigned elements = std::max(recipe.steps[result.step].elements, result.type.count);
  for (unsigned i = 0; i < elements; ++i)
    all.push_back(storedBits(result, lane, i));
  return all;
}

} // namespace ptxray::equal
