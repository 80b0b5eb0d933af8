#include "Prove/Formula.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

using isa::StepOp;

namespace {

/// An unlimited integer, as a term that represents it, or a bit pattern without a known value.
struct Exact {
  Term term = Term::None; // None if it is no known integer
  bool isSigned = false;
  bool isCut = false;     // only its lowest bits are known
  Term bits = Term::None; // the bits that were read
  bool isKnown() const { return term != Term::None; }
};

class Run {
public:
  Run(Terms &terms, const Recipe &recipe, llvm::StringRef opcode, const FormulaInput &input)
      : terms(terms), recipe(recipe), opcode(opcode), input(input) {}
  FormulaOutput run();

private:
  Exact unsignedOf(Term term) { return shrunk({term, false, false, term}); }
  Exact shrunk(Exact value);
  Term widened(const Exact &value, unsigned width) { return terms.extend(value.term, width, value.isSigned); }
  unsigned signedWidth(const Exact &value) { return terms.width(value.term) + !value.isSigned; }
  bool meet(const Exact &a, const Exact &b, unsigned more, Term &left, Term &right, bool &isSigned);
  Exact &at(uint16_t step, unsigned element) { return values[step][values[step].size() == 1 ? 0 : element]; }
  Term registerTerm(const RecipeOperand &operand, size_t index);
  void operand(uint16_t number);
  void memory(uint16_t number);
  bool ofParts(uint16_t number);
  Exact elementwise(const RecipeStep &step, llvm::ArrayRef<Exact> args);
  Exact arithmetic(StepOp op, const Exact &a, const Exact &b);
  Exact product(const Exact &a, const Exact &b);
  Exact division(const Exact &a, const Exact &b, bool isRemainder);
  Exact shifted(bool isLeft, const Exact &a, const Exact &by);
  Exact bitwise(StepOp op, const Exact &a, const Exact &b);
  Exact compared(StepOp op, const Exact &a, const Exact &b);
  Exact chosen(const Exact &condition, const Exact &a, const Exact &b);
  Exact ofBits(const RecipeStep &step, llvm::ArrayRef<Exact> args);
  Exact field(const RecipeStep &step, llvm::ArrayRef<Exact> args);
  Exact insert(const RecipeStep &step, llvm::ArrayRef<Exact> args);
  Exact lookup(llvm::ArrayRef<Exact> args);
  Exact permuted(llvm::ArrayRef<Exact> args);
  Term lowest(const Exact &value, unsigned width);
  Term bitsOf(const Exact &value, unsigned width);
  Term unknown(unsigned width, unsigned which);
  Term stored(const RecipeResult &result, unsigned element, unsigned which);
  void storeRegisters(const RecipeResult &result);
  std::optional<unsigned> constantOf(const Exact &value) const {
    if (!value.isKnown() || !terms.isConstant(value.term) || terms[value.term].number > 1 << 20)
      return {};
    return static_cast<unsigned>(terms[value.term].number);
  }

  Terms &terms;
  const Recipe &recipe;
  llvm::StringRef opcode;
  const FormulaInput &input;
  std::vector<std::vector<Exact>> values;
  size_t loaded = 0;
  FormulaOutput output;
};

} // namespace

/// Returns the number with the minimum width for its bounds.
Exact Run::shrunk(Exact value) {
  if (!value.isKnown() || value.isCut || (value.isSigned && !terms.isNonNegative(value.term)))
    return value;
  unsigned needed = 1;
  while (needed < mostBits && terms.high(value.term) >> needed)
    ++needed;
  value.isSigned = false;
  if (needed < terms.width(value.term))
    value.term = terms.extract(value.term, 0, needed);
  return value;
}

/// Extends two numbers to the same width, plus `more` bits. Returns false if the width exceeds the maximum.
bool Run::meet(const Exact &a, const Exact &b, unsigned more, Term &left, Term &right, bool &isSigned) {
  isSigned = a.isSigned || b.isSigned;
  const unsigned width =
      more + (isSigned ? std::max(signedWidth(a), signedWidth(b)) : std::max(terms.width(a.term), terms.width(b.term)));
  if (width > mostBits)
    return false;
  left = widened(a, width);
  right = widened(b, width);
  return true;
}

