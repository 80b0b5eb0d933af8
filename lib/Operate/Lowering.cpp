#include "Operate/Lowering.h"
#include "Semantics/Operators.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::StepOp;

/// More bits than any number has.
static constexpr unsigned everything = 1000;

Term Term::constant(const Value &value) {
  Term term;
  term.isConstant = true;
  term.value = value;
  term.kind = value.isFloat() ? Kind::Float : value.kind == Value::Kind::Truth ? Kind::Truth : Kind::Integer;
  if (term.kind == Kind::Integer) {
    const bool isSmall = value.magnitude < Bits(1) << 126;
    const auto number = static_cast<Exact>(value.magnitude);
    term.range = isSmall ? LaneRange{value.isNegative ? -number : number, value.isNegative ? -number : number}
                         : LaneRange::any();
  }
  return term;
}

/// Returns the constant of a step, if it is one.
std::optional<uint64_t> Lowering::numberOf(uint16_t step) const {
  const RecipeStep &one = recipe.steps[step];
  if (one.op == StepOp::Constant && one.constant >= 0)
    return one.constant;
  if (one.op == StepOp::Operand && one.elements == 1 && !one.type.isFloat()) {
    const RecipeOperand::Register &reg = recipe.operands[one.operand].registers[0];
    if (reg.isConstant && !reg.isNot)
      return static_cast<uint64_t>(lowBits(reg.constant, one.type.bits));
  }
  return {};
}

/// Requests from a step's arguments the number of low bits needed for the low bits of its result.
void Lowering::demandOf(StepOp op, const RecipeStep &step, unsigned bits) {
  const auto first = [&](unsigned of) { demand(step.args[0], of); };
  for (unsigned i = 1; i < step.args.size(); ++i)
    demand(step.args[i], op == StepOp::Add || op == StepOp::Subtract || op == StepOp::Multiply || op == StepOp::And ||
                                 op == StepOp::Or || op == StepOp::Xor || op == StepOp::Choice || op == StepOp::Joined
                             ? bits
                         : (op == StepOp::CarryOf && i == 1) ? step.target.bits
                         : op == StepOp::Insert && i == 1    ? step.type.bits
                         : op == StepOp::Lookup || op == StepOp::Permuted || (op == StepOp::Merged && i == 1)
                             ? 32
                             : everything);
  switch (op) {
  case StepOp::Add:
  case StepOp::Subtract:
  case StepOp::Multiply:
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor:
  case StepOp::Negate:
  case StepOp::Invert:
  case StepOp::ShiftLeft:
  case StepOp::Undefined:
  case StepOp::At:
  case StepOp::Sum:
  case StepOp::Masked:
  case StepOp::Element:
  case StepOp::Joined: return first(bits);
  case StepOp::Fold: return first(step.joins == StepOp::Minimum || step.joins == StepOp::Maximum ? everything : bits);
  case StepOp::ShiftRight: {
    const std::optional<uint64_t> by = numberOf(step.args[1]);
    return first(by && *by < 64 && bits < everything ? bits + unsigned(*by) : everything);
  }
  case StepOp::High: return first(bits < everything ? bits + step.target.bits : everything);
  case StepOp::Bits: return first(recipe.steps[step.args[0]].type.bits);
  case StepOp::Field:
  case StepOp::Insert:
  case StepOp::Ones:
  case StepOp::LeadingZeros:
  case StepOp::Reversed: return first(step.type.bits);
  case StepOp::CarryOf: return first(step.target.bits);
  case StepOp::Lookup:
  case StepOp::Permuted: return first(32);
  default: return first(everything);
  }
}

void Lowering::findDemand() {
  wanted.assign(recipe.steps.size(), 0);
  for (const RecipeResult &result : recipe.results) {
    if (result.target == isa::FormulaTarget::Nothing)
      continue;
    const RecipeOperand &operand = recipe.operands[result.operand];
    const unsigned registers = result.isWhole ? operand.registers.size() * result.type.count : 1;
    const bool isInteger = result.type.kind <= ElementType::Kind::Signed || result.isWhole;
    demand(result.step,
           result.target != isa::FormulaTarget::Carry && isInteger ? result.type.bits * registers : everything);
    if (result.isApproximate)
      for (const uint16_t arg : recipe.steps[result.step].args)
        demand(arg, everything);
  }
  for (size_t i = recipe.steps.size(); i-- > 0;)
    if (wanted[i] && !recipe.steps[i].args.empty())
      demandOf(recipe.steps[i].op, recipe.steps[i], wanted[i]);
}

