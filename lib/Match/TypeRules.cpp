// Implements the rules of the manual and of ptxas on types, and the text of types in messages.
#include "Match/TypeRules.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using isa::TypeKind;

TypeView viewType(isa::WordId id) {
  if (!id)
    return {};
  const isa::Word &word = isa::word(id);
  TypeView type{word.typeKind, word.bits};
  if (type.kind == TypeKind::Packed) {
    type.halfPair = id == isa::words::f16x2;
    type.narrow = word.narrow;
    type.takesHalfPair = llvm::isDigit(word.text()[2]) && !type.narrow && !type.halfPair;
  }
  return type;
}

TypeView fragmentType(TypeView element) {
  if (element.kind == TypeKind::Float && element.bits >= 32)
    return element;
  if (element.kind == TypeKind::Signed && element.bits == 32)
    return element;
  if (element.kind == TypeKind::Float && element.bits == 16)
    return {TypeKind::Packed, 32, true, false};
  if (element.kind == TypeKind::Packed && element.bits >= 16) // .bf16, .tf32
    return {TypeKind::Packed, 32};
  return {TypeKind::Bits, 32};
}

static bool isInteger(TypeView type) {
  return type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed || type.halfPair;
}

bool typesAgree(TypeView type, TypeView reg, bool wide, bool inVector) {
  if (type.kind == TypeKind::Predicate || reg.kind == TypeKind::Predicate)
    return type.kind == reg.kind;
  const bool regIsBits = reg.kind == TypeKind::Bits;
  const bool fits = reg.bits == type.bits || (wide && reg.bits > type.bits);
  switch (type.kind) {
  case TypeKind::Packed:
    if (type.halfPair)
      return reg.halfPair || (regIsBits && fits);
    return reg.bits == type.bits && (regIsBits || (type.takesHalfPair && reg.halfPair));
  case TypeKind::Bits: return fits;
  case TypeKind::Unsigned:
  case TypeKind::Signed: return fits && (regIsBits || isInteger(reg));
  case TypeKind::Float:
    if (inVector && isInteger(reg) && !reg.halfPair && reg.bits == type.bits)
      return true;
    return fits && (reg == type || regIsBits);
  default: return false;
  }
}

bool isSingle(const Shape &immediate) {
  return (immediate.flags & ShapeHexFloat) && !(immediate.flags & ShapeWideFloat);
}

TypeView typeOfConstant(const Shape &immediate) {
  if (immediate.kind == ShapeKind::Integer)
    return {TypeKind::Signed, 64};
  return {TypeKind::Float, static_cast<uint16_t>(isSingle(immediate) ? 32 : 64)};
}

bool immediateAgrees(TypeView type, const Shape &immediate, bool inVector) {
  const bool numeric = type.kind == TypeKind::Bits || type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed;
  if (immediate.kind == ShapeKind::Integer)
    return numeric || type.kind == TypeKind::Predicate || (inVector && type.kind == TypeKind::Float && type.bits == 64);
  if (type.kind == TypeKind::Float)
    return type.bits >= 32;
  if (type.kind == TypeKind::Bits)
    return type.bits == (isSingle(immediate) ? 32 : 64);
  return false;
}

/// Returns whether two adjacent elements may be in one vector, apart from their sizes. Bits may be combined with
/// everything.
static bool kindsAgree(TypeView left, TypeView right) {
  if (left.kind == TypeKind::Predicate || right.kind == TypeKind::Predicate)
    return left == right || left.kind == TypeKind::Bits || right.kind == TypeKind::Bits;
  if (left.kind == TypeKind::Bits || right.kind == TypeKind::Bits)
    return true;
  if (left.halfPair || right.halfPair) // a pair is an integer as a whole, but not as an element
    return left == right;
  return isInteger(left) == isInteger(right);
}

/// Returns the size of an element. ptxas keeps predicates in 32-bit words.
static uint16_t sizeInVector(TypeView type) { return type.kind == TypeKind::Predicate ? 32 : type.bits; }

bool VectorFold::sizesDiffer(TypeView element, bool constant) const {
  return !constantFirst && !constant && sizeInVector(first) != sizeInVector(element);
}

bool VectorFold::add(TypeView element, bool constant, bool isIndex) {
  const bool goesWithAll = isIndex || behindIndex;
  behindIndex = isIndex;
  if (!first) {
    first = previous = type = element;
    constantFirst = onlyConstants = constant;
    return true;
  }
  if ((!goesWithAll && !kindsAgree(previous, element)) || sizesDiffer(element, constant))
    return false;
  if (type != element)
    type = {TypeKind::Bits, sizeInVector(type)};
  // If the first element is a constant, the last element of another size determines the size.
  if (constantFirst && sizeInVector(element) != sizeInVector(first))
    type.bits = sizeInVector(element);
  onlyConstants &= constant;
  previous = element;
  return true;
}

std::string spell(TypeView type) {
  if (type.halfPair)
    return ".f16x2";
  switch (type.kind) {
  case TypeKind::Bits: return ".b" + std::to_string(type.bits);
  case TypeKind::Unsigned: return ".u" + std::to_string(type.bits);
  case TypeKind::Signed: return ".s" + std::to_string(type.bits);
  case TypeKind::Float: return ".f" + std::to_string(type.bits);
  case TypeKind::Predicate: return ".pred";
  default: return ".b" + std::to_string(type.bits);
  }
}

} // namespace ptxray
