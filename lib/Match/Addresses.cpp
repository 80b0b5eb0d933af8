// Addresses, in brackets or without, and the names of textures, samplers and surfaces.
#include "Match/OperandJudge.h"

namespace ptxray {

bool hasAddress(const Shape &shape) {
  if (shape.kind == ShapeKind::Variable)
    return !(shape.flags & ShapeOpaque) &&
           (shape.space != isa::findWord(".param") || (shape.flags & (ShapeParameter | ShapeReturn)));
  return shape.kind == ShapeKind::Function;
}

void OperandJudge::judgeOpaque(const Shape &shape, unsigned node) {
  const bool handle = shape.kind == ShapeKind::Register && !shape.flags && !shape.suffix &&
                      viewType(shape.type).bits == 64 && viewType(shape.type).kind != TypeKind::Float;
  if (handle)
    return;
  static constexpr llvm::StringLiteral roles[] = {".texref", ".samplerref", ".surfref"};
  const llvm::StringRef wanted = roles[declared.role == OperandRole::Texture   ? 0
                                       : declared.role == OperandRole::Sampler ? 1
                                                                               : 2];
  if (shape.kind == ShapeKind::Variable && (shape.flags & ShapeOpaque) && !(shape.flags & ShapeOffset) &&
      wanted == llvm::StringRef(isa::word(shape.type).text))
    return;
  fail(DiagId::OpaqueExpected, node, {wanted.str()});
}

/// `.shared::cta` lies in `.shared`: what stands before the colons.
static llvm::StringRef spaceName(WordId word) { return llvm::StringRef(isa::word(word).text).split("::").first; }

bool OperandJudge::isBracketed(unsigned node) const {
  for (unsigned n = 0; n < node; ++n)
    if (const Shape &outer = view.written.shapes[n]; outer.kind == ShapeKind::Address && n + outer.extent > node)
      return true;
  return false;
}

/// What belongs into brackets may stand behind them, or the reverse, where ptxas does not look where they end
/// (Bind.cpp).
void OperandJudge::judgeBrackets(unsigned node) {
  if (declared.role == OperandRole::Address)
    return;
  if (const bool bracketed = isBracketed(node); bracketed != standsIn(isa::PatternKind::Address))
    fail(bracketed ? DiagId::MisplacedBracket : DiagId::MissingBrackets, node);
}

void OperandJudge::judgeAddress(const Shape &shape, unsigned node) {
  const isa::Tables &t = isa::tables();
  if (has(isa::Destination) && (shape.flags & ShapeParameter) && shape.kind == ShapeKind::Variable) {
    fail(DiagId::ParameterWritten, node);
    return;
  }
  if (!has(isa::Destination) && (shape.flags & ShapeReturn) && shape.kind == ShapeKind::Variable) {
    fail(DiagId::ReturnRead, node);
    return;
  }
  // The spaces that the address may lie in; a slot that is not written stands for a generic address.
  llvm::SmallVector<llvm::StringRef, 4> spaces;
  bool generic = declared.spaces.count == 0;
  for (const isa::SpaceRef &ref : isa::run(t.spaceRefs, declared.spaces)) {
    const WordId word = ref.kind == isa::RefKind::Word ? ref.index : view.word(ref.index);
    if (word)
      spaces.push_back(spaceName(word));
    else
      generic = true;
  }
  const bool anything = has(isa::Wide) && !type;
  const bool isBare = has(isa::BareAllowed) && !isBracketed(node);
  if (isBare)
    fail(DiagId::MissingBrackets, node);
  if (shape.kind == ShapeKind::Sink && has(isa::SinkAllowed) && !isBracketed(node)) {
    fail(DiagId::MissingBrackets, node);
    return;
  }
  switch (shape.kind) {
  case ShapeKind::Register: {
    const TypeView reg = viewType(shape.type);
    const bool isNot = shape.flags & ShapeNot && !(isBare && !type && reg.kind == TypeKind::Predicate);
    if (shape.suffix || shape.vector || shape.flags & ShapeNegated || isNot) {
      fail(DiagId::AddressRegister, node, {spell(reg)});
      return;
    }
    // Without brackets ptxas looks at the size alone, and where the form names none, at nothing.
    if (isBare && (!type || (reg.bits == 64 && has(isa::Wide))))
      return;
    const bool agrees = type && (has(isa::Exact) ? reg == type : typesAgree(type, reg, has(isa::Wide), false));
    // Of a given width, .f16x2 passes for bits; floats pass only where any width does.
    const bool passes = reg.halfPair ? agrees && type.kind == TypeKind::Bits && !has(isa::Wide)
                                     : mayBeInteger(reg) || (agrees && has(isa::Wide));
    if (has(isa::AnyRegister))
      return;
    if (reg.bits > 64 || (!anything && !passes))
      fail(reg.kind == TypeKind::Float       ? DiagId::AddressFloat
           : reg.kind == TypeKind::Predicate ? DiagId::AddressPredicate
                                             : DiagId::AddressRegister,
           node, {spell(reg)});
    else if (type && !agrees)
      fail(DiagId::AddressWidth, node, {spell(reg), typeText()});
    else if (has(isa::Copied) && generic && reg.bits < 32)
      fail(DiagId::AddressWidth, node, {spell(reg), ".u32"});
    return;
  }
  case ShapeKind::Special: {
    const TypeView reg = viewType(shape.type);
    const bool sameSize = type.bits == 64 && reg.bits == 64 && isBracketed(node);
    if (reg.kind == TypeKind::Predicate)
      fail(DiagId::AddressPredicate, node, {spell(reg)});
    else if (shape.vector || shape.suffix || has(isa::Ordinary) || (type && !has(isa::Wide) && !sameSize) ||
             (has(isa::Converted) && reg.bits < 64))
      fail(DiagId::SpecialRegister, node);
    else
      judgeDirective(shape, node, type || (has(isa::Copied) && generic));
    return;
  }
  case ShapeKind::Integer:
    if (!anything && (spaces.size() != 1 || generic || spaces.front() != ".local"))
      fail(DiagId::ImmediateAddress, node);
    return;
  case ShapeKind::Variable: {
    if (shape.flags & ShapeOpaque) {
      const bool passes = has(isa::OpaqueAllowed) && !(has(isa::Copied) && generic);
      fail(anything || passes ? DiagId::OpaqueAddress : DiagId::AddressSymbol, node);
      return;
    }
    const llvm::StringRef space = spaceName(shape.space);
    // A variable in .param has no address: loads and stores name it.
    const bool named =
        isBracketed(node) ? llvm::is_contained(spaces, space) : !has(isa::BareAllowed) && !(shape.flags & ShapeOffset);
    if (named && !has(isa::IndexAllowed) && !hasAddress(shape)) {
      fail(DiagId::SymbolNotAllowed, node);
      return;
    }
    if (declared.spaces.count == 0 || llvm::is_contained(spaces, space))
      return;
    if (generic && (space == ".global" || space == ".shared" || space == ".local"))
      return;
    std::string wanted;
    for (llvm::StringRef s : spaces)
      wanted += (wanted.empty() ? "`" : ", `") + s.str() + "`";
    fail(DiagId::StateSpace, node, {space.str(), wanted.empty() ? "a generic address" : wanted});
    return;
  }
  case ShapeKind::Function:
    if (!anything)
      fail(has(isa::SymbolAllowed) ? DiagId::FunctionAsValue : DiagId::AddressSymbol, node);
    return;
  case ShapeKind::Float:
    if (!anything && !isBare)
      fail(DiagId::AddressSymbol, node);
    return;
  default:
    if (!anything || shape.kind == ShapeKind::Sink)
      fail(DiagId::AddressSymbol, node);
  }
}

} // namespace ptxray
