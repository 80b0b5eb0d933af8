// Whether each operand is what the form asks for: kind, type, length, value, address.
#include "Check/FormView.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::OperandDecl;
using isa::OperandRole;
using isa::TypeKind;
using isa::WordId;

namespace {

class OperandJudge {
public:
  OperandJudge(FormView &view, unsigned index)
      : view(view), index(index), declared(view.operands[index]), type(view.typeOf(index)),
        name(declared.name) {}

  void judge();
  /// The vector at the node, or the one whose first element this operand is.
  void judgeElements(const Shape &shape, unsigned node);

private:
  void judgeVector(const Shape &shape, unsigned node);
  bool fitsAlone(const Shape &element, TypeView elementType) const;
  void judgeFold(const VectorFold &fold, unsigned node);
  bool judgeScalar(const Shape &shape, unsigned node, bool inVector);
  bool judgeSign(const Shape &shape, unsigned node);
  bool judgeRegister(TypeView reg, unsigned node, bool inVector);
  bool judgeSpecial(const Shape &shape, unsigned node, bool inVector);
  bool judgeOffset(const Shape &shape, unsigned node, bool inVector);
  bool judgeRange(const Shape &shape, unsigned node);
  void judgeAddress(const Shape &shape, unsigned node);
  void judgeOpaque(const Shape &shape, unsigned node);
  bool isBracketed(unsigned node) const;

  bool has(isa::OperandRule rule) const { return declared.rules & rule; }
  bool isPredicate() const { return declared.role == OperandRole::Predicate || type.kind == TypeKind::Predicate; }
  /// Where `.pred` is the word of a type, ptxas takes a register of .f16x2 too.
  bool holdsPredicate(TypeView reg) const { return reg.kind == TypeKind::Predicate || (type && reg.halfPair); }
  bool wide() const;
  bool isElement() const;
  bool fixedInteger() const;
  bool fixedWord() const;
  bool inWords() const;
  bool isVectorConstant(const VectorFold &fold) const;
  /// By a table or condition.
  bool isTold(DiagId id, unsigned node) const {
    const Place place{Place::Operand, static_cast<uint16_t>(node)};
    return llvm::any_of(view.findings, [&](const Finding &f) { return f.id == id && f.place == place; });
  }
  llvm::ArrayRef<isa::Term> lengths() const;
  llvm::ArrayRef<isa::ValueRange> ranges() const;
  isa::WordId typeWord() const;
  std::string typeText() const;

  /// A finding about the text at the node; returns false for the caller to hand on.
  bool fail(DiagId id, unsigned node, std::initializer_list<std::string> more = {}) {
    Finding &f = view.report(Phase::Type, id, {Place::Operand, static_cast<uint16_t>(node)});
    f.args.push_back("");
    f.args.append(more.begin(), more.end());
    f.sourceArg = 0;
    return false;
  }

  FormView &view;
  const unsigned index;
  const OperandDecl &declared;
  const TypeView type;
  const std::string name;
};

} // namespace

llvm::ArrayRef<isa::Term> OperandJudge::lengths() const {
  const isa::Tables &t = isa::tables();
  if (view.lengthCell[index] >= 0) {
    const isa::Cell &cell = t.cells[view.lengthCell[index]];
    return t.terms.slice(cell.first, cell.count);
  }
  return isa::run(t.terms, declared.lengths);
}

llvm::ArrayRef<isa::ValueRange> OperandJudge::ranges() const {
  const isa::Tables &t = isa::tables();
  if (view.valuesCell[index] >= 0) {
    const isa::Cell &cell = t.cells[view.valuesCell[index]];
    return t.ranges.slice(cell.first, cell.count);
  }
  return isa::run(t.ranges, declared.ranges);
}

/// Of a type that no qualifier chooses (a count, a mask, a distance), or a fragment of integers. ptxas takes
/// no .f16x2 there.
bool OperandJudge::fixedInteger() const {
  return (declared.type.kind == isa::RefKind::Word || has(isa::Fragment)) &&
         (type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed);
}

