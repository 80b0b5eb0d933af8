#include "Machine/InstructionKinds.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::StepOp;

bool hasWord(const Opcode &opcode, llvm::StringRef text) {
  return llvm::any_of(opcode.words, [text](const OpcodeWord &word) { return word.text == text; });
}

std::optional<Reduction> reductionOf(const Opcode &opcode) {
  using How = Reduction::How;
  static constexpr std::pair<llvm::StringLiteral, How> ways[] = {
      {".add", How::Add}, {".min", How::Min}, {".max", How::Max}, {".inc", How::Inc},
      {".dec", How::Dec}, {".and", How::And}, {".or", How::Or},   {".xor", How::Xor}};
  Reduction result;
  isa::WordId type = 0;
  for (const OpcodeWord &word : opcode.words) {
    for (const auto &[text, how] : ways)
      if (word.text == text)
        result.how = how;
    if (word.id && isa::word(word.id).wordClass == isa::WordClass::Type)
      type = word.id;
  }
  if (result.how == How::None)
    return {};
  if (!type)
    return result; // size of a tensor map
  const std::optional<ElementType> known = elementType(type);
  if (!known)
    return {};
  result.type = *known;
  result.flushes = known->isFloat() && known->bits == 32 && !hasWord(opcode, ".noftz");
  return result;
}

/// Returns whether the result of a step is undefined if one of its arguments is.
static bool isStrict(const RecipeStep &step) {
  switch (step.op) {
  case StepOp::Operand:
  case StepOp::Constant:
  case StepOp::Negate:
  case StepOp::Multiply:
  case StepOp::Divide:
  case StepOp::Remainder:
  case StepOp::Add:
  case StepOp::Subtract:
  case StepOp::Less:
  case StepOp::LessEqual:
  case StepOp::Greater:
  case StepOp::GreaterEqual:
  case StepOp::Equal:
  case StepOp::Unequal:
  case StepOp::Absolute:
  case StepOp::SquareRoot:
  case StepOp::Reciprocal:
  case StepOp::ReciprocalRoot:
  case StepOp::Flushed:
  case StepOp::RoundNearest:
  case StepOp::RoundTowardZero:
  case StepOp::RoundDown:
  case StepOp::RoundUp: return true;
  default: return false;
  }
}

Compiled InstructionKind::compiled(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) {
  constexpr size_t most = 1024; // maximum number of cached patterns
  Key key(constants.begin(), constants.end());
  const Likeness likeness = likenessOf(byNode);
  key.append(likeness.begin(), likeness.end());
  if (const auto found = patterns.find(key); found != patterns.end())
    return found->second.at(byNode, carry, file, kept);
  if (patterns.size() == most)
    patterns.clear();
  return patterns.emplace(std::move(key), Pattern(recipe, byNode)).first->second.at(byNode, carry, file, kept);
}

llvm::SmallVector<Shape, 16> shapesOf(const Verdict &verdict, llvm::ArrayRef<Operand> nodes) {
  llvm::SmallVector<Shape, 16> shapes(verdict.shapes);
  for (auto [shape, node] : llvm::zip(shapes, nodes))
    if (shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float || node.flags & HasOffset)
      shape.value = node.value;
  return shapes;
}

unsigned InstructionKinds::architecture() const {
  const ModuleContext &module = availability().module();
  const uint16_t target = module.arch.value_or(module.target);
  unsigned number = 90;
  if (target != anyTarget) {
    llvm::StringRef name = isa::tables().targets[target].name();
    name.consume_front("sm_");
    name.consumeInteger(10, number);
  }
  return number;
}

static InstructionKind kindOf(const Verdict &verdict, Recipe recipe, unsigned architecture) {
  InstructionKind kind;
  kind.reduction = reductionOf(*verdict.opcode);
  kind.isOfBlock = hasWord(*verdict.opcode, ".cta");
  const auto isPacked = [](const RecipeOperand &operand) { return operand.registers.size() > 1; };
  kind.isStrict = llvm::all_of(recipe.steps, isStrict) && llvm::none_of(recipe.operands, isPacked);
  kind.hasVectors = llvm::any_of(recipe.operands, [](const RecipeOperand &operand) {
    return llvm::any_of(operand.registers, [](const RecipeOperand::Register &one) { return one.part != 0; });
  });
  kind.recipe = std::move(recipe);
  kind.fidelity = fidelityOf(kind, verdict, architecture);
  return kind;
}

InstructionKind &InstructionKinds::of(const Verdict &verdict, llvm::ArrayRef<Operand> nodes) {
  llvm::SmallVector<uint64_t, 2> constants;
  for (const auto &[shape, node] : llvm::zip(verdict.shapes, nodes))
    if (shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float)
      constants.push_back(static_cast<uint64_t>(node.value));
  const auto made = [&] {
    const llvm::SmallVector<Shape, 16> shapes = shapesOf(verdict, nodes);
    return recipeOf({*verdict.opcode, shapes, availability()}, *verdict.match);
  };
  std::unique_ptr<InstructionKind> &kind = kinds[&verdict];
  if (!kind)
    kind = std::make_unique<InstructionKind>(kindOf(verdict, made(), architecture()));
  else if (kind->constants != constants) {
    if (kind->recipe.product.function || !kind->recipe.refusal.empty())
      kind->recipe = made();
    else
      setConstants(kind->recipe, verdict.shapes, nodes);
  }
  kind->constants = std::move(constants);
  return *kind;
}

const Recipe *InstructionKinds::inGlobal(InstructionKind &kind, const Verdict &verdict,
                                         llvm::ArrayRef<Operand> nodes) const {
  if (!kind.isGlobalKnown) {
    kind.isGlobalKnown = true;
    const auto [name, words] = llvm::StringRef(verdict.opcode->spelling).split('.');
    const std::string spelling = (name + ".global." + words).str();
    const Opcode opcode(spelling);
    const llvm::SmallVector<Shape, 16> shapes = shapesOf(verdict, nodes);
    const WrittenInstruction written{opcode, shapes, availability()};
    if (const Judged judged = judge(written); judged.match && judged.isAccepted())
      if (Recipe recipe = recipeOf(written, *judged.match); recipe.steps.size() != kind.recipe.steps.size())
        kind.global = std::move(recipe);
  }
  if (!kind.global)
    return nullptr;
  setConstants(*kind.global, verdict.shapes, nodes);
  return &*kind.global;
}

} // namespace ptxray::machine
