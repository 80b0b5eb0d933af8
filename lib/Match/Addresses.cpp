// Judges addresses, with or without brackets, and the names of textures, samplers and surfaces.
#include "Isa/Words.h"
#include "Match/OperandJudge.h"
#include "Match/Wording.h"

namespace ptxray {

bool hasAddress(const Shape &shape) {
  if (shape.kind == ShapeKind::Variable)
    return !(shape.flags & ShapeOpaque) &&
           (shape.space != isa::words::param || (shape.flags & (ShapeParameter | ShapeReturn)));
  return shape.kind == ShapeKind::Function;
}

void OperandJudge::judgeOpaque(const Shape &shape, unsigned node) {
  const bool handle = shape.kind == ShapeKind::Register && !shape.flags && !shape.suffix &&
                      viewType(shape.type).bits == 64 && viewType(shape.type).kind != TypeKind::Float;
  if (handle)
    return;
  const WordId wanted = declared.role == OperandRole::Texture   ? isa::words::texref
                        : declared.role == OperandRole::Sampler ? isa::words::samplerref
                                                                : isa::words::surfref;
  if (shape.kind == ShapeKind::Variable && (shape.flags & ShapeOpaque) && !(shape.flags & ShapeOffset) &&
      shape.type == wanted)
    return;
  fail(DiagId::OpaqueExpected, node, isa::word(wanted).text());
}

bool OperandJudge::isBracketed(unsigned node) const {
  for (unsigned n = 0; n < node; ++n)
    if (const Shape &outer = view.written.shapes[n]; outer.kind == ShapeKind::Address && n + outer.extent > node)
      return true;
  return false;
}

/// ptxas does not always check where brackets end, so operands may be on the wrong side of them (Bind.cpp).
void OperandJudge::judgeBrackets(unsigned node) {
  if (declared.role == OperandRole::Address)
    return;
  if (const bool bracketed = isBracketed(node); bracketed != standsIn(isa::PatternKind::Address))
    fail(bracketed ? IdTakingTexts<1>(DiagId::MisplacedBracket) : DiagId::MissingBrackets, node);
}

OperandJudge::Spaces OperandJudge::spaces() const {
  Spaces spaces;
  spaces.generic = declared.spaces.count == 0;
  for (const isa::SpaceRef &ref : isa::run(isa::tables().spaceRefs, declared.spaces)) {
    const WordId word = ref.kind == isa::RefKind::Word ? ref.index : view.word(ref.index);
    if (word)
      spaces.named.push_back(isa::wholeSpace(word));
    else
      spaces.generic = true;
  }
  return spaces;
}

void OperandJudge::failAddress(TypeView reg, unsigned node) {
  Finding &f = find(Phase::Type, DiagId::AddressRegister, node, spell(reg));
  f.kind = reg.kind == TypeKind::Float ? Kind::Float : reg.kind == TypeKind::Predicate ? Kind::Predicate : Kind::Other;
}

void OperandJudge::judgeAddressRegister(const Shape &shape, unsigned node, bool isBare) {
  const TypeView reg = viewType(shape.type);
  const bool isNot = shape.flags & ShapeNot && !(isBare && !type && reg.kind == TypeKind::Predicate);
  if (shape.suffix || shape.vector || shape.flags & ShapeNegated || isNot) {
    failAddress(reg, node);
    return;
  }
  // If there are no brackets, ptxas checks only the size, and nothing if the form specifies no type.
  if (isBare && !type)
    return;
  const bool agrees = type && (has(isa::Exact) ? reg == type : typesAgree(type, reg, false, false));
  const bool passes = reg.halfPair ? agrees && type.kind == TypeKind::Bits : mayBeInteger(reg);
  if (reg.bits > 64 || (!isAnything() && !passes))
    failAddress(reg, node);
  else if (type && !agrees)
    fail(DiagId::AddressWidth, node, spell(reg), typeText());
}

void OperandJudge::judgeAddressSpecial(const Shape &shape, unsigned node) {
  const TypeView reg = viewType(shape.type);
  const bool sameSize = type.bits == 64 && reg.bits == 64 && isBracketed(node);
  if (reg.kind == TypeKind::Predicate)
    failAddress(reg, node);
  else if (shape.vector || shape.suffix || (type && !sameSize))
    fail(DiagId::SpecialRegister, node);
  else
    judgeDirective(shape, node, bool(type));
}

void OperandJudge::judgeAddressVariable(const Shape &shape, unsigned node) {
  if (shape.flags & ShapeOpaque) {
    fail(isAnything() ? IdTakingTexts<1>(DiagId::OpaqueAddress) : DiagId::AddressSymbol, node);
    return;
  }
  const auto [named, generic] = spaces();
  const WordId space = isa::wholeSpace(shape.space);
  // A variable in .param has no address: only loads and stores can name it.
  const bool byName =
      isBracketed(node) ? llvm::is_contained(named, space) : !has(isa::BareAllowed) && !(shape.flags & ShapeOffset);
  if (byName && !has(isa::Subscript) && !hasAddress(shape)) {
    fail(DiagId::SymbolNotAllowed, node);
    return;
  }
  if (declared.spaces.count == 0 || llvm::is_contained(named, space))
    return;
  if (generic && llvm::is_contained({isa::words::global, isa::words::shared, isa::words::local}, space))
    return;
  std::string wanted;
  for (WordId s : named)
    wanted += (wanted.empty() ? "" : ", ") + quote(isa::word(s).text());
  fail(DiagId::StateSpace, node, isa::word(space).text(), wanted.empty() ? "a generic address" : wanted);
}

void OperandJudge::judgeAddress(const Shape &shape, unsigned node) {
  if (shape.kind == ShapeKind::Variable && has(isa::Destination) && (shape.flags & ShapeParameter)) {
    fail(DiagId::ParameterWritten, node);
    return;
  }
  if (shape.kind == ShapeKind::Variable && !has(isa::Destination) && (shape.flags & ShapeReturn)) {
    fail(DiagId::ReturnRead, node);
    return;
  }
  const bool isBare = has(isa::BareAllowed) && !isBracketed(node);
  if (isBare)
    fail(DiagId::MissingBrackets, node);
  if (shape.kind == ShapeKind::Sink && has(isa::SinkAllowed) && !isBracketed(node)) {
    fail(DiagId::MissingBrackets, node);
    return;
  }
  switch (shape.kind) {
  case ShapeKind::Register: return judgeAddressRegister(shape, node, isBare);
  case ShapeKind::Special: return judgeAddressSpecial(shape, node);
  case ShapeKind::Variable: return judgeAddressVariable(shape, node);
  case ShapeKind::Integer: {
    const auto [named, generic] = spaces();
    if (!isAnything() && (named.size() != 1 || generic || named.front() != isa::words::local))
      fail(DiagId::ImmediateAddress, node);
    return;
  }
  case ShapeKind::Function:
    if (!isAnything())
      fail(has(isa::SymbolAllowed) ? IdTakingTexts<1>(DiagId::FunctionAsValue) : DiagId::AddressSymbol, node);
    return;
  case ShapeKind::Float:
    if (!isAnything() && !isBare)
      fail(DiagId::AddressSymbol, node);
    return;
  default:
    if (!isAnything() || shape.kind == ShapeKind::Sink)
      fail(DiagId::AddressSymbol, node);
  }
}

} // namespace ptxray