/// 32 bits whatever the qualifiers say.
bool OperandJudge::fixedWord() const {
  return type == TypeView{TypeKind::Bits, 32} &&
         (declared.type.kind == isa::RefKind::Word || has(isa::Fragment));
}

bool OperandJudge::wide() const {
  return has(isa::Wide) && llvm::none_of(view.written.opcode.words, [](const OpcodeWord &word) {
           return word.id && isa::word(word.id).exact;
         });
}

/// A fragment, whose elements ptxas keeps in words.
bool OperandJudge::inWords() const {
  return fixedWord() || (has(isa::SpecialAllowed) && fixedInteger() && !has(isa::Fragment));
}

/// As the type is written; 0: it is not, or means another one here.
isa::WordId OperandJudge::typeWord() const {
  if (has(isa::Fragment) || declared.type.factor > 1)
    return 0;
  if (declared.type.kind == isa::RefKind::Slot)
    return view.word(declared.type.index);
  return declared.type.kind == isa::RefKind::Word ? declared.type.index : 0;
}

std::string OperandJudge::typeText() const {
  if (const WordId word = typeWord())
    return std::string(isa::word(word).text);
  return type ? spell(type) : "any type";
}

/// Registers, constants and predicates may have a sign; the others never.
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
  default:
    return true;
  }
}

void OperandJudge::judge() {
  const unsigned node = view.nodeOf[index];
  const Shape &shape = view.written.shapes[node];
  if (shape.kind == ShapeKind::Unknown || !judgeSign(shape, node))
    return;
  if (shape.kind == ShapeKind::List && declared.role != OperandRole::List)
    return; // the arguments of a call: the callee says which fit
  if (isElement()) { // the vector is judged as a whole
    judgeRange(shape, node);
    return;
  }
  switch (declared.role) {
  case OperandRole::Address:
    return judgeAddress(shape, node);
  case OperandRole::Texture:
  case OperandRole::Sampler:
  case OperandRole::Surface:
    return judgeOpaque(shape, node);
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
    // A variable is an array of the addresses of functions.
    const bool addresses = has(isa::SymbolAllowed) && shape.kind == ShapeKind::Variable && (shape.flags & ShapeArray) &&
                           viewType(shape.type).kind == TypeKind::Unsigned && viewType(shape.type).bits != 16;
    if (!addresses && shape.kind != ShapeKind::Function && shape.kind != ShapeKind::Prototype)
      fail(DiagId::OperandKind, node);
    return;
  }
  case OperandRole::Value:
  case OperandRole::Register:
  case OperandRole::Immediate:
  case OperandRole::Predicate:
    break;
  }
  if (shape.kind == ShapeKind::Vector)
    return judgeVector(shape, node);
  if (shape.kind == ShapeKind::Sink && has(isa::SinkAllowed) && has(isa::Destination))
    return;
  const auto wanted = lengths();
  if ((has(isa::Vec) && !shape.vector) || (!wanted.empty() && !lengthFits(view, index, wanted))) {
    if (!wanted.empty())
      reportLength(view, index, wanted, 0);
    else if (!isTold(DiagId::VectorExpected, node))
      fail(DiagId::VectorExpected, node, {name, "elements"});
    return;
  }
  judgeScalar(shape, node, false);
}

/// With bits, which may be one.
static bool mayBeInteger(TypeView type) {
  return type.kind == TypeKind::Bits || type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed;
}

static bool isConstant(const Shape &shape) { return shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float; }

static TypeView typeOfConstant(const Shape &shape) {
  if (shape.kind == ShapeKind::Integer)
    return {TypeKind::Signed, 64};
  return {TypeKind::Float, static_cast<uint16_t>(isSingle(shape) ? 32 : 64)};
}

