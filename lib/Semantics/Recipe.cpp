#include "Semantics/Recipe.h"
#include "Isa/FormulaNames.h"
#include "Isa/Words.h"
#include "Match/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

namespace ptxray {

using isa::StepOp;

namespace {

class Compiler {
public:
  explicit Compiler(const FormView &view) : view(view), t(isa::tables()) {}
  Recipe compile();

private:
  using Arguments = llvm::ArrayRef<uint16_t>;

  void operand(unsigned index);
  std::optional<ElementType> typeOf(const isa::TypeRef &ref) const;
  void formula(const isa::Formula &formula);
  std::optional<ElementType> target(const isa::Formula &formula, RecipeResult &result);
  uint16_t inlined(isa::Span rows, Arguments parameters);
  uint16_t wordCall(const isa::Step &step, Arguments args);
  StepOp joining(const isa::WordCall &call, isa::WordId word) const;
  uint16_t add(RecipeStep step);
  void typeStep(RecipeStep &step);
  uint16_t converted(uint16_t value, bool isReading, const ElementType &type);
  bool concerns(const isa::Conversion &one, bool isReading, const ElementType &type) const;
  bool converts(bool isReading, const ElementType &type) const;
  uint16_t leaf(const isa::Step &step);
  uint16_t named(const isa::Step &step, Arguments args);
  void product(bool isSparse, bool isScaled, Arguments args);
  void move(Arguments args);
  std::optional<unsigned> constantAt(int operand) const;
  unsigned architecture() const;
  uint16_t raw(uint16_t step) const {
    const auto found = rawOf.find(step);
    return found == rawOf.end() ? step : found->second;
  }
  void keepCopies(RecipeResult &result);
  void refuse(std::string why) {
    if (recipe.refusal.empty())
      recipe.refusal = std::move(why);
  }

