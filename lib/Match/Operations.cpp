#include "Match/Operations.h"
#include "Match/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray {

using isa::Operation;
using isa::StepOp;

namespace {

/// A step of a formula in which words are replaced by their definitions.
struct Node {
  StepOp op;
  uint16_t value;
  llvm::SmallVector<uint16_t, 4> args;
};

/// The steps of a formula, in which words are replaced by their definitions.
class Steps {
public:
  explicit Steps(const FormView &view) : view(view), t(isa::tables()) {}
  uint16_t add(isa::Span span, llvm::ArrayRef<uint16_t> parameters);
  std::optional<Operation> operation(uint16_t root) const;

private:
  uint16_t word(const isa::Step &step, llvm::ArrayRef<uint16_t> args);
  std::optional<Operation> ofIntegers(const Node &root) const;
  std::optional<Operation> ofNumbers(const Node &root) const;
  std::optional<Operation> ofAnything(const Node &root) const;
  std::optional<Operation> copied(const Node &root) const;
  bool isOperand(uint16_t node) const { return nodes[node].op == StepOp::Operand; }
  /// Returns whether the node is an operand, or a part of its bits.
  bool isSource(uint16_t node) const {
    const Node &one = nodes[node];
    return isOperand(node) ||
           (one.op == StepOp::And && isOperand(one.args[0]) && nodes[one.args[1]].op == StepOp::Constant);
  }
  bool areSources(llvm::ArrayRef<uint16_t> args) const {
    return llvm::all_of(args, [&](uint16_t arg) { return isSource(arg); });
  }

  const FormView &view;
  const isa::Tables &t;
  llvm::SmallVector<Node, 16> nodes;
};

bool isComparison(isa::WordId word) {
  static const uint8_t comparisons = isa::wordKind("comparison");
  return word && isa::word(word).kind == comparisons;
}

/// Returns whether an operand is a float, or a vector of floats.
bool hasFloats(const FormView &view) {
  for (const isa::OperandDecl &operand : view.operands) {
    const isa::WordId type =
        operand.type.kind == isa::RefKind::Slot ? view.word(operand.type.index) : isa::WordId(operand.type.index);
    const isa::Word &word = isa::word(operand.type.kind == isa::RefKind::None ? isa::WordId(0) : type);
    const bool isPacked = word.typeKind == isa::TypeKind::Packed;
    if (word.typeKind == isa::TypeKind::Float || (isPacked && word.text()[1] != 'u' && word.text()[1] != 's'))
      return true;
  }
  return false;
}

} // namespace

// NOLINTBEGIN(misc-no-recursion): as deep as the formulas of the tables nest, whatever the input is.
uint16_t Steps::word(const isa::Step &step, llvm::ArrayRef<uint16_t> args) {
  const isa::WordCall &call = t.wordCalls[step.value];
  const isa::WordId word = view.word(call.slot);
  if (args.size() == 2 && isComparison(word)) { // `.lo` also has other meanings
    nodes.push_back({StepOp::Equal, word, {args.begin(), args.end()}});
    return static_cast<uint16_t>(nodes.size() - 1);
  }
  for (const isa::WordDefinition &one : isa::run(t.wordDefinitions, call.definitions))
    if (one.word == word)
      return add(one.steps, args);
  return args[0];
}

uint16_t Steps::add(isa::Span span, llvm::ArrayRef<uint16_t> parameters) {
  llvm::SmallVector<uint16_t, 16> numbers;
  for (const isa::Step &step : isa::run(t.steps, span)) {
    llvm::SmallVector<uint16_t, 4> args;
    for (unsigned i = 0; i < step.count; ++i)
      args.push_back(numbers[t.stepArgs[step.args + i]]);
    if (step.op == StepOp::Parameter) {
      numbers.push_back(parameters[step.value]);
    } else if (step.op == StepOp::Joined && step.count == 1) {
      numbers.push_back(args[0]); // the name or word returns its argument
    } else if (step.op == StepOp::WordCall) {
      numbers.push_back(word(step, args));
    } else {
      numbers.push_back(static_cast<uint16_t>(nodes.size()));
      nodes.push_back({step.op, step.value, args});
    }
  }
  return numbers.back();
}

std::optional<Operation> Steps::copied(const Node &root) const {
  const TypeView source = view.typeOf(root.value);
  if (!source || source.kind == isa::TypeKind::Predicate)
    return Operation::Mov;
  return hasFloats(view) ? std::nullopt : std::optional(Operation::Cvt);
}
// NOLINTEND(misc-no-recursion)