numbers::Rounding Lowering::roundingOf(uint16_t step) const {
  using enum numbers::Rounding;
  numbers::Rounding found = Nearest;
  for (const RecipeResult &result : recipe.results)
    for (unsigned i = result.first; step >= result.first && step <= result.step && i <= result.step; ++i)
      switch (recipe.steps[i].op) {
      case StepOp::RoundAway: found = NearestAway; break;
      case StepOp::RoundTowardZero: found = Zero; break;
      case StepOp::RoundDown: found = Down; break;
      case StepOp::RoundUp: found = Up; break;
      default: break;
      }
  return found;
}

bool Lowering::run() {
  findDemand();
  terms.resize(recipe.steps.size());
  for (uint16_t i = 0; i < recipe.steps.size() && !hasFailed; ++i)
    if (wanted[i] && recipe.steps[i].op != StepOp::Word) {
      current = i;
      storedFormat = recipe.steps[i].target.format;
      lower(i);
    }
  for (const RecipeResult &result : recipe.results)
    if (!hasFailed)
      store(result);
  return !hasFailed && !graph.hasFailed;
}

Place Lowering::placeOf(const RecipeOperand::Register &reg) const {
  return reg.node >= 0 && size_t(reg.node) < input.byNode.size() ? input.byNode[reg.node] : Place();
}

/// Returns one element of a register, or all of them if they are packed.
Term Lowering::element(Place place, const ElementType &type, unsigned index) {
  if (type.kind == ElementType::Kind::Truth)
    return place.bits == 1 ? Term::truth(graph.leaf(place)) : fail();
  if (!place.bits)
    return Term::constant(readElement(0, type));
  const NodeId leaf = graph.leaf(place);
  const unsigned all = packed.count * type.bits;
  if (packed.count > 1 && place.bits != all)
    return fail();
  if (type.isFloat()) {
    if (type.format->width() != type.bits || type.bits < 16)
      return fail();
    if (all == place.bits)
      return Term::real(leaf, *type.format, true);
    return Term::real(graph.add(Code::Extract, integerLane(type.bits, false), leaf, noNode, noNode,
                                (index * type.bits) | type.bits << 8, integerLane(place.bits, false)),
                      *type.format, true);
  }
  if (all == place.bits)
    return Term::integer(leaf, type.bits, LaneRange::of(type));
  return piece(Term::integer(leaf, place.bits, LaneRange::any()), type, index * type.bits);
}

/// Returns bits of a number as a number of the given type.
Term Lowering::piece(const Term &whole, const ElementType &type, unsigned first) {
  if (whole.isConstant)
    return Term::constant(readElement(whole.value.twosComplement() >> first, type));
  if (type.isFloat() || type.kind == ElementType::Kind::Truth || packed.count > 1 || type.bits > 64)
    return fail();
  if (first >= whole.width)
    return whole.range.isNatural() ? Term::constant(Value()) : fail();
  const unsigned width = type.bits <= 16 ? 16 : type.bits <= 32 ? 32 : 64;
  if (first == 0 && type.bits == whole.width)
    return Term::integer(whole.node, whole.width, LaneRange::of(type));
  return Term::integer(graph.add(Code::Extract, integerLane(width, type.isSigned()), whole.node, noNode, noNode,
                                 first | type.bits << 8, integerLane(whole.width, false)),
                       width, LaneRange::of(type));
}

