#include "Match/FormView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

FormView::FormView(const WrittenInstruction &written, uint32_t form)
    : written(written), formIndex(form), form(isa::tables().forms[form]),
      slots(isa::run(isa::tables().slots, this->form.slots)),
      operands(isa::run(isa::tables().operands, this->form.operands)) {
  slotWord.assign(slots.size(), 0);
  slotAt.assign(slots.size(), 0);
  nodeOf.assign(operands.size(), -1);
  lengthCell.assign(operands.size(), -1);
  valuesCell.assign(operands.size(), -1);
}

Place FormView::placeOfSlot(unsigned slot) const {
  if (!slotWord[slot])
    return {Place::Opcode, 0};
  if (slotAt[slot] < 0)
    return {Place::Suffix, static_cast<uint16_t>(-1 - slotAt[slot])};
  return {Place::Word, static_cast<uint16_t>(slotAt[slot])};
}

Place FormView::placeOfOperand(unsigned index) const {
  if (nodeOf[index] < 0)
    return {Place::Opcode, 0};
  return {Place::Operand, static_cast<uint16_t>(nodeOf[index])};
}

static std::optional<unsigned> findOperand(const FormView &view, llvm::StringRef name) {
  for (unsigned i = 0; i < view.operands.size(); ++i)
    if (name == llvm::StringRef(view.operands[i].name))
      return i;
  return std::nullopt;
}

bool FormView::isWritten(llvm::StringRef operand) const {
  auto index = findOperand(*this, operand);
  return index && nodeOf[*index] >= 0;
}

const Shape *FormView::operand(llvm::StringRef name) const {
  auto index = findOperand(*this, name);
  return index ? operand(*index) : nullptr;
}

Place FormView::placeOfOperand(llvm::StringRef name) const {
  auto index = findOperand(*this, name);
  return index ? placeOfOperand(*index) : Place{Place::Opcode, 0};
}

std::optional<unsigned> FormView::findSlot(llvm::StringRef name) const {
  for (unsigned i = 0; i < slots.size(); ++i)
    if (name == llvm::StringRef(slots[i].name))
      return i;
  return std::nullopt;
}

llvm::StringRef FormView::slotText(llvm::StringRef name) const {
  auto slot = findSlot(name);
  return slot && word(*slot) ? llvm::StringRef(isa::word(word(*slot)).text) : llvm::StringRef();
}

bool FormView::mayNegate(unsigned operand) const {
  return llvm::any_of(isa::run(isa::tables().patterns, form.patterns), [&](const isa::Pattern &p) {
    return p.kind == isa::PatternKind::Operand && p.operand == operand && p.mayNegate;
  });
}

TypeView FormView::typeOf(unsigned operand) const {
  const isa::OperandDecl &declared = operands[operand];
  TypeView type;
  if (declared.type.kind == isa::RefKind::Word)
    type = viewType(declared.type.index);
  else if (declared.type.kind == isa::RefKind::Slot)
    type = viewType(word(declared.type.index));
  if (type && (declared.rules & isa::Fragment))
    type = fragmentType(type);
  type.bits = type.bits * declared.type.factor / declared.type.divisor;
  return type;
}

/// The number behind a letter: `n` of `.m64n8k16` is 8.
static int64_t numberBehind(llvm::StringRef text, char letter) {
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == letter && llvm::isDigit(text[i + 1])) {
      unsigned long long number = 0;
      llvm::StringRef rest = text.drop_front(i + 1);
      rest.consumeInteger(10, number);
      return number;
    }
  return 0;
}

std::optional<int64_t> FormView::value(const isa::Term &term) const {
  int64_t number = term.base;
  if (term.slot >= 0) {
    if (!word(term.slot))
      return std::nullopt;
    const isa::Word &written = isa::word(word(term.slot));
    number = term.letter ? numberBehind(written.text, term.letter) : written.number;
  }
  return number * term.mul / term.div + term.add;
}