  const FormView &view;
  const isa::Tables &t;
  Recipe recipe;
  ElementType stored;                 // type of the current formula's result
  bool isStoring = false;             // the current steps apply to the stored value
  std::map<uint16_t, uint16_t> rawOf; // the unmodified value of a step whose operand is read with modifiers
};

/// Returns whether the opcode or an operand contains `word`.
bool isWritten(const FormView &view, isa::WordId word) {
  for (unsigned slot = 0; slot < view.slots.size(); ++slot)
    if (view.isWritten(slot) && view.word(slot) == word)
      return true;
  return false;
}

} // namespace

std::optional<ElementType> Compiler::typeOf(const isa::TypeRef &ref) const {
  isa::WordId word = 0;
  if (ref.kind == isa::RefKind::Word)
    word = ref.index;
  else if (ref.kind == isa::RefKind::Slot)
    word = view.word(ref.index);
  if (!word)
    return {};
  std::optional<ElementType> type = elementType(word);
  if (type)
    type->bits = type->bits * ref.factor / ref.divisor;
  return type;
}

/// Returns a constant as a register of this type would hold it.
static Bits constantOf(const Shape &shape, int64_t value, const ElementType &type) {
  if (type.kind == ElementType::Kind::Truth)
    return value != 0;
  const unsigned bits = type.bits * type.count;
  if (shape.kind != ShapeKind::Float)
    return lowBits(static_cast<Bits>(static_cast<__int128>(value)), bits);
  if (bits == 64 || (shape.flags & ShapeHexFloat && !(shape.flags & ShapeWideFloat))) // `0f...` and `0d...` are bits
    return static_cast<uint64_t>(value);
  const numbers::Number number = numbers::read(static_cast<uint64_t>(value), numbers::f64);
  return numbers::store(number, type.isFloat() ? *type.format : numbers::f32, {});
}

void Compiler::operand(unsigned index) {
  RecipeOperand &result = recipe.operands.emplace_back();
  const isa::OperandDecl &declared = view.operands[index];
  if (declared.role == isa::OperandRole::Predicate)
    result.type = {ElementType::Kind::Truth, 1, 1, nullptr};
  else if (declared.role == isa::OperandRole::Address)
    result.type = {ElementType::Kind::Unsigned, 64, 1, nullptr};
  else if (const std::optional<ElementType> type = typeOf(declared.type))
    result.type = *type;
  else if (declared.type.kind != isa::RefKind::None)
    result.type.bits = 0; // values of this type are not numbers
  if (declared.rules & isa::Fragment)
    result.type = {ElementType::Kind::Unsigned, view.typeOf(index).bits, 1, nullptr};
  for (const isa::SpaceRef space : isa::run(t.spaceRefs, declared.spaces))
    result.space = space.kind == isa::RefKind::Word ? space.index : view.word(space.index);
  const int node = view.nodeOf[index];
  if (node < 0)
    return;
  const llvm::ArrayRef<Shape> shapes = view.written.shapes;
  const bool isVector = shapes[node].kind == ShapeKind::Vector;
  for (unsigned at = node + isVector; at < unsigned(node) + shapes[node].extent; at += shapes[at].extent) {
    const Shape &shape = shapes[at];
    const bool isConstant = shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float;
    for (unsigned i = 0; i < std::max<unsigned>(shape.vector, 1); ++i)
      result.registers.push_back({static_cast<int16_t>(at), static_cast<uint8_t>(i), isConstant,
                                  (shape.flags & ShapeNot) != 0,
                                  isConstant ? constantOf(shape, shape.value, result.type) : Bits(0)});
  }
}

/// Sets the type of the step's result, and its number of elements.
void Compiler::typeStep(RecipeStep &step) {
  step.target = stored;
  for (const uint16_t arg : step.args)
    if (step.op != StepOp::Named)
      step.elements = std::max(step.elements, recipe.steps[arg].elements);
  if (!step.args.empty()) {
    const unsigned like = step.op == StepOp::Choice || step.op == StepOp::Insert ? 1 : 0;
    step.type = recipe.steps[step.args[like]].type;
  }
  const auto constant = [&](unsigned arg) { return recipe.steps[step.args[arg]].constant; };
  switch (step.op) {
  case StepOp::Bits:
  case StepOp::Sum:
  case StepOp::Element:
  case StepOp::Merged: step.elements = 1; break;
  case StepOp::Pieces:
    if (!constant(1))
      return refuse("pieces of no bits");
    step.elements = static_cast<uint16_t>(step.args.size() > 3 ? constant(3) : step.type.bits / constant(1));
    step.type.bits = static_cast<uint16_t>(constant(1));
    if (step.type.isFloat())
      step.type.kind = ElementType::Kind::Unsigned;
    break;
  case StepOp::Width: step.constant = step.type.bits; break;
  case StepOp::Number: step.constant = isa::word(recipe.steps[step.args[0]].word).number; break;
  case StepOp::Divide: step.constant = constant(1) ? constant(0) / constant(1) : 0; break;
  case StepOp::Joined:
    step.elements = 0;
    for (const uint16_t arg : step.args)
      step.elements += recipe.steps[arg].elements;
    break;
  case StepOp::Powers: step.elements = 2; break;
  case StepOp::Picked:
    step.elements = isa::word(recipe.steps[step.args[2]].word).text()[1] == 'h' ? 2 : 4;
    step.type.bits = 32 / step.elements;
    break;
  case StepOp::Encoded:
  case StepOp::Decoded:
    if (const auto type = elementType(recipe.steps[step.args[1]].word))
      step.type = *type;
    break;
  default: break;
  }
}

uint16_t Compiler::add(RecipeStep step) {
  const bool flushesResult = step.op == StepOp::Flushed && isStoring;
  if (step.op == StepOp::Saturated) {
    step.word = recipe.steps[step.args[1]].word;
    step.part = step.args.size() > 2 ? recipe.steps[step.args[2]].word : isa::WordId(0);
    step.args.truncate(1);
  }
  if (step.op == StepOp::Add) // the product inside a float multiply-add is not rounded
    if (const RecipeStep &left = recipe.steps[step.args[0]]; left.op == StepOp::Multiply && left.type.isFloat())
      step.args = {left.args[0], left.args[1], step.args[1]};
  if (!step.args.empty())
    typeStep(step);
  else
    step.target = stored;
  if (flushesResult)
    step.type = stored;
  if (step.op == StepOp::Bytes) // bytes are copied, not read as numbers
    recipe.steps[step.args[0]].elements = 0;
  recipe.steps.push_back(std::move(step));
  return static_cast<uint16_t>(recipe.steps.size() - 1);
}

// NOLINTBEGIN(misc-no-recursion): the depth is that of the formulas in the tables, whatever the input is.
uint16_t Compiler::leaf(const isa::Step &row) {
  RecipeStep step;
  step.op = row.op;
  if (row.op == StepOp::Operand || row.op == StepOp::Memory) {
    step.operand = row.value;
    const RecipeOperand &operand = recipe.operands[row.value];
    step.type = operand.type;
    step.elements = static_cast<uint16_t>(operand.registers.size() * operand.type.count);
    if (!operand.type.bits)
      refuse("numbers of an unknown type");
  }
  if (row.op == StepOp::Memory) {
    const isa::OperandDecl &declared = view.operands[row.value];
    const std::optional<ElementType> type = typeOf(declared.accessType);
    step.type = type.value_or(stored);
    step.elements = step.type.count;
    if (declared.accessLengths.count)
      step.elements *= view.value(t.terms[declared.accessLengths.first]).value_or(1);
  }
  if (row.op == StepOp::Constant) {
    step.constant = t.stepNumbers[row.value];
    step.type.bits = 64;
  }
  if (row.op == StepOp::Word)
    step.word = row.value >= isa::literalWord ? isa::WordId(row.value - isa::literalWord) : view.word(row.value);
  const ElementType type = step.type;
  const uint16_t as = add(std::move(step));
  if ((row.op != StepOp::Operand && row.op != StepOp::Memory) || !converts(/*isReading=*/true, type))
    return as;
  const uint16_t read = converted(as, /*isReading=*/true, type);
  rawOf[read] = as;
  return read;
}

std::optional<unsigned> Compiler::constantAt(int operand) const {
  const auto &registers = recipe.operands[operand].registers;
  if (registers.size() != 1 || !registers[0].isConstant)
    return {};
  return static_cast<unsigned>(registers[0].constant);
}

/// Returns the number in the name of the target that code is generated for: 90 for `sm_90a`.
unsigned Compiler::architecture() const {
  const ModuleContext &module = view.written.availability.module();
  const uint16_t target = module.arch.value_or(module.target);
  unsigned number = 90;
  if (target != anyTarget) {
    llvm::StringRef name = t.targets[target].name();
    name.consume_front("sm_");
    name.consumeInteger(10, number);
  }
  return number;
}

/// Adds a matrix product. Arguments are a, b and c, then metadata and selector if A is sparse, then the scales, each
/// followed by its byte and thread.
void Compiler::product(bool isSparse, bool isScaled, Arguments args) {
  llvm::SmallVector<int16_t, 12> operands;
  for (const uint16_t arg : args)
    operands.push_back(static_cast<int16_t>(recipe.steps[raw(arg)].operand));
  const unsigned afterMetadata = isSparse ? 5 : 3;
  if (operands.size() != afterMetadata + (isScaled ? 6 : 0))
    return refuse("a product of matrices with other operands");
  RecipeProduct &to = recipe.product;
  to.a = operands[0];
  to.b = operands[1];
  to.c = operands[2];
  MatrixProduct::Request request{view.written.opcode.spelling, architecture(), isSparse};
  std::optional<unsigned> one = 0;
  if (isSparse) {
    to.metadata = operands[3];
    one = constantAt(operands[4]);
    request.selector = one.value_or(0);
  }
  if (isScaled) {
    to.scalesOfA = operands[afterMetadata];
    to.scalesOfB = operands[afterMetadata + 3];
    for (const unsigned which : {0, 1}) {
      const auto byte = constantAt(operands[afterMetadata + 3 * which + 1]);
      const auto thread = constantAt(operands[afterMetadata + 3 * which + 2]);
      one = !byte || !thread ? std::nullopt : one;
      request.bytes[which] = byte.value_or(0);
      request.threads[which] = thread.value_or(0);
    }
  }
  const auto made = MatrixProduct::make(request);
  if (!one || !made)
    return refuse(one ? made.problem() : "a selector that is not a constant");
  to.function = *made;
}

/// Adds a matrix move to or from the memory at an address. The stride, if written, is an argument of its own.
void Compiler::move(Arguments args) {
  const RecipeStep &argument = recipe.steps[raw(args[0])];
  RecipeMove &to = recipe.move;
  to.isStore = argument.op == StepOp::Operand;
  (to.isStore ? to.registers : to.address) = static_cast<int16_t>(argument.operand);
  if (const auto stride = view.findOperand("stride"); stride && view.nodeOf[*stride] >= 0)
    to.stride = static_cast<int16_t>(*stride);
  const auto made = MatrixMove::make(view.written.opcode.spelling);
  if (!made)
    return refuse(made.problem());
  to.function = *made;
}

uint16_t Compiler::named(const isa::Step &row, Arguments args) {
  const llvm::StringRef name = t.namedFunctions[row.value]();
  if (name.ends_with("matrix-product") || name.ends_with("sparse-product"))
    product(name.ends_with("sparse-product"), name.starts_with("scaled"), args);
  else if (name == "matrices" || name == "fragment")
    move(args);
  else
    refuse(name.str());
  RecipeStep step;
  step.op = row.op;
  step.target = stored;
  recipe.steps.push_back(step);
  return static_cast<uint16_t>(recipe.steps.size() - 1);
}

uint16_t Compiler::wordCall(const isa::Step &row, Arguments args) {
  const isa::WordCall &call = t.wordCalls[row.value];
  const isa::WordId word = view.word(call.slot);
  for (const isa::WordDefinition &one : isa::run(t.wordDefinitions, call.definitions))
    if (one.word == word)
      return inlined(one.steps, args);
  return args[0];
}

/// Returns the step by which `word` combines two values.
StepOp Compiler::joining(const isa::WordCall &call, isa::WordId word) const {
  for (const isa::WordDefinition &one : isa::run(t.wordDefinitions, call.definitions))
    if (one.word == word)
      return isa::run(t.steps, one.steps).back().op;
  return StepOp::Add;
}

/// Adds the steps of a formula or of a definition. Returns the last one.
uint16_t Compiler::inlined(isa::Span span, Arguments parameters) {
  llvm::SmallVector<uint16_t, 32> steps;
  for (const isa::Step &row : isa::run(t.steps, span)) {
    llvm::SmallVector<uint16_t, 4> args;
    for (unsigned i = 0; i < row.count; ++i)
      args.push_back(steps[t.stepArgs[row.args + i]]);
    if (row.op == StepOp::IsNegative) // the sign of a NaN counts as well, and flushing may change it
      args[0] = raw(args[0]);
    switch (row.op) {
    case StepOp::Parameter: steps.push_back(parameters[row.value]); break;
    case StepOp::WordCall: steps.push_back(wordCall(row, args)); break;
    case StepOp::Named: steps.push_back(named(row, args)); break;
    case StepOp::Fold: {
      RecipeStep step;
      step.op = row.op;
      step.args = {args[0]};
      step.joins = joining(t.wordCalls[row.value], view.word(t.wordCalls[row.value].slot));
      steps.push_back(add(std::move(step)));
      break;
    }
    case StepOp::Joined:
      if (row.count == 1) {
        steps.push_back(args[0]);
        break;
      }
      [[fallthrough]];
    default:
      if (row.count || isa::isApplied(row.op)) {
        RecipeStep step;
        step.op = row.op;
        step.args = args;
        steps.push_back(add(std::move(step)));
      } else {
        steps.push_back(leaf(row));
      }
    }
  }
  return steps.back();
}

bool Compiler::concerns(const isa::Conversion &one, bool isReading, const ElementType &type) const {
  const bool isOfKind = type.isFloat() ? one.ofFloats : one.ofIntegers;
  if (one.isReading != isReading || !isOfKind || type.kind == ElementType::Kind::Truth)
    return false;
  const llvm::ArrayRef<isa::WordId> types = isa::run(t.wordLists, one.types);
  const auto isListed = [&](const ElementType &other) {
    return llvm::any_of(types, [&](isa::WordId word) {
      const std::optional<ElementType> named = elementType(word);
      return named && named->kind == other.kind && named->bits == other.bits && named->format == other.format;
    });
  };
  return isListed(type) ||
         llvm::none_of(recipe.operands, [&](const RecipeOperand &operand) { return isListed(operand.type); });
}

bool Compiler::converts(bool isReading, const ElementType &type) const {
  return llvm::any_of(isa::run(t.formConversions, view.form().conversions), [&](uint16_t index) {
    const isa::Conversion &one = t.conversions[index];
    return concerns(one, isReading, type) && isWritten(view, one.word);
  });
}

uint16_t Compiler::converted(uint16_t value, bool isReading, const ElementType &type) {
  isStoring = !isReading;
  for (const uint16_t index : isa::run(t.formConversions, view.form().conversions))
    if (const isa::Conversion &one = t.conversions[index]; concerns(one, isReading, type) && isWritten(view, one.word))
      value = inlined(one.steps, {value});
  isStoring = false;
  return value;
}

std::optional<ElementType> Compiler::target(const isa::Formula &formula, RecipeResult &result) {
  result.target = formula.target;
  result.operand = static_cast<uint16_t>(std::max<int>(formula.operand, 0));
  result.elements = 0;
  if (formula.target == isa::FormulaTarget::Carry || formula.target == isa::FormulaTarget::Nothing) {
    for (const RecipeOperand &operand : recipe.operands) // an operand has the width of the numbers that are added
      if (operand.type.kind != ElementType::Kind::Truth)
        return operand.type;
    return ElementType();
  }
  const RecipeOperand &operand = recipe.operands[formula.operand];
  if (formula.target == isa::FormulaTarget::Operand) {
    if (operand.registers.empty())
      return {};
    result.elements = static_cast<uint16_t>(operand.registers.size() * operand.type.count);
    return operand.type.bits ? std::optional(operand.type) : std::nullopt;
  }
  const isa::OperandDecl &declared = view.operands[formula.operand];
  if (view.nodeOf[formula.operand] < 0)
    return {};
  if (const std::optional<ElementType> type = typeOf(declared.accessType))
    return type;
  for (unsigned i = 0; i < recipe.operands.size(); ++i) // an operand has the type that is stored there
    if (view.operands[i].role != isa::OperandRole::Address && !recipe.operands[i].registers.empty())
      return recipe.operands[i].type;
  return ElementType(); // the instruction only changes memory, by a named function
}

/// Removes the conversions of numbers that are only copied to a destination of their own type.
void Compiler::keepCopies(RecipeResult &result) {
  if (recipe.steps[result.step].type.format == result.type.format)
    result.step = raw(result.step);
  std::vector<uint16_t> pending = {result.step};
  while (!pending.empty()) {
    RecipeStep &step = recipe.steps[pending.back()];
    pending.pop_back();
    if (step.op != StepOp::Choice)
      continue;
    for (const unsigned arm : {1, 2}) {
      step.args[arm] = raw(step.args[arm]);
      pending.push_back(step.args[arm]);
    }
  }
}

/// Returns whether the step maps codes to codes, like the GPU's special function unit.
static bool isApproximation(StepOp op) {
  return op == StepOp::Divide || (op >= StepOp::SquareRoot && op <= StepOp::HyperbolicTangent);
}

void Compiler::formula(const isa::Formula &formula) {
  RecipeResult result;
  result.isApproximate = formula.approximate;
  const std::optional<ElementType> type = target(formula, result);
  if (!type)
    return;
  stored = result.type = *type;
  result.first = static_cast<uint16_t>(recipe.steps.size());
  result.step = inlined(formula.steps, {});
  const StepOp root = recipe.steps[result.step].op;
  if (root == StepOp::Undefined && recipe.steps[result.step].args.empty())
    return; // the previous value is sufficient
  result.isWhole = root == StepOp::Bits || root == StepOp::Merged;
  if (root == StepOp::Pieces)
    recipe.steps[result.step].type.kind = ElementType::Kind::Unsigned;
  if ((result.isWhole && result.type.isSigned()) || root == StepOp::Pieces) // wider registers are zero-extended
    result.type = {ElementType::Kind::Unsigned, result.type.bits, result.type.count, nullptr};
  if (root == StepOp::Named) {
    result.isNamed = true;
    if (recipe.move.function)
      (recipe.move.isStore ? recipe.move.address : recipe.move.registers) = static_cast<int16_t>(result.operand);
    else
      recipe.product.d = static_cast<int16_t>(result.operand);
    recipe.results.push_back(result);
    return;
  }
  if (formula.approximate && !isApproximation(root))
    refuse("an approximation that combines others");
  if (formula.approximate)
    for (uint16_t &arg : recipe.steps[result.step].args)
      arg = raw(arg);
  else if (!converts(/*isReading=*/false, stored) && root != StepOp::Encoded)
    keepCopies(result);
  if (!formula.approximate && !result.isWhole && root != StepOp::Encoded)
    result.step = converted(result.step, /*isReading=*/false, *type);
  recipe.results.push_back(result);
}

Recipe Compiler::compile() {
  constexpr size_t usualSteps = 8;
  const isa::Form &form = view.form();
  recipe.operands.reserve(view.operands.size());
  recipe.steps.reserve(usualSteps);
  for (unsigned i = 0; i < view.operands.size(); ++i)
    operand(i);
  for (const isa::Fact &fact : isa::run(t.facts, form.facts))
    if (fact.kind == isa::FactKind::Among && fact.operand >= 0 && view.nodeOf[fact.operand] >= 0)
      recipe.among = fact.operand;
  recipe.flushes = isWritten(view, isa::words::ftz);
  recipe.isFull = isWritten(view, isa::words::full);
  if (!form.outside().empty())
    refuse(std::string(form.outside()));
  std::set<std::pair<isa::FormulaTarget, int>> seen;
  for (const isa::Formula &one : isa::run(t.formulas, form.formulas))
    if (holds(view, one.when) && seen.insert({one.target, one.operand}).second)
      formula(one);
  std::reverse(recipe.results.begin(), recipe.results.end());
  uint16_t written = 0;
  for (RecipeResult &result : recipe.results)
    if (result.target == isa::FormulaTarget::Operand) {
      result.written = written;
      written += recipe.operands[result.operand].registers.size();
    }
  for (const isa::OperandDecl &one : view.operands)
    recipe.isOneByOne |= one.access == isa::Access::Updates;
  return std::move(recipe);
}

Recipe recipeOf(const WrittenInstruction &written, const FormMatch &matched) {
  return Compiler(FormView(written, matched)).compile();
}
// NOLINTEND(misc-no-recursion)

void setConstants(Recipe &recipe, llvm::ArrayRef<Shape> shapes, llvm::ArrayRef<Operand> nodes) {
  for (RecipeOperand &operand : recipe.operands)
    for (RecipeOperand::Register &one : operand.registers)
      if (one.isConstant)
        one.constant = constantOf(shapes[one.node], nodes[one.node].value, operand.type);
}

} // namespace ptxray