Term Run::lowest(const Exact &value, unsigned width) {
  if (value.isCut && terms.width(value.term) < width)
    return Term::None;
  return terms.resized(value.term, width, value.isSigned);
}

Term Run::bitsOf(const Exact &value, unsigned width) {
  if (value.bits != Term::None)
    return terms.resized(value.bits, width, false);
  return value.isKnown() ? lowest(value, width) : Term::None;
}

Term Run::unknown(unsigned width, unsigned which) {
  llvm::hash_code hash = llvm::hash_combine(llvm::hash_value(opcode), which, width);
  llvm::SmallVector<Term, 8> args;
  if (input.isCommon)
    return terms.opaque(width, static_cast<size_t>(hash), input.unknown);
  for (const RecipeOperand &operand : recipe.operands)
    for (const RecipeOperand::Register &one : operand.registers) {
      hash = llvm::hash_combine(hash, one.isConstant, one.isNot, static_cast<uint64_t>(one.constant), one.part);
      const auto found = input.registers.find({one.node, one.part});
      if (!one.isConstant && found != input.registers.end())
        args.push_back(found->second);
    }
  for (const Term term : input.loaded)
    args.push_back(term);
  for (const Term term : {input.carry, input.unknown})
    if (term != Term::None)
      args.push_back(term);
  return terms.opaque(width, static_cast<size_t>(hash), args);
}

Term Run::registerTerm(const RecipeOperand &operand, size_t index) {
  const RecipeOperand::Register &one = operand.registers[index];
  const unsigned width = operand.type.bits * operand.type.count;
  Term term = terms.constant(width, one.constant);
  if (!one.isConstant) {
    const auto found = input.registers.find({one.node, one.part});
    term = found == input.registers.end() ? unknown(width, 1000 + static_cast<unsigned>(index))
                                          : terms.resized(found->second, width, false);
  }
  return one.isNot ? terms.equal(term, terms.constant(width, 0)) : term;
}

void Run::operand(uint16_t number) {
  const RecipeStep &step = recipe.steps[number];
  const RecipeOperand &operand = recipe.operands[step.operand];
  for (unsigned i = 0; i < step.elements; ++i) {
    const Term whole = registerTerm(operand, i / step.type.count);
    const Term bits = terms.extract(whole, step.type.bits * (i % step.type.count), step.type.bits);
    Exact value{bits, step.type.isSigned(), false, bits};
    if (step.type.isFloat())
      value.term = Term::None;
    values[number].push_back(shrunk(value));
  }
}

void Run::memory(uint16_t number) {
  const RecipeStep &step = recipe.steps[number];
  for (unsigned i = 0; i < step.elements; ++i) {
    const Term bits = input.loaded[loaded++];
    Exact value{bits, step.type.isSigned(), false, bits};
    if (step.type.isFloat())
      value.term = Term::None;
    values[number].push_back(value);
  }
}

Exact Run::product(const Exact &a, const Exact &b) {
  const bool isSigned = a.isSigned || b.isSigned;
  unsigned width = isSigned ? signedWidth(a) + signedWidth(b) : terms.width(a.term) + terms.width(b.term);
  const bool isCut = width > mostBits;
  width = std::min(width, mostBits);
  return shrunk({terms.multiply(widened(a, width), widened(b, width)), isSigned, isCut});
}

Exact Run::division(const Exact &a, const Exact &b, bool isRemainder) {
  Term left, right;
  bool isSigned;
  if (!meet(a, b, 1, left, right, isSigned))
    return {};
  return shrunk({terms.divide(left, right, isSigned, isRemainder), isSigned});
}

