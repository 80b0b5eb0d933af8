// Judges whether each operand meets the requirements of the form: kind, type, sign, value.
#include "Match/Operands.h"
#include "Isa/Directives.h"
#include "Isa/Words.h"
#include "Match/Evaluate.h"
#include "Match/Explain.h"
#include "Match/OperandJudge.h"
#include "Match/Rows.h"
#include "llvm/ADT/Sequence.h"

namespace ptxray {

/// Returns whether the operand has a type that no qualifier determines (a count, a mask, a distance), or is a fragment
/// of integers. ptxas rejects .f16x2 there.
bool OperandJudge::fixedInteger() const {
  return (declared.type.kind == isa::RefKind::Word || has(isa::Fragment)) &&
         (type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed);
}

/// Returns whether the operand has 32 bits for all qualifiers.
bool OperandJudge::fixedWord() const {
  return type == TypeView{TypeKind::Bits, 32} && (declared.type.kind == isa::RefKind::Word || has(isa::Fragment));
}

bool OperandJudge::wide() const {
  return has(isa::Wide) && llvm::none_of(view.written.opcode.words, [](const OpcodeWord &word) {
           return word.id && isa::word(word.id).unrelaxed;
         });
}

/// Returns whether the operand is a fragment whose elements ptxas keeps in 32-bit words.
bool OperandJudge::inWords() const {
  return fixedWord() || (has(isa::SpecialAllowed) && fixedInteger() && !has(isa::Fragment));
}

/// Returns the word of the type, or 0 if it is not written or has another meaning here.
isa::WordId OperandJudge::typeWord() const {
  if (has(isa::Fragment) || declared.type.factor > 1 || declared.type.divisor > 1)
    return 0;
  if (declared.type.kind == isa::RefKind::Slot)
    return view.word(declared.type.index);
  return declared.type.kind == isa::RefKind::Word ? declared.type.index : 0;
}

std::string OperandJudge::typeText() const {
  if (const WordId word = typeWord())
    return std::string(isa::word(word).text());
  return type ? spell(type) : "any type";
}

/// Judges a sign. Registers, constants and predicates may have one, but other operands may not.
bool OperandJudge::judgeSign(const Shape &shape, unsigned node) {
  switch (shape.kind) {
  case ShapeKind::Sink:
  case ShapeKind::Label:
  case ShapeKind::Variable:
  case ShapeKind::Function:
  case ShapeKind::Prototype:
    if (shape.flags & ShapeNot)
      return fail(DiagId::UnexpectedNot, node);
    return !(shape.flags & ShapeNegated) || fail(DiagId::UnexpectedNegation, node);
  default: return true;
  }
}

void OperandJudge::judge() {
  const unsigned node = view.nodeOf[index];
  const Shape &shape = view.written.shapes[node];
  if (shape.kind == ShapeKind::Unknown || !judgeSign(shape, node))
    return;
  if (shape.kind == ShapeKind::List && declared.role != OperandRole::List)
    return; // arguments of a call are checked against the callee
  judgeBrackets(node);
  if (isElement()) { // the vector is judged as a whole
    judgeRange(shape, node);
    return;
  }
  switch (declared.role) {
  case OperandRole::Address: return judgeAddress(shape, node);
  case OperandRole::Texture:
  case OperandRole::Sampler:
  case OperandRole::Surface: return judgeOpaque(shape, node);
  case OperandRole::Label:
    if (shape.kind != ShapeKind::Label || shape.flags || shape.suffix)
      fail(DiagId::LabelExpected, node);
    return;
  case OperandRole::Function:
    if (shape.kind != ShapeKind::Function)
      fail(DiagId::FunctionExpected, node);
    return;
  case OperandRole::List:
    if (shape.kind != ShapeKind::List)
      fail(DiagId::OperandKind, node);
    return;
  case OperandRole::Symbol: {
    // The variable is an array of function addresses.
    const bool addresses = has(isa::SymbolAllowed) && shape.kind == ShapeKind::Variable && (shape.flags & ShapeArray) &&
                           viewType(shape.type).kind == TypeKind::Unsigned && viewType(shape.type).bits != 16;
    if (!addresses && shape.kind != ShapeKind::Function && shape.kind != ShapeKind::Prototype) {
      fail(DiagId::OperandKind, node);
      if (shape.kind == ShapeKind::Vector)
        judgement.findings.back().notes.push_back(
            "the list has a name, which is the operand: `name: .branchtargets A, B;`");
    }
    return;
  }
  case OperandRole::Value:
  case OperandRole::Register:
  case OperandRole::Immediate:
  case OperandRole::Predicate: break;
  }
  if (shape.kind == ShapeKind::Vector)
    return judgeVector(shape, node);
  if (shape.kind == ShapeKind::Sink && has(isa::SinkAllowed) && has(isa::Destination))
    return;
  const auto wanted = view.lengths(index);
  if ((has(isa::Vec) && !shape.vector) || (!wanted.empty() && !lengthFits(view, index, wanted))) {
    if (!wanted.empty())
      reportLength(view, index, wanted, 0, judgement);
    else if (!alreadyReported(DiagId::VectorExpected, node))
      fail(DiagId::VectorExpected, node, "2 or more");
    return;
  }
  judgeScalar(shape, node, false);
}

bool OperandJudge::judgeRegister(TypeView reg, unsigned node, bool inVector) {
  if (declared.role == OperandRole::Immediate)
    return fail(DiagId::ConstantExpected, node);
  // A destination without a type must be `_`.
  if (!type && has(isa::Destination)) {
    fail(DiagId::OperandKind, node);
    judgement.findings.back().notes.push_back("expected `_`: there is no result here");
    return false;
  }
  if (!type)
    return reg.kind != TypeKind::Predicate || fail(DiagId::OperandType, node, spell(reg), typeText());
  if (has(isa::Exact) && !has(isa::Each)) {
    if (reg == type || (inVector && reg == TypeView{TypeKind::Bits, type.bits}))
      return true;
    return fail(DiagId::OperandType, node, spell(reg), typeText());
  }
  const bool asBits = inVector && !(has(isa::Fragment) && type.bits == 32);
  const bool wider = wide() && !(inVector && has(isa::Each));
  if (typesAgree(type, reg, wider, asBits) && !(reg.halfPair && fixedInteger()))
    return true;
  if (type.kind == TypeKind::Predicate)
    return fail(DiagId::PredicateExpected, node, spell(reg));
  return failRegister(reg, node);
}

bool OperandJudge::failRegister(TypeView reg, unsigned node) {
  const bool size = reg.bits != type.bits && reg.kind != TypeKind::Predicate;
  return fail(size ? IdTakingTexts<3>(DiagId::OperandSize) : DiagId::OperandType, node, spell(reg), typeText());
}

/// Judges the directive that ptxas requires for a special register that is moved into another register.
void OperandJudge::judgeDirective(const Shape &reg, unsigned node, bool isMoved) {
  if (!(reg.flags & ShapeLacking))
    return;
  const int16_t needed = isa::specialRegisters()[reg.value].needs;
  const std::string directive = "`" + std::string(isa::tables().directives[needed].name()) + "`";
  if (isMoved)
    fail(DiagId::DirectiveMissing, node, directive);
  else
    warn(DiagId::DirectiveMissing, node, directive);
}

bool OperandJudge::isSecondOfPair(unsigned node) const {
  const auto &shapes = view.written.shapes;
  return llvm::any_of(llvm::seq<unsigned>(0, node), [&](unsigned n) {
    return shapes[n].kind == ShapeKind::Pair && n + 1 + shapes[n + 1].extent == node;
  });
}

/// Judges a special register. Special registers are integers, except for one predicate, and must have the operand's
/// size, or a greater size if registers may be wider too.
bool OperandJudge::judgeSpecial(const Shape &shape, unsigned node, bool inVector) {
  if (!has(isa::SpecialAllowed))
    return fail(DiagId::SpecialRegister, node);
  const TypeView reg = viewType(shape.type);
  judgeDirective(shape, node, true);
  if (shape.vector && (inVector || view.lengths(index).empty())) {
    fail(DiagId::UnexpectedVector, node);
    judgement.findings.back().notes.push_back("its components are single values: `.x`, `.y`, `.z`");
    return false;
  }
  if (shape.vector &&
      (has(isa::Fragment) || declared.type.kind != isa::RefKind::Slot)) // a whole one is only allowed in `mov`
    return fail(DiagId::SpecialRegister, node);
  if (isPredicate() || reg.kind == TypeKind::Predicate)
    return isPredicate() == (reg.kind == TypeKind::Predicate) ||
           (isPredicate() ? fail(DiagId::PredicateExpected, node, spell(reg))
                          : fail(DiagId::OperandType, node, spell(reg), typeText()));
  const bool narrow = (shape.flags & ShapeNarrow) && type.bits >= 16 && declared.type.kind == isa::RefKind::Slot &&
                      declared.type.divisor == 1;
  if (!type || typesAgree(type, {TypeKind::Bits, reg.bits}, wide() || narrow, false))
    return true;
  return fail(DiagId::OperandSize, node, spell(reg), typeText());
}

/// Judges `a+8` as a value. For ptxas, the offset of a variable is an integer. A register may have any size if a
/// qualifier determines the type.
bool OperandJudge::judgeOffset(const Shape &shape, unsigned node, bool inVector) {
  if (has(isa::Destination))
    return fail(DiagId::DestinationRegister, node);
  if (inVector || declared.role == OperandRole::Immediate)
    return fail(DiagId::UnexpectedOffset, node);
  const bool slot = declared.type.kind == isa::RefKind::Slot;
  const bool chosen = slot && (!type.narrow || has(isa::Wide));
  const bool predicate = isPredicate();
  const bool symbol = shape.kind == ShapeKind::Variable || shape.kind == ShapeKind::Function;
  if (!symbol || !has(isa::SymbolAllowed))
    fail(DiagId::ValueOffset, node);
  if (shape.flags & ShapeNegated)
    return fail(DiagId::UnexpectedNegation, node);
  if (shape.flags & ShapeNot)
    return fail(DiagId::UnexpectedOffset, node);
  TypeView reg = viewType(shape.type);
  switch (shape.kind) {
  case ShapeKind::Function: return (slot && !type.narrow) || fail(DiagId::SymbolNotAllowed, node);
  case ShapeKind::Variable:
    return (mayBeInteger(type) && !predicate && !has(isa::Exact) && (chosen || type.bits == 32)) ||
           fail(DiagId::SymbolNotAllowed, node);
  case ShapeKind::Special:
    if (isa::specialRegisters()[shape.value].vector)
      return fail(DiagId::UnexpectedOffset, node);
    judgeDirective(shape, node, false);
    if (reg.kind != TypeKind::Predicate)
      reg.kind = TypeKind::Bits;
    break;
  case ShapeKind::Register:
    if (shape.vector || shape.suffix)
      return fail(DiagId::UnexpectedOffset, node);
    break;
  default: return fail(DiagId::OperandKind, node);
  }
  if (predicate)
    return holdsPredicate(reg) || fail(DiagId::PredicateExpected, node, spell(reg));
  if (has(isa::AsBits) && reg.kind == TypeKind::Predicate)
    return true;
  if (chosen && reg.kind != TypeKind::Predicate)
    reg.bits = type.bits;
  return judgeRegister(reg, node, false);
}

bool OperandJudge::judgeRange(const Shape &shape, unsigned node) {
  const auto allowed = view.ranges(index);
  if (!isNumber(shape) || allowed.empty() || inRanges(allowed, shape.value))
    return true;
  if (alreadyReported(DiagId::ImmediateValue, node))
    return false;
  reportRange(Phase::Type, FindingPlace::at(FindingPlace::Operand, node), allowed, shape.value, judgement);
  return false;
}

/// Judges a leading `!`.
bool OperandJudge::judgeNot(const Shape &shape, unsigned node, bool inVector) {
  if (!(shape.flags & ShapeNot))
    return true;
  const bool asBits = has(isa::AsBits) && shape.kind == ShapeKind::Register && !inVector;
  if ((!isPredicate() && !asBits) || has(isa::Destination))
    return fail(DiagId::UnexpectedNot, node);
  const bool named = shape.kind == ShapeKind::Register || shape.kind == ShapeKind::Special;
  const bool constant = shape.kind == ShapeKind::Integer;
  return constant || (named && viewType(shape.type).kind == TypeKind::Predicate) ||
         fail(DiagId::NotOfNoPredicate, node);
}

bool OperandJudge::judgeSink(unsigned node, bool inVector) {
  const bool destination = has(isa::Destination);
  if (inVector && has(isa::NoSinks))
    return fail(DiagId::SinkNotAllowed, node);
  return (destination && inVector) || (has(isa::SinkAllowed) && (destination || inVector)) ||
         fail(destination ? IdTakingTexts<1>(DiagId::SinkNotAllowed) : DiagId::SinkAsSource, node);
}

bool OperandJudge::judgeNamedRegister(const Shape &shape, unsigned node, bool inVector) {
  if (shape.vector && (inVector || (view.lengths(index).empty() && !has(isa::Vec))))
    return fail(DiagId::UnexpectedVector, node);
  const TypeView reg = viewType(shape.type);
  if (isPredicate())
    return (holdsPredicate(reg) && !(shape.flags & ShapeNegated)) ||
           (holdsPredicate(reg) ? fail(DiagId::UnexpectedNegation, node)
                                : fail(DiagId::PredicateExpected, node, spell(reg)));
  if ((shape.flags & ShapeNegated) && (!view.mayNegate(index) || reg.halfPair))
    return fail(DiagId::UnexpectedNegation, node);
  if (has(isa::AsBits) && reg.kind == TypeKind::Predicate) {
    fail(DiagId::OperandAsBits, node, typeText());
    return true;
  }
  return judgeRegister(reg, node, inVector);
}

bool OperandJudge::judgeConstant(const Shape &shape, unsigned node, bool inVector) {
  const bool isFloat = shape.kind == ShapeKind::Float;
  if (has(isa::Destination))
    return fail(DiagId::DestinationRegister, node);
  if (has(isa::AsBits) && isFloat && isSingle(shape)) {
    fail(DiagId::OperandAsBits, node, typeText());
    return true;
  }
  if (declared.role == OperandRole::Register)
    return fail(DiagId::RegisterRequired, node);
  if (isPredicate() && isFloat)
    return fail(DiagId::PredicateExpected, node, "a floating-point constant");
  if (type && !immediateAgrees(type, shape, inVector)) {
    fail(isFloat ? IdTakingTexts<2>(DiagId::FloatImmediate) : DiagId::ImmediateType, node, typeText());
    if (!isFloat && type.kind == TypeKind::Float)
      judgement.findings.back().remedy = {Remedy::MakeFloat, type.bits, ""};
    if (isFloat && type.kind == TypeKind::Float && type.bits < 32)
      judgement.findings.back().notes.push_back(
          "floating-point constants of that size do not exist: move the bits to a register");
    return false;
  }
  if (!judgeRange(shape, node))
    return false;
  if (!inVector && declared.role == OperandRole::Value)
    judgeSize(shape, node);
  return true;
}

/// Judges the size of a constant. If an integer is too large, ptxas uses its lower bits; if a float is too large, it
/// uses infinity.
void OperandJudge::judgeSize(const Shape &constant, unsigned node) {
  const bool isFloat = constant.kind == ShapeKind::Float;
  const bool isTruncated = isFloat ? type == TypeView{TypeKind::Float, 32} && constant.flags & ShapeBeyond32
                                   : mayBeInteger(type) && isNumber(constant) && !fitsInto(type.bits, constant.value);
  if (!isTruncated)
    return;
  warn(DiagId::TruncatedConstant, node, type.bits);
  judgement.findings.back().notes.push_back(isFloat ? "ptxas turns it into infinity" : "ptxas keeps its lower bits");
}

/// Judges a variable, function or label whose address is used as a value.
bool OperandJudge::judgeSymbol(const Shape &shape, unsigned node, bool inVector) {
  if (has(isa::Destination))
    return fail(DiagId::DestinationRegister, node);
  if (has(isa::SymbolAllowed) && hasAddress(shape)) {
    const isa::ExprId ofReturn = isa::feature(isa::FeatureId::ReturnAddress).gate;
    return !(shape.flags & ShapeReturn) || view.written.availability.holds(ofReturn) ||
           fail(DiagId::OperandRequires, node, gateText(ofReturn));
  }
  // If a qualifier determines the type, ptxas accepts the address of a function for any type.
  if (shape.kind == ShapeKind::Function && declared.role == OperandRole::Value &&
      declared.type.kind == isa::RefKind::Slot && !type.narrow && !inVector && !shape.suffix) {
    fail(DiagId::FunctionAsValue, node);
    return true;
  }
  return fail(DiagId::SymbolNotAllowed, node);
}

bool OperandJudge::judgeScalar(const Shape &shape, unsigned node, bool inVector) {
  if (shape.kind == ShapeKind::Unknown)
    return true;
  if (!judgeSign(shape, node) || !judgeNot(shape, node, inVector))
    return false;
  if (shape.suffix && view.slotAt.end() == llvm::find(view.slotAt, -1 - static_cast<int>(node)))
    return fail(DiagId::UnexpectedSelector, node);
  if (shape.flags & ShapeSubscript && !(has(isa::SymbolAllowed) && shape.kind == ShapeKind::Variable))
    return fail(DiagId::UnexpectedSubscript, node);
  if (shape.flags & ShapeOffset && !(has(isa::SymbolAllowed) && hasAddress(shape)))
    return judgeOffset(shape, node, inVector);
  switch (shape.kind) {
  case ShapeKind::Sink: return judgeSink(node, inVector);
  case ShapeKind::Register: return judgeNamedRegister(shape, node, inVector);
  case ShapeKind::Special:
    if (has(isa::Destination)) // ptxas does not check whether a second one can be written
      return isPredicate() && viewType(shape.type).kind == TypeKind::Predicate && isSecondOfPair(node)
                 ? warn(DiagId::DestinationRegister, node)
                 : fail(DiagId::DestinationRegister, node);
    if (shape.flags & ShapeNegated)
      return fail(DiagId::UnexpectedNegation, node);
    return judgeSpecial(shape, node, inVector);
  case ShapeKind::Integer:
  case ShapeKind::Float: return judgeConstant(shape, node, inVector);
  case ShapeKind::Variable:
  case ShapeKind::Function:
  case ShapeKind::Label: return judgeSymbol(shape, node, inVector);
  default: return fail(DiagId::OperandKind, node);
  }
}

/// Judges pairs. ptxas does not accept `_|_` as a pair.
static void judgePairs(const FormView &view, Judgement &judgement) {
  const auto &shapes = view.written.shapes;
  for (uint16_t n = 0; n + 2u < shapes.size(); ++n)
    if (shapes[n].kind == ShapeKind::Pair && shapes[n + 1].kind == ShapeKind::Sink &&
        shapes[n + 2].kind == ShapeKind::Sink) {
      judgement.report(Phase::Type, DiagId::SinkNotAllowed, FindingPlace::at(FindingPlace::Operand, n + 2), textThere);
    }
}

void judgeOperands(const FormView &view, Judgement &judgement) {
  for (unsigned i = 0; i < view.operands.size(); ++i)
    if (view.nodeOf[i] >= 0)
      OperandJudge(view, i, judgement).judge();
  const auto patterns = isa::run(isa::tables().patterns, view.form().patterns);
  for (unsigned p = 0; p < patterns.size(); ++p)
    if (patterns[p].kind == isa::PatternKind::Vector)
      if (const int first = view.nodeOf[patterns[p + 1].operand]; first > 0)
        OperandJudge(view, patterns[p + 1].operand, judgement).judgeElements(view.written.shapes[first - 1], first - 1);
  judgePairs(view, judgement);
}

} // namespace ptxray