void OperandJudge::judgeVector(const Shape &shape, unsigned node) {
  const auto wanted = lengths();
  if (wanted.empty() && !has(isa::Vec)) {
    if (isTold(DiagId::VectorLength, node))
      return;
    fail(DiagId::UnexpectedVector, node, {name});
    const auto elements = llvm::ArrayRef(view.written.shapes).slice(node + 1, shape.extent - 1);
    const bool isBits = llvm::all_of(elements, [&](const Shape &element) {
      return element.kind == ShapeKind::Register && viewType(element.type) == TypeView{TypeKind::Bits, type.bits};
    });
    if (const isa::ExprId refused = isa::word(typeWord()).scalarGate; refused && isBits)
      view.findings.back().notes.push_back(releaseNote(ptxasRelease(refused)));
    return;
  }
  if (!wanted.empty() && !lengthFits(view, index, wanted))
    return reportLength(view, index, wanted, 0);
  judgeElements(shape, node);
}

/// Of a vector whose elements ptxas takes one by one: whether this one would do as a word, or as what is asked for.
bool OperandJudge::fitsAlone(const Shape &element, TypeView elementType) const {
  if (elementType.kind == TypeKind::Predicate)
    return false;
  const bool word = type.bits == 32 && !has(isa::Exact);
  if (isConstant(element))
    return has(isa::Argument) || immediateAgrees(word ? TypeView{TypeKind::Bits, 32} : type, element, false);
  return !has(isa::Exact) || elementType == type || elementType == TypeView{TypeKind::Bits, type.bits};
}

void OperandJudge::judgeElements(const Shape &shape, unsigned node) {
  const auto &shapes = view.written.shapes;
  VectorFold fold;
  bool onlySinks = true;
  const auto elements = llvm::ArrayRef(shapes).slice(node + 1, shape.extent - 1);
  const bool hasConstant = has(isa::Zeros) || llvm::any_of(elements, isConstant);
  for (unsigned n = node + 1; n < node + shape.extent; n += shapes[n].extent) {
    const Shape &element = shapes[n];
    onlySinks &= element.kind == ShapeKind::Sink;
    if (element.flags & ShapeComponent && hasConstant) { // ptxas makes no vector of these
      fail(DiagId::VectorElements, n, {name});
      return;
    }
    TypeView elementType;
    switch (element.kind) {
    case ShapeKind::Unknown:
      continue;
    case ShapeKind::Vector:
    case ShapeKind::Address:
    case ShapeKind::Pair:
    case ShapeKind::List:
      fail(DiagId::VectorElements, n, {name});
      return;
    case ShapeKind::Register:
      if (element.suffix || element.vector || (element.flags & (ShapeNegated | ShapeNot | ShapeOffset))) {
        judgeScalar(element, n, true);
        return;
      }
      elementType = viewType(element.type);
      break;
    case ShapeKind::Special: // ptxas reads these as registers, and does not ask whether one can be written
      if (!element.vector && !element.suffix && declared.role != OperandRole::Predicate)
        elementType = viewType(element.type);
      if (elementType && elementType.kind != TypeKind::Predicate)
        elementType.kind = TypeKind::Bits;
      break;
    case ShapeKind::Variable:
      if (!element.suffix && !(element.flags & ~(ShapeParameter | ShapeReturn)))
        elementType = viewType(element.type);
      break;
    case ShapeKind::Integer:
    case ShapeKind::Float:
      elementType = typeOfConstant(element);
      break;
    default:
      break;
    }
    const bool constant = isConstant(element);
    const bool named = element.kind == ShapeKind::Variable || element.kind == ShapeKind::Special;
    if (named && has(isa::NoSpecial) && !has(isa::SpecialAllowed))
      elementType = {};
    if (elementType && has(isa::NoSpecial) && !fitsAlone(element, elementType)) {
      if (constant)
        fail(element.kind == ShapeKind::Float ? DiagId::FloatImmediate : DiagId::ImmediateType, n, {typeText()});
      else
        fail(DiagId::OperandType, n, {spell(elementType), typeText()});
      return;
    }
    // The first coordinate of an array is its index: the others need not go with it.
    const bool isIndex = has(isa::IndexAllowed) && n == node + 1;
    if (isIndex && element.kind != ShapeKind::Integer && !(mayBeInteger(elementType) && elementType.bits == 32)) {
      fail(DiagId::ArrayIndex, n);
      return;
    }
    if (!elementType || declared.role == OperandRole::Immediate ||
        (constant && ((declared.role == OperandRole::Register && !has(isa::AsBits)) || has(isa::Destination)))) {
      if (!judgeScalar(element, n, true))
        return;
      continue;
    }
    if (!fold.add(elementType, constant, isIndex)) {
      fail(fold.sizesDiffer(elementType, constant) ? DiagId::VectorElementSizes : DiagId::VectorElements, n, {name});
      return;
    }
    if (named && !(element.kind == ShapeKind::Special && has(isa::SpecialAllowed)))
      fail(DiagId::VectorElementName, n, {name});
    if (!constant)
      continue;
    // A constant in front makes it a vector of constants for ptxas, which 16 bits do not take.
    if (n == node + 1 && !has(isa::Fragment) && !has(isa::SpecialAllowed) &&
        (type.kind == TypeKind::Packed || (type.kind == TypeKind::Float && type.bits == 16 &&
                                           elementType.kind == TypeKind::Float))) {
      fail(DiagId::ImmediateType, n, {typeText()});
      return;
    }
    if (!isElement() && !judgeRange(element, n))
      return;
  }
  Shape zero;
  zero.kind = ShapeKind::Integer;
  if (has(isa::Zeros) && !fold.add(typeOfConstant(zero), true))
    fail(DiagId::VectorElements, node, {name});
  else if (fold.type && declared.role != OperandRole::Immediate)
    judgeFold(fold, node);
  if (has(isa::Destination) && onlySinks)
    fail(DiagId::VectorOfSinks, node);
}