Exact Run::arithmetic(StepOp op, const Exact &a, const Exact &b) {
  const bool canBeCut = op == StepOp::Add || op == StepOp::Subtract;
  if (canBeCut && (a.isCut || b.isCut || signedWidth(a) >= mostBits || signedWidth(b) >= mostBits)) {
    const Term left = lowest(a, mostBits), right = lowest(b, mostBits);
    if (left == Term::None || right == Term::None)
      return {};
    return {op == StepOp::Add ? terms.add(left, right) : terms.subtract(left, right), true, true};
  }
  if (a.isCut || b.isCut)
    return {};
  if (op == StepOp::Multiply)
    return product(a, b);
  if (op == StepOp::Divide || op == StepOp::Remainder)
    return division(a, b, op == StepOp::Remainder);
  Term left, right;
  bool isSigned;
  if (!meet(a, b, op == StepOp::Subtract ? 2 : 1, left, right, isSigned))
    return {};
  if (op == StepOp::Add)
    return shrunk({terms.add(left, right), isSigned});
  return shrunk({terms.subtract(left, right), true});
}

Exact Run::shifted(bool isLeft, const Exact &a, const Exact &by) {
  if (a.isCut || by.isCut || by.isSigned)
    return {};
  const unsigned have = terms.width(a.term);
  const Number most = terms.high(by.term);
  unsigned width = std::max(have, terms.width(by.term));
  if (isLeft)
    width = static_cast<unsigned>(std::max<Number>(width, most > mostBits ? mostBits : have + most));
  const bool isCut = isLeft && (width > mostBits || most > mostBits - have);
  width = std::min(width, mostBits);
  const Op op = isLeft ? Op::ShiftLeft : a.isSigned ? Op::ShiftRightSigned : Op::ShiftRight;
  const Term result = terms.shift(op, widened(a, width), terms.extend(by.term, width, false));
  return shrunk({result, a.isSigned, isCut});
}

Exact Run::bitwise(StepOp op, const Exact &a, const Exact &b) {
  Term left, right;
  bool isSigned;
  if (a.isCut || b.isCut || !meet(a, b, 0, left, right, isSigned))
    return {};
  const Term term = op == StepOp::And  ? terms.bitAnd(left, right)
                    : op == StepOp::Or ? terms.bitOr(left, right)
                                       : terms.bitXor(left, right);
  return shrunk({term, isSigned});
}

Exact Run::compared(StepOp op, const Exact &a, const Exact &b) {
  Term left, right;
  bool isSigned;
  if (a.isCut || b.isCut || !meet(a, b, 0, left, right, isSigned))
    return {};
  switch (op) {
  case StepOp::Less: return {terms.less(left, right, isSigned)};
  case StepOp::LessEqual: return {terms.lessEqual(left, right, isSigned)};
  case StepOp::Greater: return {terms.less(right, left, isSigned)};
  case StepOp::GreaterEqual: return {terms.lessEqual(right, left, isSigned)};
  case StepOp::Equal: return {terms.equal(left, right)};
  default: return {terms.no(terms.equal(left, right))};
  }
}

Exact Run::chosen(const Exact &condition, const Exact &a, const Exact &b) {
  if (!condition.isKnown())
    return {};
  const Term test = terms.extract(condition.term, 0, 1);
  if (terms.isConstant(test))
    return terms.isConstant(test, 1) ? a : b;
  Exact result;
  if (a.bits != Term::None && b.bits != Term::None && terms.width(a.bits) == terms.width(b.bits))
    result.bits = terms.choice(test, a.bits, b.bits);
  Term left, right;
  bool isSigned;
  if (a.isKnown() && b.isKnown() && !a.isCut && !b.isCut && meet(a, b, 0, left, right, isSigned)) {
    result.term = terms.choice(test, left, right);
    result.isSigned = isSigned;
  }
  return shrunk(result);
}

Exact Run::field(const RecipeStep &step, llvm::ArrayRef<Exact> args) {
  const auto from = constantOf(args[1]), length = constantOf(args[2]);
  if (!from || !length)
    return {};
  if (!*length)
    return {terms.constant(1, 0)};
  const unsigned width = step.type.bits;
  if (*from >= width && !step.type.isSigned())
    return {terms.constant(1, 0)};
  const unsigned begin = std::min(*from, width - 1), end = std::min(*from + *length, width);
  const Term bits = terms.extract(lowest(args[0], width), begin, std::max(end, begin + 1) - begin);
  return shrunk({bits, step.type.isSigned()});
}