Lowering::Terms Lowering::operand(const RecipeStep &step) {
  const RecipeOperand &operand = recipe.operands[step.operand];
  Terms result;
  const unsigned each = packed.count > 1 ? 1 : step.type.count;
  result.reserve(operand.registers.size() * each);
  if (packed.count > 1 && step.elements > 1 && (step.type.count != packed.count || step.type.bits != packed.bits))
    return {fail()};
  for (const RecipeOperand::Register &reg : operand.registers)
    for (unsigned i = 0; i < each; ++i) {
      if (reg.isConstant) {
        const Bits bits = reg.isNot ? Bits(reg.constant == 0) : reg.constant;
        const Bits again = lowBits(step.type.bits < 128 ? bits >> step.type.bits : Bits(0), step.type.bits);
        if (packed.count > 1 && step.type.count > 1 && again != lowBits(bits, step.type.bits))
          return {fail()};
        result.push_back(Term::constant(readElement(bits >> step.type.bits * i, step.type)));
        continue;
      }
      Term term = element(placeOf(reg), step.type, i);
      if (reg.isNot)
        term = term.isTruth() ? negated(term) : numberOfTruth(compared(StepOp::Equal, term, Term::constant(Value())));
      result.push_back(term);
    }
  if (packed.count > 1 && step.elements == 1 && !result[0].isConstant)
    return {fail()};
  return result;
}

Lowering::Terms Lowering::memory(const RecipeStep &step) {
  for (const MemoryUse &use : input.reads)
    if (use.operand == step.operand && packed.count == 1) {
      Terms result;
      for (unsigned i = 0; i < step.elements; ++i)
        result.push_back(element(use.elements[i], step.type, 0));
      return result;
    }
  return {fail()};
}

const Term &Lowering::constantArg(const RecipeStep &step, unsigned arg) {
  static const Term zero = Term::constant(Value());
  const Terms &all = terms[step.args[arg]];
  if (all.size() == 1 && all[0].isConstant)
    return all[0];
  hasFailed = true;
  return zero;
}

/// Returns all elements of a step as one number.
Term Lowering::joined(const RecipeStep &source, const Terms &all) {
  if (packed.count > 1)
    return fail();
  const unsigned bits = source.type.bits;
  if (llvm::all_of(all, [](const Term &term) { return term.isConstant; })) {
    Bits value = 0;
    for (size_t i = 0; i < all.size(); ++i)
      value |= (all[i].value.hasBits ? all[i].value.bits : lowBits(all[i].value.twosComplement(), bits)) << bits * i;
    return Term::constant(Value::integer(value));
  }
  const auto natural = [&](const Term &term, unsigned width) {
    if (term.isConstant)
      return graph.constant(width, term.value.hasBits ? term.value.bits : lowBits(term.value.twosComplement(), bits));
    if (term.isFloat() && (!term.isRaw || term.format->width() != bits))
      return fail(noNode);
    const Term whole = Term::integer(term.node, term.isFloat() ? bits : term.width, LaneRange::any());
    ElementType type = source.type;
    type.kind = ElementType::Kind::Unsigned;
    if (bits == 128)
      return whole.node;
    return atWidth(piece(whole, type, 0), width);
  };
  const unsigned total = bits * all.size(), width = total <= 16 ? 16 : total <= 32 ? 32 : total <= 64 ? 64 : 128;
  const LaneRange range = total <= 64 ? LaneRange{0, (Exact(1) << total) - 1} : LaneRange::any();
  if (all.size() == 1)
    return Term::integer(natural(all[0], width), width, range);
  if (all.size() == 2 && bits >= 16)
    return Term::integer(graph.add(Code::Join, integerLane(width, false), natural(all[0], bits), natural(all[1], bits)),
                         width, range);
  NodeId node = natural(all[0], width);
  for (unsigned i = 1; i < all.size(); ++i)
    node = graph.add(
        Code::Or, integerLane(width, false), node,
        graph.add(Code::ShiftLeftBy, integerLane(width, false), natural(all[i], width), noNode, noNode, bits * i));
  return Term::integer(node, width, range);
}