/// Whether ptxas takes a vector that a constant begins for a constant, of which no size counts.
bool OperandJudge::isVectorConstant(const VectorFold &fold) const {
  const bool integers = fold.first.kind == TypeKind::Signed;
  const bool chosen = declared.type.kind == isa::RefKind::Slot;
  switch (type.kind) {
  case TypeKind::Bits:
    return integers && chosen && !has(isa::Fragment);
  case TypeKind::Unsigned:
  case TypeKind::Signed:
    return integers && !inWords() && (chosen || !has(isa::Fragment) || fold.onlyConstants);
  case TypeKind::Float:
    if (has(isa::Fragment) && type.bits == 32)
      return !integers && !chosen;
    return !integers || fold.type.kind == TypeKind::Bits;
  default:
    return false;
  }
}

/// Whether what the elements are together is what the operand asks for.
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
    fail(fold.first.kind == TypeKind::Signed ? DiagId::ImmediateType : DiagId::FloatImmediate, node + 1, {typeText()});
  else
    fail(whole.bits == type.bits ? DiagId::OperandType : DiagId::OperandSize, node, {spell(whole), typeText()});
}

/// Does the form give each element of the vector that this one stands in a name of its own?
bool OperandJudge::isElement() const {
  const auto patterns = isa::run(isa::tables().patterns, view.form.patterns);
  for (unsigned p = 0; p < patterns.size(); ++p)
    if (patterns[p].kind == isa::PatternKind::Vector)
      for (unsigned inner = p + 1; inner < p + patterns[p].extent; ++inner)
        if (patterns[inner].kind == isa::PatternKind::Operand && patterns[inner].operand == index)
          return true;
  return false;
}