Exact Run::insert(const RecipeStep &step, llvm::ArrayRef<Exact> args) {
  const auto from = constantOf(args[2]), length = constantOf(args[3]);
  const unsigned width = step.type.bits;
  if (!from || !length)
    return {};
  const Number mask = *from >= width ? 0 : maskOf(std::min(*length, 127u)) << *from & maskOf(width);
  const Term into = terms.bitAnd(lowest(args[1], width), terms.constant(width, ~mask));
  const Term moved = *from >= width ? terms.constant(width, 0)
                                    : terms.multiply(lowest(args[0], width), terms.constant(width, Number(1) << *from));
  return unsignedOf(terms.bitOr(into, terms.bitAnd(moved, terms.constant(width, mask))));
}

Exact Run::lookup(llvm::ArrayRef<Exact> args) {
  const auto table = constantOf(args[0]);
  if (!table)
    return {};
  const Term a = lowest(args[1], 32), b = lowest(args[2], 32), c = lowest(args[3], 32);
  Term result = terms.constant(32, 0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(*table >> row & 1))
      continue;
    Term all = row & 4 ? a : terms.bitNot(a);
    all = terms.bitAnd(all, row & 2 ? b : terms.bitNot(b));
    result = terms.bitOr(result, terms.bitAnd(all, row & 1 ? c : terms.bitNot(c)));
  }
  return unsignedOf(result);
}

Exact Run::permuted(llvm::ArrayRef<Exact> args) {
  const auto digits = constantOf(args[2]);
  if (!digits)
    return {};
  Term result = terms.constant(32, 0);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned digit = *digits >> 4 * i & 15;
    const Term from = lowest(args[digit & 4 ? 1 : 0], 32);
    Term byte = terms.extract(from, 8 * (digit & 3), 8);
    if (digit & 8)
      byte = terms.extend(terms.extract(byte, 7, 1), 8, true);
    result = terms.add(result, terms.multiply(terms.extend(byte, 32, false), terms.constant(32, Number(1) << 8 * i)));
  }
  return unsignedOf(result);
}

Exact Run::ofBits(const RecipeStep &step, llvm::ArrayRef<Exact> args) {
  switch (step.op) {
  case StepOp::High: return shifted(false, args[0], unsignedOf(terms.constant(8, step.target.bits)));
  case StepOp::Width: return unsignedOf(terms.constant(32, step.type.bits));
  case StepOp::Field: return field(step, args);
  case StepOp::Insert: return insert(step, args);
  case StepOp::Lookup: return lookup(args);
  case StepOp::Permuted: return permuted(args);
  case StepOp::CarryOf: {
    const unsigned width = step.target.bits;
    Term sum = terms.add(terms.extend(lowest(args[0], width), width + 2, false),
                         terms.extend(lowest(args[1], width), width + 2, false));
    if (args.size() > 2)
      sum = terms.add(sum, terms.extend(lowest(args[2], 1), width + 2, false));
    return {terms.extract(sum, width, 1)};
  }
  default: return {};
  }
}

