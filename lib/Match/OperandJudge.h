#pragma once
// Judges one written operand against one of the form. Operands.cpp handles single values, Vectors.cpp vectors in
// braces, and Addresses.cpp addresses and names of textures.
#include "Match/FormView.h"
#include "Match/Judgement.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::OperandDecl;
using isa::OperandRole;
using isa::TypeKind;
using isa::WordId;

class OperandJudge {
public:
  OperandJudge(const FormView &view, unsigned index, Judgement &judgement)
      : view(view), judgement(judgement), index(index), declared(view.operands[index]), type(view.typeOf(index)) {}

  void judge();
  /// Judges the vector at the node, or the one whose first element this operand is.
  void judgeElements(const Shape &shape, unsigned node);

private:
  void judgeVector(const Shape &shape, unsigned node);
  std::optional<TypeView> typeOfElement(const Shape &element, unsigned node);
  bool judgeElement(const Shape &element, unsigned node, bool isFirst, bool isIndex, VectorFold &fold);
  bool fitsAlone(const Shape &element, TypeView elementType) const;
  void judgeFold(const VectorFold &fold, unsigned node);
  bool judgeScalar(const Shape &shape, unsigned node, bool inVector);
  bool judgeNot(const Shape &shape, unsigned node, bool inVector);
  bool judgeSink(unsigned node, bool inVector);
  bool judgeNamedRegister(const Shape &shape, unsigned node, bool inVector);
  bool judgeConstant(const Shape &shape, unsigned node, bool inVector);
  void judgeSize(const Shape &constant, unsigned node);
  bool judgeSymbol(const Shape &shape, unsigned node, bool inVector);
  bool judgeSign(const Shape &shape, unsigned node);
  bool judgeRegister(TypeView reg, unsigned node, bool inVector);
  bool failRegister(TypeView reg, unsigned node);
  bool judgeSpecial(const Shape &shape, unsigned node, bool inVector);
  void judgeDirective(const Shape &reg, unsigned node, bool isMoved);
  bool isSecondOfPair(unsigned node) const;
  bool judgeOffset(const Shape &shape, unsigned node, bool inVector);
  bool judgeRange(const Shape &shape, unsigned node);
  /// The spaces that an address may belong to.
  struct Spaces {
    llvm::SmallVector<WordId, 4> named;
    bool generic; // no space is written, or the slot of the space is empty
  };
  Spaces spaces() const;
  void judgeAddress(const Shape &shape, unsigned node);
  void failAddress(TypeView reg, unsigned node);
  void judgeAddressRegister(const Shape &shape, unsigned node, bool isBare);
  void judgeAddressSpecial(const Shape &shape, unsigned node);
  void judgeAddressVariable(const Shape &shape, unsigned node);
  /// Returns whether the form does not restrict the width of the address.
  bool isAnything() const { return has(isa::Anything); }
  void judgeOpaque(const Shape &shape, unsigned node);
  bool isBracketed(unsigned node) const;
  void judgeBrackets(unsigned node);

  bool has(isa::OperandRule rule) const { return declared.rules & rule; }
  bool isPredicate() const { return declared.role == OperandRole::Predicate || type.kind == TypeKind::Predicate; }
  /// If the type word is `.pred`, ptxas also accepts a register of .f16x2.
  bool holdsPredicate(TypeView reg) const { return reg.kind == TypeKind::Predicate || (type && reg.halfPair); }
  bool wide() const;
  bool standsIn(isa::PatternKind group) const;
  bool isElement() const { return standsIn(isa::PatternKind::Vector); }
  bool fixedInteger() const;
  bool fixedWord() const;
  bool inWords() const;
  bool isVectorConstant(const VectorFold &fold) const;
  /// Returns whether a table or condition has already reported the fault.
  bool alreadyReported(DiagId id, unsigned node) const {
    const FindingPlace place = FindingPlace::at(FindingPlace::Operand, node);
    return llvm::any_of(judgement.findings, [&](const Finding &f) { return f.id == id && f.place == place; });
  }
  isa::WordId typeWord() const;
  std::string typeText() const;

  /// Adds a finding about the source at the node, and returns false, so that the caller can return the result.
  template <typename... More> bool fail(IdFor<TextThere, More...> id, unsigned node, const More &...more) {
    find(Phase::Type, id, node, more...);
    return false;
  }
  /// Adds a finding about source that ptxas accepts, and returns false.
  template <typename... More> bool warn(IdFor<TextThere, More...> id, unsigned node, const More &...more) {
    find(Phase::Warning, id, node, more...).severity = Severity::Warning;
    return true;
  }
  template <typename... More>
  Finding &find(Phase phase, IdFor<TextThere, More...> id, unsigned node, const More &...more) {
    return judgement.report(phase, id, FindingPlace::at(FindingPlace::Operand, node), textThere, more...);
  }

  const FormView &view;
  Judgement &judgement;
  const unsigned index;
  const OperandDecl &declared;
  const TypeView type;
};

/// Returns whether a name has an address. Opaque variables have handles instead; parameters of a call and labels have
/// no address.
bool hasAddress(const Shape &shape);

} // namespace ptxray