bool OperandJudge::judgeRegister(TypeView reg, unsigned node, bool inVector) {
  if (declared.role == OperandRole::Immediate)
    return fail(DiagId::ConstantExpected, node, {name});
  // A destination without a type is the sink itself.
  if (!type && has(isa::Destination))
    return fail(DiagId::OperandKind, node);
  if (!type)
    return reg.kind != TypeKind::Predicate || fail(DiagId::OperandType, node, {spell(reg), typeText()});
  if (has(isa::Exact)) {
    if (reg == type || (inVector && reg == TypeView{TypeKind::Bits, type.bits}))
      return true;
    return fail(DiagId::OperandType, node, {spell(reg), typeText()});
  }
  if (has(isa::Typed) && reg.kind == TypeKind::Bits)
    return fail(DiagId::OperandType, node, {spell(reg), typeText()});
  const bool asBits = inVector && !(has(isa::Fragment) && type.bits == 32);
  // There is no conversion but from integers to integers that would do without rounding.
  const bool converts = !has(isa::Converted) || reg.bits <= type.bits ||
                        (mayBeInteger(type) && mayBeInteger(reg) && reg.bits <= 64);
  if (typesAgree(type, reg, wide(), asBits) && !(reg.halfPair && fixedInteger()) && converts)
    return true;
  if (type.kind == TypeKind::Predicate)
    return fail(DiagId::PredicateExpected, node, {name});
  const bool size = reg.bits != type.bits && reg.kind != TypeKind::Predicate;
  const DiagId id = size ? DiagId::OperandSize : DiagId::OperandType;
  return fail(id, node, {spell(reg), typeText()});
}

/// Special registers are integers (one is a predicate) of exactly the operand's size, or of a greater
/// one where registers may be wider too.
bool OperandJudge::judgeSpecial(const Shape &shape, unsigned node, bool inVector) {
  if (!has(isa::SpecialAllowed))
    return fail(DiagId::SpecialRegister, node);
  const TypeView reg = viewType(shape.type);
  if (shape.vector && (inVector || lengths().empty()))
    return fail(DiagId::UnexpectedVector, node, {name});
  if (isPredicate() || reg.kind == TypeKind::Predicate)
    return isPredicate() == (reg.kind == TypeKind::Predicate) ||
           fail(DiagId::PredicateExpected, node, {name});
  const bool narrow = (shape.flags & ShapeNarrow) && type.bits >= 16 && declared.type.kind == isa::RefKind::Slot;
  if (!type || typesAgree(type, {TypeKind::Bits, reg.bits}, wide() || narrow, false))
    return true;
  return fail(DiagId::OperandSize, node, {spell(reg), typeText()});
}

/// Opaque variables have handles instead, parameters of a call and labels have none.
static bool hasAddress(const Shape &shape) {
  if (shape.kind == ShapeKind::Variable)
    return !(shape.flags & ShapeOpaque) &&
           (shape.space != isa::findWord(".param") || (shape.flags & (ShapeParameter | ShapeReturn)));
  return shape.kind == ShapeKind::Function;
}

/// `a+8` as a value. Of a variable it is an integer for ptxas; a register has any size where a qualifier chooses the type.
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
  TypeView reg = viewType(shape.type);
  switch (shape.kind) {
  case ShapeKind::Function:
    return (slot && !type.narrow) || fail(DiagId::SymbolNotAllowed, node);
  case ShapeKind::Variable:
    return (mayBeInteger(type) && !predicate && !has(isa::Exact) && (chosen || type.bits == 32)) ||
           fail(DiagId::SymbolNotAllowed, node);
  case ShapeKind::Special:
    if (isa::specialRegisters()[shape.value].vector)
      return fail(DiagId::UnexpectedOffset, node);
    if (has(isa::NoSpecial))
      return fail(DiagId::SpecialRegister, node);
    if (reg.kind != TypeKind::Predicate)
      reg.kind = TypeKind::Bits;
    break;
  case ShapeKind::Register:
    if (shape.vector || shape.suffix)
      return fail(DiagId::UnexpectedOffset, node);
    break;
  default:
    return fail(DiagId::OperandKind, node);
  }
  if (predicate)
    return holdsPredicate(reg) || fail(DiagId::PredicateExpected, node, {name});
  if (has(isa::AsBits) && reg.kind == TypeKind::Predicate)
    return true;
  if (chosen && reg.kind != TypeKind::Predicate)
    reg.bits = type.bits;
  return judgeRegister(reg, node, false);
}