/// Lowers a step that does not work element by element.
std::optional<Lowering::Terms> Lowering::ofElements(const RecipeStep &step) {
  switch (step.op) {
  case StepOp::Operand: return operand(step);
  case StepOp::Memory: return memory(step);
  case StepOp::Constant: {
    const bool isNegative = step.constant < 0;
    return Terms{Term::constant(
        Value::integer(isNegative ? 0 - static_cast<uint64_t>(step.constant) : step.constant, isNegative))};
  }
  case StepOp::Number: return Terms{Term::constant(Value::integer(isa::word(recipe.steps[step.args[0]].word).number))};
  case StepOp::Width: return Terms{Term::constant(Value::integer(step.type.bits))};
  case StepOp::Bits: return Terms{joined(recipe.steps[step.args[0]], terms[step.args[0]])};
  case StepOp::Pieces: {
    const auto from = step.args.size() > 2 ? static_cast<unsigned>(constantArg(step, 2).value.magnitude) : 0;
    const RecipeStep &source = recipe.steps[step.args[0]];
    Term whole = terms[step.args[0]][0];
    if (whole.isFloat() && !whole.isConstant)
      whole = whole.isRaw ? Term::integer(whole.node, source.type.bits, LaneRange::any()) : fail();
    Terms result;
    for (unsigned i = 0; i < step.elements; ++i)
      result.push_back(piece(whole, step.type, step.type.bits * (from + i)));
    return result;
  }
  case StepOp::Decoded: {
    const Term &bits = terms[step.args[0]][0];
    const RecipeStep &source = recipe.steps[step.args[0]];
    if (bits.isFloat() || bits.isTruth())
      return Terms{fail()};
    if (!step.type.isFloat() || bits.isConstant)
      return Terms{piece(bits, step.type, 0)};
    if (source.type.bits != step.type.bits || bits.width != step.type.bits || packed.count > 1)
      return Terms{fail()};
    return Terms{Term::real(bits.node, *step.type.format, true)};
  }
  case StepOp::Joined: {
    Terms result;
    for (const uint16_t arg : step.args)
      result.insert(result.end(), terms[arg].begin(), terms[arg].end());
    return packed.count > 1 ? Terms{fail()} : result;
  }
  case StepOp::Element: {
    const auto index = static_cast<size_t>(constantArg(step, 1).value.magnitude);
    const Terms &all = terms[step.args[0]];
    return Terms{packed.count > 1 || index >= all.size() ? fail() : all[index]};
  }
  case StepOp::Sum: {
    Term sum = terms[step.args[0]][0];
    for (size_t i = 1; i < terms[step.args[0]].size(); ++i)
      sum = ring(StepOp::Add, sum, terms[step.args[0]][i], wanted[current]);
    return Terms{packed.count > 1 ? fail() : sum};
  }
  default: return {};
  }
}

void Lowering::lower(uint16_t number) {
  const RecipeStep &step = recipe.steps[number];
  Terms &results = terms[number];
  for (const RecipeResult &result : recipe.results)
    if (result.isApproximate && result.step == number) {
      results.push_back(Term::constant(Value())); // computed when it is stored
      return;
    }
  if (std::optional<Terms> all = ofElements(step)) {
    results = std::move(*all);
    return;
  }
  if (std::optional<Terms> all = ofWords(step)) {
    results = std::move(*all);
    return;
  }
  if (const std::optional<Term> result = ofLanes(step)) {
    results.push_back(*result);
    return;
  }
  const size_t elements = packed.count > 1 && step.elements > 1 ? step.elements / packed.count : step.elements;
  results.reserve(elements);
  for (size_t i = 0; i < elements && !hasFailed; ++i) {
    llvm::SmallVector<Term, 3> args;
    for (const uint16_t arg : step.args)
      args.push_back(terms[arg].empty() ? Term::constant(Value()) : terms[arg][terms[arg].size() == 1 ? 0 : i]);
    if (llvm::all_of(args, [](const Term &arg) { return arg.isConstant; })) {
      llvm::SmallVector<Value, 4> values;
      for (const Term &arg : args)
        values.push_back(arg.value);
      results.push_back(Term::constant(computed(step, values)));
      continue;
    }
    results.push_back(elementwise(step, args, wanted[number]));
  }
}

Term Lowering::elementwise(const RecipeStep &step, Args args, unsigned bits) {
  if (step.op == StepOp::Choice)
    return choice(step, args, bits);
  if (step.op == StepOp::Undefined)
    return args[0];
  if (step.op == StepOp::Truth)
    return truthValue(step, args[0]);
  if (step.op >= StepOp::Less && step.op <= StepOp::Unequal)
    return compared(step.op, args[0], args[1]);
  if (step.op == StepOp::Not)
    return negated(args[0]);
  if (args[0].isTruth())
    return args.size() == 2 && args[1].isTruth() ? truths(step.op, args[0], args[1]) : fail();
  if (const std::optional<Term> result = floats(step, args))
    return *result;
  return integers(step, args, bits);
}

} // namespace ptxray::machine
