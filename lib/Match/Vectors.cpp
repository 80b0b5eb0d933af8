// Judges vectors in braces. The type of a vector is computed from the types of its elements.
#include "Match/OperandJudge.h"
#include "Match/Rows.h"
#include "Match/Wording.h"

namespace ptxray {

void OperandJudge::judgeVector(const Shape &shape, unsigned node) {
  const auto wanted = view.lengths(index);
  if (wanted.empty() && !has(isa::Vec)) {
    if (alreadyReported(DiagId::VectorLength, node))
      return;
    fail(DiagId::UnexpectedVector, node);
    judgement.weigh(Phase::Tie); // a form with a vector here is nearer
    const auto elements = llvm::ArrayRef(view.written.shapes).slice(node + 1, shape.extent - 1);
    const bool isBits = llvm::all_of(elements, [&](const Shape &element) {
      return element.kind == ShapeKind::Register && viewType(element.type) == TypeView{TypeKind::Bits, type.bits};
    });
    if (const isa::ExprId refused = isa::word(typeWord()).scalarGate; refused && isBits)
      judgement.findings.back().notes.push_back(releaseNote(ptxasRelease(refused)));
    return;
  }
  if (!wanted.empty() && !lengthFits(view, index, wanted))
    return reportLength(view, index, wanted, 0, judgement);
  judgeElements(shape, node);
}

/// Returns whether an element fits as a 32-bit word, or as the required type, in a vector that ptxas accepts element by
/// element.
bool OperandJudge::fitsAlone(const Shape &element, TypeView elementType) const {
  if (elementType.kind == TypeKind::Predicate)
    return false;
  const bool word = type.bits == 32 && !has(isa::Exact);
  if (isConstant(element))
    return immediateAgrees(word ? TypeView{TypeKind::Bits, 32} : type, element, false);
  return (typesAgree(type, elementType, has(isa::Wide), false) &&
          !(elementType.halfPair && fixedInteger() && !has(isa::Wide))) ||
         (elementType.bits >= type.bits && !has(isa::Exact) && type != TypeView{TypeKind::Float, 64});
}

/// Returns the type of an element that ptxas compares with the others. The type is empty if the element is judged
/// alone. Returns nothing if it is not allowed.
std::optional<TypeView> OperandJudge::typeOfElement(const Shape &element, unsigned node) {
  switch (element.kind) {
  case ShapeKind::Vector:
  case ShapeKind::Address:
  case ShapeKind::Pair:
  case ShapeKind::List: fail(DiagId::VectorElements, node); return std::nullopt;
  case ShapeKind::Register:
    if (element.suffix || element.vector || (element.flags & (ShapeNegated | ShapeNot | ShapeOffset))) {
      judgeScalar(element, node, true);
      return std::nullopt;
    }
    return viewType(element.type);
  case ShapeKind::Special: { // ptxas reads these as registers, and does not check whether one can be written
    judgeDirective(element, node, has(isa::Each));
    if (element.vector || element.suffix || declared.role == OperandRole::Predicate)
      return TypeView{};
    TypeView type = viewType(element.type);
    if (type.kind != TypeKind::Predicate)
      type.kind = TypeKind::Bits;
    return type;
  }
  case ShapeKind::Variable:
    return element.suffix || (element.flags & ~(ShapeParameter | ShapeReturn)) ? TypeView{} : viewType(element.type);
  case ShapeKind::Integer:
  case ShapeKind::Float: return typeOfConstant(element);
  default: return TypeView{};
  }
}

bool OperandJudge::judgeElement(const Shape &element, unsigned node, bool isFirst, bool isIndex, VectorFold &fold) {
  std::optional<TypeView> seen = typeOfElement(element, node);
  if (!seen)
    return false;
  const bool constant = isConstant(element);
  const bool named = element.kind == ShapeKind::Variable || element.kind == ShapeKind::Special;
  if (isIndex && element.kind != ShapeKind::Integer && !(mayBeInteger(*seen) && seen->bits == 32))
    return fail(DiagId::ArrayIndex, node);
  if (has(isa::Each) && !isIndex) {
    if (named && !(has(isa::SpecialAllowed) && (element.kind == ShapeKind::Special || hasAddress(element))))
      seen = TypeView{};
    if (*seen && !fitsAlone(element, *seen)) {
      if (constant)
        return fail(element.kind == ShapeKind::Float ? IdTakingTexts<2>(DiagId::FloatImmediate) : DiagId::ImmediateType,
                    node, typeText());
      return failRegister(*seen, node);
    }
    if (constant)
      judgeSize(element, node);
  }
  if (!*seen || declared.role == OperandRole::Immediate ||
      (constant && ((declared.role == OperandRole::Register && !has(isa::AsBits)) || has(isa::Destination))))
    return judgeScalar(element, node, true);
  if (!fold.add(*seen, constant, isIndex))
    return fail(fold.sizesDiffer(*seen, constant) ? IdTakingTexts<1>(DiagId::VectorElementSizes)
                                                  : DiagId::VectorElements,
                node);
  if (named && !(element.kind == ShapeKind::Special && has(isa::SpecialAllowed)))
    fail(DiagId::VectorElementName, node);
  if (!constant)
    return true;
  // For ptxas, a leading constant makes the vector a vector of constants, and 16-bit floats do not accept these.
  const bool halves = (type.kind == TypeKind::Packed && !type.narrow) ||
                      (type.kind == TypeKind::Float && type.bits == 16 && seen->kind == TypeKind::Float);
  if (isFirst && halves && !has(isa::Fragment) && !has(isa::SpecialAllowed))
    return fail(DiagId::ImmediateType, node, typeText());
  return isElement() || judgeRange(element, node);
}

void OperandJudge::judgeElements(const Shape &shape, unsigned node) {
  const auto &shapes = view.written.shapes;
  const auto elements = llvm::ArrayRef(shapes).slice(node + 1, shape.extent - 1);
  const bool hasConstant = llvm::any_of(elements, isConstant);
  VectorFold fold;
  bool onlySinks = true;
  for (unsigned n = node + 1; n < node + shape.extent; n += shapes[n].extent) {
    const Shape &element = shapes[n];
    onlySinks &= element.kind == ShapeKind::Sink;
    if (element.flags & ShapeComponent && hasConstant) { // ptxas makes no vector of these
      fail(DiagId::VectorElements, n);
      return;
    }
    // The first coordinate of an array is its index (the second one if there are samples), and other coordinates need
    // not agree with it.
    const bool isIndex = (has(isa::FirstIndex) && n == node + 1) || (has(isa::SecondIndex) && n == node + 2);
    if (element.kind != ShapeKind::Unknown && !judgeElement(element, n, n == node + 1, isIndex, fold))
      return;
  }
  const size_t found = judgement.findings.size();
  if (fold.type && declared.role != OperandRole::Immediate)
    judgeFold(fold, node);
  if (hasConstant && declared.role == OperandRole::Value && !has(isa::Each) && judgement.findings.size() == found)
    for (unsigned n = node + 1; n < node + shape.extent; n += shapes[n].extent)
      if (isConstant(shapes[n]))
        judgeSize(shapes[n], n);
  if (!onlySinks)
    return;
  if (has(isa::Destination))
    fail(DiagId::VectorOfSinks, node);
  else if (has(isa::SinkAllowed)) // the type of the elements is unknown
    fail(DiagId::SinkAsSource, node + 1);
}

/// Returns whether ptxas treats a vector with a constant as its first element as a constant, and ignores sizes.
bool OperandJudge::isVectorConstant(const VectorFold &fold) const {
  const bool integers = fold.first.kind == TypeKind::Signed;
  const bool chosen = declared.type.kind == isa::RefKind::Slot;
  switch (type.kind) {
  case TypeKind::Bits: return integers && chosen && !has(isa::Fragment);
  case TypeKind::Unsigned:
  case TypeKind::Signed: return integers && !inWords() && (chosen || !has(isa::Fragment) || fold.onlyConstants);
  case TypeKind::Float:
    if (has(isa::Fragment) && type.bits == 32)
      return !integers && !chosen;
    return !integers || fold.type.kind == TypeKind::Bits;
  default: return false;
  }
}

/// Judges whether all elements together meet the requirement of the operand.
void OperandJudge::judgeFold(const VectorFold &fold, unsigned node) {
  const TypeView whole = fold.type;
  if (!fold.constantFirst || !type) {
    if (whole.kind != TypeKind::Predicate || !fixedWord())
      judgeRegister(whole, node, true);
    return;
  }
  const bool asBits = !(has(isa::Fragment) && type.bits == 32);
  if (isVectorConstant(fold) || typesAgree(type, whole, wide() && type.kind != TypeKind::Bits, asBits))
    return;
  if (fold.onlyConstants)
    fail(fold.first.kind == TypeKind::Signed ? IdTakingTexts<2>(DiagId::ImmediateType) : DiagId::FloatImmediate,
         node + 1, typeText());
  else
    fail(whole.bits == type.bits ? IdTakingTexts<3>(DiagId::OperandType) : DiagId::OperandSize, node, spell(whole),
         typeText());
}

/// Returns whether the operand is declared within such a group of the pattern.
bool OperandJudge::standsIn(isa::PatternKind group) const {
  const auto patterns = isa::run(isa::tables().patterns, view.form().patterns);
  for (unsigned p = 0; p < patterns.size(); ++p)
    if (patterns[p].kind == group)
      for (unsigned inner = p + 1; inner < p + patterns[p].extent; ++inner)
        if (patterns[inner].kind == isa::PatternKind::Operand && patterns[inner].operand == index)
          return true;
  return false;
}

} // namespace ptxray