bool OperandJudge::judgeRange(const Shape &shape, unsigned node) {
  const auto allowed = ranges();
  auto fits = [&](int64_t value) {
    return llvm::any_of(allowed, [&](const isa::ValueRange &r) { return inRange(r, value); });
  };
  if (shape.kind != ShapeKind::Integer || allowed.empty() || fits(shape.value))
    return true;
  if (isTold(DiagId::ImmediateRange, node))
    return false;
  const bool wraps = has(isa::Wraps) && fits(shape.value & ((int64_t(1) << type.bits) - 1));
  Finding &f = reportRange(view, wraps ? Phase::Warning : Phase::Type, {Place::Operand, static_cast<uint16_t>(node)},
                           allowed, shape.value);
  if (wraps)
    f.severity = Severity::Warning;
  return wraps;
}

bool OperandJudge::judgeScalar(const Shape &shape, unsigned node, bool inVector) {
  const bool destination = has(isa::Destination);
  const bool predicate = isPredicate();
  if (shape.kind == ShapeKind::Unknown)
    return true;
  if (!judgeSign(shape, node))
    return false;
  if (shape.flags & ShapeNot) {
    const bool asBits = has(isa::AsBits) && shape.kind == ShapeKind::Register && !inVector;
    if ((!predicate && !asBits) || destination)
      return fail(DiagId::UnexpectedNot, node);
    const bool named = shape.kind == ShapeKind::Register || shape.kind == ShapeKind::Special;
    const bool constant = shape.kind == ShapeKind::Integer;
    if (!constant && !(named && viewType(shape.type).kind == TypeKind::Predicate))
      return fail(DiagId::NotOfNoPredicate, node);
  }
  if (shape.suffix && view.slotAt.end() == llvm::find(view.slotAt, -1 - static_cast<int>(node)))
    return fail(DiagId::UnexpectedSelector, node);
  if (shape.flags & ShapeSubscript &&
      !(has(isa::SymbolAllowed) && shape.kind == ShapeKind::Variable))
    return fail(DiagId::UnexpectedSubscript, node);
  if (shape.flags & ShapeOffset && !(has(isa::SymbolAllowed) && hasAddress(shape)))
    return judgeOffset(shape, node, inVector);
  switch (shape.kind) {
  case ShapeKind::Sink:
    if (inVector && has(isa::NoSinks))
      return fail(DiagId::SinkNotAllowed, node);
    return (destination && inVector) || (has(isa::SinkAllowed) && (destination || inVector)) ||
           fail(destination ? DiagId::SinkNotAllowed : DiagId::SinkAsSource, node);
  case ShapeKind::Register: {
    if (shape.vector && (inVector || (lengths().empty() && !has(isa::Vec))))
      return fail(DiagId::UnexpectedVector, node, {name});
    const TypeView reg = viewType(shape.type);
    if (predicate)
      return (holdsPredicate(reg) && !(shape.flags & ShapeNegated)) ||
             fail(DiagId::PredicateExpected, node, {name});
    if ((shape.flags & ShapeNegated) && (!view.mayNegate(index) || reg.halfPair))
      return fail(DiagId::UnexpectedNegation, node);
    if (has(isa::AsBits) && reg.kind == TypeKind::Predicate) {
      fail(DiagId::OperandAsBits, node, {name, typeText()});
      return true;
    }
    return judgeRegister(reg, node, inVector);
  }
  case ShapeKind::Special:
    if (destination)
      return fail(DiagId::DestinationRegister, node);
    if (shape.flags & ShapeNegated)
      return fail(DiagId::UnexpectedNegation, node);
    return judgeSpecial(shape, node, inVector);
  case ShapeKind::Integer:
  case ShapeKind::Float:
    if (destination)
      return fail(DiagId::DestinationRegister, node);
    if (has(isa::AsBits) && shape.kind == ShapeKind::Float && isSingle(shape)) {
      fail(DiagId::OperandAsBits, node, {name, typeText()});
      return true;
    }
    if (declared.role == OperandRole::Register ||
        (has(isa::Single) && !(shape.kind == ShapeKind::Float && isSingle(shape))))
      return fail(DiagId::RegisterRequired, node, {name});
    if (predicate && shape.kind != ShapeKind::Integer)
      return fail(DiagId::PredicateExpected, node, {name});
    if (type && (!immediateAgrees(type, shape, inVector) ||
                 (has(isa::Converted) && shape.kind == ShapeKind::Float && typeOfConstant(shape).bits > type.bits)))
      return fail(shape.kind == ShapeKind::Float ? DiagId::FloatImmediate : DiagId::ImmediateType,
                  node, {typeText()});
    return judgeRange(shape, node);
  case ShapeKind::Variable:
  case ShapeKind::Function:
  case ShapeKind::Label:
    if (has(isa::SymbolAllowed) && !destination && hasAddress(shape)) {
      static const isa::ExprId ofReturn = isa::word(isa::findWord(".param::return_address")).gate;
      if ((shape.flags & ShapeReturn) && !view.written.availability.holds(ofReturn))
        return fail(DiagId::OperandRequires, node, {gateText(ofReturn)});
      return true;
    }
    if (destination)
      return fail(DiagId::DestinationRegister, node);
    // Where a qualifier chooses the type, ptxas takes the address of a function for any.
    if (shape.kind == ShapeKind::Function && declared.role == OperandRole::Value && !has(isa::Converted) &&
        declared.type.kind == isa::RefKind::Slot && !type.narrow && !inVector && !shape.suffix) {
      fail(DiagId::FunctionAsValue, node);
      return true;
    }
    return fail(DiagId::SymbolNotAllowed, node);
  default:
    return fail(DiagId::OperandKind, node);
  }
}