Exact Run::elementwise(const RecipeStep &step, llvm::ArrayRef<Exact> args) {
  const StepOp op = step.op;
  if (op == StepOp::Choice)
    return chosen(args[0], args[1], args[2]);
  if (llvm::any_of(args, [](const Exact &one) { return !one.isKnown(); }))
    return {};
  switch (op) {
  case StepOp::Negate: return arithmetic(StepOp::Subtract, {terms.constant(1, 0)}, args[0]);
  case StepOp::Invert: {
    const Exact opposite = arithmetic(StepOp::Subtract, {terms.constant(1, 0)}, args[0]);
    return opposite.isKnown() ? arithmetic(StepOp::Subtract, opposite, {terms.constant(1, 1)}) : Exact();
  }
  case StepOp::Not: return {terms.equal(args[0].term, terms.constant(terms.width(args[0].term), 0))};
  case StepOp::Multiply:
  case StepOp::Divide:
  case StepOp::Remainder:
  case StepOp::Add:
  case StepOp::Subtract: return args.size() == 3 ? Exact() : arithmetic(op, args[0], args[1]);
  case StepOp::ShiftLeft:
  case StepOp::ShiftRight: return shifted(op == StepOp::ShiftLeft, args[0], args[1]);
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor: return bitwise(op, args[0], args[1]);
  case StepOp::Minimum:
  case StepOp::Maximum: {
    const Exact isLess = compared(StepOp::Less, args[0], args[1]);
    return op == StepOp::Minimum ? chosen(isLess, args[0], args[1]) : chosen(isLess, args[1], args[0]);
  }
  case StepOp::Absolute: {
    const Exact zero{terms.constant(1, 0)};
    return chosen(compared(StepOp::Less, args[0], zero), arithmetic(StepOp::Subtract, zero, args[0]), args[0]);
  }
  case StepOp::Truth: {
    const unsigned width = step.target.bits;
    return step.type.isFloat()
               ? Exact()
               : unsignedOf(terms.choice(terms.extract(args[0].term, 0, 1), terms.constant(width, maskOf(width)),
                                         terms.constant(width, 0)));
  }
  default: break;
  }
  if (op >= StepOp::Less && op <= StepOp::Unequal)
    return compared(op, args[0], args[1]);
  if (op >= StepOp::High && op <= StepOp::NthOne && llvm::none_of(args, [](const Exact &one) { return one.isCut; }))
    return ofBits(step, args);
  return {};
}

/// Computes a step that does not work element by element. Returns whether the step is of this kind.
bool Run::ofParts(uint16_t number) {
  const RecipeStep &step = recipe.steps[number];
  std::vector<Exact> &to = values[number];
  const auto constant = [&](unsigned arg) { return recipe.steps[step.args[arg]].constant; };
  switch (step.op) {
  case StepOp::Carry: to = {{input.carry == Term::None ? Term::None : input.carry}}; return true;
  case StepOp::Bits: {
    const RecipeStep &source = recipe.steps[step.args[0]];
    const unsigned bits = source.type.bits, all = bits * source.elements;
    Term whole = all <= mostBits ? terms.constant(all, 0) : Term::None;
    for (unsigned i = 0; i < source.elements && whole != Term::None; ++i) {
      const Term part = bitsOf(at(step.args[0], i), bits);
      whole = part == Term::None ? part
                                 : terms.bitOr(whole, terms.shift(Op::ShiftLeft, terms.extend(part, all, false),
                                                                  terms.constant(all, bits * i)));
    }
    to = {whole == Term::None ? Exact() : unsignedOf(whole)};
    return true;
  }
  case StepOp::Pieces: {
    const unsigned from = step.args.size() > 2 ? static_cast<unsigned>(constant(2)) : 0, bits = step.type.bits;
    const Exact &source = at(step.args[0], 0);
    const unsigned all = recipe.steps[step.args[0]].type.bits;
    const Term whole = bitsOf(source, std::max<unsigned>(all, bits * (from + step.elements)));
    for (unsigned i = 0; i < step.elements; ++i) {
      const Term part = whole == Term::None ? whole : terms.extract(whole, bits * (from + i), bits);
      to.push_back({step.type.isFloat() ? Term::None : part, step.type.isSigned(), false, part});
    }
    return true;
  }
  case StepOp::Joined:
    for (const uint16_t arg : step.args)
      for (unsigned e = 0; e < recipe.steps[arg].elements; ++e)
        to.push_back(at(arg, e));
    return true;
  case StepOp::Number:
    to = {unsignedOf(terms.constant(64, isa::word(recipe.steps[step.args[0]].word).number))};
    return true;
  default: return false;
  }
}

Term Run::stored(const RecipeResult &result, unsigned element, unsigned which) {
  const unsigned bits = result.type.bits;
  Term term = Term::None;
  if (!result.isApproximate) {
    const Exact &value = at(result.step, element);
    const RecipeStep &step = recipe.steps[result.step];
    if (value.bits != Term::None && terms.width(value.bits) == bits && step.type.bits == bits &&
        step.type.format == result.type.format)
      term = value.bits;
    else if (value.isKnown() && !result.type.isFloat())
      term = lowest(value, bits);
  }
  return term == Term::None ? unknown(bits, which) : term;
}