/// Returns the function if it accepts any bits.
std::optional<Operation> Steps::ofAnything(const Node &root) const {
  switch (root.op) {
  case StepOp::Bits: return isOperand(root.args[0]) ? std::optional(Operation::Mov) : std::nullopt;
  case StepOp::Equal: return areSources(root.args) ? std::optional(Operation::Setp) : std::nullopt;
  case StepOp::Element: return nodes[root.args[0]].op == StepOp::Equal ? std::optional(Operation::Setp) : std::nullopt;
  case StepOp::Choice: return areSources(root.args) ? std::optional(Operation::Selp) : std::nullopt;
  case StepOp::Lookup: return Operation::Lop3;
  case StepOp::Named:
    return llvm::StringSwitch<std::optional<Operation>>(t.namedFunctions[root.value]())
        .Case("generic-address", Operation::ToGeneric)
        .Case("address-in-space", Operation::FromGeneric)
        .Case("address-in-block", Operation::Mapa)
        .Default(std::nullopt);
  default: return {};
  }
}

/// Returns the function if it is an integer function whose arguments are all sources.
std::optional<Operation> Steps::ofNumbers(const Node &root) const {
  switch (root.op) {
  case StepOp::Add: return Operation::Add;
  case StepOp::Subtract: return Operation::Sub;
  case StepOp::Multiply: return Operation::Mul;
  case StepOp::Divide: return Operation::Div;
  case StepOp::Remainder: return Operation::Rem;
  case StepOp::Minimum: return Operation::Min;
  case StepOp::Maximum: return Operation::Max;
  case StepOp::Negate: return Operation::Neg;
  case StepOp::Absolute: return Operation::Abs;
  case StepOp::Invert:
  case StepOp::Not: return Operation::Not;
  case StepOp::And: return Operation::And;
  case StepOp::Or: return Operation::Or;
  case StepOp::Xor: return Operation::Xor;
  case StepOp::ShiftLeft: return Operation::Shl;
  case StepOp::ShiftRight: return Operation::Shr;
  case StepOp::Field: return Operation::Bfe;
  case StepOp::Insert: return Operation::Bfi;
  case StepOp::Ones: return Operation::Popc;
  default: return {};
  }
}

std::optional<Operation> Steps::ofIntegers(const Node &root) const {
  if (root.op == StepOp::Choice && nodes[root.args[1]].op == StepOp::Undefined) { // a division by zero is undefined
    const Node &defined = nodes[root.args[2]];
    return areSources(defined.args) ? ofNumbers(defined) : std::nullopt;
  }
  const bool isSum = root.op == StepOp::Add && isOperand(root.args[1]);
  if (isSum && nodes[root.args[0]].op == StepOp::Multiply)
    return areSources(nodes[root.args[0]].args) ? std::optional(Operation::Mad) : std::nullopt;
  return areSources(root.args) ? ofNumbers(root) : std::nullopt;
}

/// Returns whether a word that converts each number, such as `.sat`, is written.
static bool convertsNumbers(const FormView &view) {
  const isa::Tables &t = isa::tables();
  return llvm::any_of(isa::run(t.formConversions, view.form().conversions), [&](uint16_t index) {
    const isa::WordId word = t.conversions[index].word;
    for (unsigned slot = 0; slot < view.slots.size(); ++slot)
      if (view.isWritten(slot) && view.word(slot) == word)
        return true;
    return false;
  });
}

std::optional<Operation> Steps::operation(uint16_t root) const {
  const Node &node = nodes[root];
  if (node.op == StepOp::Operand)
    return convertsNumbers(view) ? std::nullopt : copied(node);
  const std::optional<Operation> found = ofAnything(node);
  if (convertsNumbers(view) && found != Operation::Setp) // conversions of the numbers do not change it
    return {};
  if (found)
    return found;
  return hasFloats(view) ? std::nullopt : ofIntegers(node);
}

std::optional<Operation> operationOf(const FormView &view) {
  const isa::Tables &t = isa::tables();
  constexpr unsigned mostSteps = 16; // a longer formula is not one of these functions
  for (const isa::Formula &formula : isa::run(t.formulas, view.form().formulas)) {
    if (formula.target != isa::FormulaTarget::Operand || view.nodeOf[formula.operand] < 0 || !holds(view, formula.when))
      continue;
    const StepOp root = isa::run(t.steps, formula.steps).back().op;
    if (formula.approximate || formula.steps.count > mostSteps || root == StepOp::Memory || root == StepOp::At)
      return {};
    Steps steps(view);
    return steps.operation(steps.add(formula.steps, {}));
  }
  return {};
}

} // namespace ptxray