void OperandJudge::judgeOpaque(const Shape &shape, unsigned node) {
  const bool handle = shape.kind == ShapeKind::Register && !shape.flags && !shape.suffix &&
                      viewType(shape.type).bits == 64 &&
                      viewType(shape.type).kind != TypeKind::Float;
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
static llvm::StringRef spaceName(WordId word) {
  return llvm::StringRef(isa::word(word).text).split("::").first;
}

bool OperandJudge::isBracketed(unsigned node) const {
  for (unsigned n = 0; n < node; ++n)
    if (const Shape &outer = view.written.shapes[n];
        outer.kind == ShapeKind::Address && n + outer.extent > node)
      return true;
  return false;
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
    else if (shape.vector || shape.suffix || has(isa::NoSpecial) || (type && !has(isa::Wide) && !sameSize) ||
             (has(isa::Converted) && reg.bits < 64))
      fail(DiagId::SpecialRegister, node);
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
    const bool named = isBracketed(node) ? llvm::is_contained(spaces, space)
                                         : !has(isa::BareAllowed) && !(shape.flags & ShapeOffset);
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

void judgeOperands(FormView &view) {
  for (unsigned i = 0; i < view.operands.size(); ++i)
    if (view.nodeOf[i] >= 0)
      OperandJudge(view, i).judge();
  const auto patterns = isa::run(isa::tables().patterns, view.form.patterns);
  for (unsigned p = 0; p < patterns.size(); ++p)
    if (patterns[p].kind == isa::PatternKind::Vector)
      if (const int first = view.nodeOf[patterns[p + 1].operand]; first > 0)
        OperandJudge(view, patterns[p + 1].operand).judgeElements(view.written.shapes[first - 1], first - 1);
  // `_|_` is no pair for ptxas.
  const auto &shapes = view.written.shapes;
  for (uint16_t n = 0; n + 2u < shapes.size(); ++n)
    if (shapes[n].kind == ShapeKind::Pair && shapes[n + 1].kind == ShapeKind::Sink && shapes[n + 2].kind == ShapeKind::Sink) {
      Finding &f = view.report(Phase::Type, DiagId::SinkNotAllowed, {Place::Operand, static_cast<uint16_t>(n + 2)}, {""});
      f.sourceArg = 0;
    }
}

} // namespace ptxray