void Run::storeRegisters(const RecipeResult &result) {
  const RecipeOperand &operand = recipe.operands[result.operand];
  const unsigned whole = result.type.bits * result.type.count;
  unsigned element = 0;
  for (size_t i = 0; i < operand.registers.size(); ++i) {
    const RecipeOperand::Register &to = operand.registers[i];
    const unsigned which = result.operand * 64 + static_cast<unsigned>(i) * 4;
    Term bits;
    if (result.isWhole) {
      const Exact &value = at(result.step, 0);
      const unsigned all = static_cast<unsigned>(whole * operand.registers.size());
      const Term term = value.isKnown() && all <= mostBits ? lowest(value, all) : Term::None;
      bits = term == Term::None ? unknown(whole, which) : terms.extract(term, static_cast<unsigned>(whole * i), whole);
    } else {
      bits = terms.constant(whole, 0);
      for (unsigned part = 0; part < result.type.count; ++part, ++element) {
        const Term one = terms.extend(stored(result, element, which + part), whole, false);
        bits = terms.bitOr(bits, terms.shift(Op::ShiftLeft, one, terms.constant(whole, result.type.bits * part)));
      }
    }
    output.registers.push_back({to.node, to.part, bits, result.type.isSigned()});
  }
}

FormulaOutput Run::run() {
  values.resize(recipe.steps.size());
  const bool isUnknown =
      !recipe.refusal.empty() || recipe.product.function || recipe.move.function || asksLanes(recipe);
  for (uint16_t i = 0; i < recipe.steps.size(); ++i) {
    const RecipeStep &step = recipe.steps[i];
    if (isUnknown) {
      values[i].resize(std::max<unsigned>(step.elements, 1));
    } else if (step.op == StepOp::Operand) {
      operand(i);
    } else if (step.op == StepOp::Memory) {
      memory(i);
    } else if (step.op == StepOp::Constant) {
      const bool isNegative = step.constant < 0;
      values[i] = {shrunk({terms.constant(64, static_cast<Number>(static_cast<__int128>(step.constant))), isNegative})};
    } else if (!ofParts(i)) {
      for (unsigned element = 0; element < std::max<unsigned>(step.elements, 1); ++element) {
        llvm::SmallVector<Exact, 4> args;
        for (const uint16_t arg : step.args)
          args.push_back(values[arg].empty() ? Exact() : at(arg, element));
        values[i].push_back(elementwise(step, args));
      }
    }
    if (values[i].empty())
      values[i].resize(1);
  }
  for (const RecipeResult &result : recipe.results) {
    if (result.target == isa::FormulaTarget::Operand)
      storeRegisters(result);
    if (result.target == isa::FormulaTarget::Carry)
      output.carry = at(result.step, 0).isKnown() ? lowest(at(result.step, 0), 1) : unknown(1, 999);
    if (result.target != isa::FormulaTarget::Memory)
      continue;
    std::vector<Term> elements;
    const unsigned count = std::max<unsigned>(recipe.steps[result.step].elements, result.type.count);
    for (unsigned element = 0; element < count; ++element)
      elements.push_back(stored(result, element, 2000 + element));
    output.stores.emplace_back(result.operand, std::move(elements));
  }
  return std::move(output);
}

std::vector<MemoryRead> memoryReads(const Recipe &recipe) {
  std::vector<MemoryRead> reads;
  for (const RecipeStep &step : recipe.steps)
    if (step.op == StepOp::Memory && step.elements)
      reads.push_back({step.operand, step.elements, step.type.bits});
  return reads;
}

bool asksLanes(const Recipe &recipe) {
  return llvm::any_of(recipe.steps, [](const RecipeStep &step) {
    switch (step.op) {
    case StepOp::At:
    case StepOp::Lanes:
    case StepOp::Alike:
    case StepOp::Fold:
    case StepOp::Lane:
    case StepOp::Active:
    case StepOp::Everyone:
    case StepOp::Leader: return true;
    default: return false;
    }
  });
}

FormulaOutput computed(Terms &terms, const Recipe &recipe, llvm::StringRef opcode, const FormulaInput &input) {
  return Run(terms, recipe, opcode, input).run();
}

} // namespace ptxray::prove