Finding &FormView::report(Phase phase, DiagId id, Place place, std::initializer_list<std::string> args) {
  Finding &f = findings.emplace_back();
  f.id = id;
  f.severity = info(id).level;
  f.phase = phase;
  f.place = place;
  f.args.assign(args.begin(), args.end());
  f.form = formIndex;
  ++score[static_cast<unsigned>(f.severity == Severity::Error ? phase : Phase::Warning)];
  return f;
}

llvm::SmallVector<uint16_t, 2> FormView::takeWarnings() { return std::exchange(warnings, {}); }

bool FormView::holds(isa::ExprId condition, Assume assume) {
  using isa::ExprOp;
  if (!condition)
    return true;
  const isa::Tables &t = isa::tables();
  const isa::Expr &e = t.exprs[condition];
  if (e.gateOnly)
    return assume == Assume::GatesHold || written.availability.holds(condition);
  auto listed = [&](isa::WordId word) { return llvm::is_contained(t.wordLists.slice(e.b, e.c), word); };
  auto kind = [&] { return nodeOf[e.a] < 0 ? ShapeKind::Invalid : operand(e.a)->kind; };
  switch (e.op) {
  case ExprOp::True:
  case ExprOp::Ptxas: return true;
  case ExprOp::Warn: warnings.push_back(e.a); return true;
  case ExprOp::And: {
    const size_t mark = warnings.size();
    for (isa::ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (!holds(argument, assume)) {
        warnings.truncate(mark);
        return false;
      }
    return true;
  }
  case ExprOp::Or:
    for (isa::ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (holds(argument, assume))
        return true;
    return false;
  case ExprOp::Not: return !holds(e.a, assume);
  case ExprOp::Gate: return holds(t.gates[e.a].expr, assume);
  case ExprOp::PtxAtLeast:
  case ExprOp::Target: return assume == Assume::GatesHold || written.availability.holds(condition);
  case ExprOp::SlotIs: return word(e.a) && listed(word(e.a));
  case ExprOp::SlotWritten: return word(e.a) != 0;
  case ExprOp::SlotsEqual: return word(e.a) == word(e.b);
  case ExprOp::WordWritten:
    return llvm::any_of(written.opcode.words, [&](const OpcodeWord &w) { return w.id && listed(w.id); }) ||
           llvm::any_of(llvm::seq<size_t>(0, slots.size()),
                        [&](size_t j) { return slotAt[j] < 0 && slotWord[j] && listed(slotWord[j]); });
  case ExprOp::Independent: return written.availability.module().independent;
  case ExprOp::OperandWritten: return nodeOf[e.a] >= 0;
  case ExprOp::OperandIsImmediate: {
    const Shape *shape = operand(e.a);
    if (shape && shape->kind == ShapeKind::Vector) // one that a constant begins is a constant to ptxas
      ++shape;
    return shape && isConstant(*shape);
  }
  case ExprOp::OperandIsSymbol:
    return kind() == ShapeKind::Variable || kind() == ShapeKind::Function || kind() == ShapeKind::Label ||
           (kind() == ShapeKind::Special && operands[e.a].role == isa::OperandRole::Address);
  case ExprOp::OperandNegated: return nodeOf[e.a] >= 0 && (operand(e.a)->flags & ShapeNegated);
  case ExprOp::OperandHasOffset: return nodeOf[e.a] >= 0 && (operand(e.a)->flags & ShapeOffset);
  case ExprOp::OperandIn:
    return kind() != ShapeKind::Integer || llvm::any_of(t.ranges.slice(e.b, e.c), [&](const isa::ValueRange &r) {
             return inRange(r, operand(e.a)->value);
           });
  }
  return true;
}

bool inRange(const isa::ValueRange &range, int64_t value) {
  return value >= range.low && value <= range.high && (range.step <= 1 || (value - range.low) % range.step == 0);
}

} // namespace ptxray
