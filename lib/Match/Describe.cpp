// Describes conditions as text, and finds the locations to which they refer.
#include "Match/Describe.h"
#include "Isa/FactNames.h"
#include "Match/Evaluate.h"
#include "Match/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

llvm::ArrayRef<WordId> wordList(const Expr &e) { return isa::tables().wordLists.slice(e.b, e.c); }

llvm::SmallVector<WordId, 8> wordsOf(const isa::Slot &slot) {
  llvm::SmallVector<WordId, 8> words;
  for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
    words.push_back(value.word);
  return words;
}

std::string operandText(const FormView &view, unsigned index) {
  const int node = view.nodeOf[index];
  if (node < 0)
    return "an operand " + quote(view.operands[index].name());
  const auto &shapes = view.written.shapes;
  unsigned ordinal = 1;
  for (unsigned n = 0; n + shapes[n].extent <= static_cast<unsigned>(node); n += shapes[n].extent)
    ++ordinal;
  return "operand " + std::to_string(ordinal);
}

FindingPlace placeBefore(const FormView &view, unsigned operand) {
  const auto &shapes = view.written.shapes;
  int last = -1;
  for (unsigned i = 0; i < operand; ++i)
    last = std::max<int>(last, view.nodeOf[i]);
  if (last < 0)
    return {FindingPlace::Opcode, 0};
  // The place is after the brackets or braces around the operand.
  int outer = last;
  for (int n = 0; n < last; n += shapes[n].extent)
    if (n + shapes[n].extent > last)
      outer = n;
  return FindingPlace::at(FindingPlace::After, outer);
}

std::string operandKind(const FormView &view, unsigned index) {
  const isa::OperandDecl &declared = view.operands[index];
  const TypeView type = view.typeOf(index);
  const auto isWritten = [&](const isa::Term &term) { return view.value(term).has_value(); };
  if (declared.rules & isa::Vec || llvm::any_of(view.lengths(index), isWritten))
    return "a vector in braces";
  if (const std::string_view role = isa::roleText(declared.role); !role.empty())
    return std::string(role);
  const std::string what =
      declared.role == isa::OperandRole::Register || declared.rules & isa::Destination ? "register" : "value";
  return type.kind == isa::TypeKind::Predicate ? "a predicate" : "a " + (type ? spell(type) + " " : "") + what;
}

static std::string textureMode(bool independent) { return independent ? "`texmode_independent`" : "`texmode_unified`"; }

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
std::string describe(const FormView &view, ExprId id, bool negated) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  const std::string no = negated ? "no " : "";
  auto operand = [&] { return operandText(view, e.a); };
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or: {
    llvm::SmallVector<std::string, 4> parts;
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (std::string part = describe(view, argument, negated); !part.empty())
        parts.push_back(part);
    // Negated parts are last: "`.global` or no `.ss`".
    std::stable_partition(parts.begin(), parts.end(), [](llvm::StringRef part) { return !part.starts_with("no "); });
    return listText(parts, (e.op == ExprOp::And) != negated ? "and" : "or");
  }
  case ExprOp::Not: return describe(view, e.a, !negated);
  case ExprOp::Gate: return describe(view, t.gates[e.a].expr, negated);
  case ExprOp::PtxAtLeast: return (negated ? "PTX below " : "PTX ") + isa::versionText(narrow<uint16_t>(e.a));
  case ExprOp::Target: return (negated ? "not " : "") + std::string(t.targetSets[e.a].text());
  case ExprOp::SlotIs:
  case ExprOp::WordWritten: return no + wordsText(wordList(e), negated ? "and" : "or");
  case ExprOp::SlotWritten: {
    const auto words = wordsOf(view.slots[e.a]);
    if (words.size() <= 4)
      return no + wordsText(words, negated ? "and" : "or");
    const Kind kind = kindOf(words.front());
    return kind == Kind::Other ? no + quote(view.slots[e.a].name()) : (negated ? "no " : "a ") + kindText(kind).str();
  }
  case ExprOp::SlotsEqual:
    return std::string(negated ? "different " : "the same ") + quote(view.slots[e.a].name()) + " and " +
           quote(view.slots[e.b].name());
  case ExprOp::OperandWritten: return no + operand();
  case ExprOp::OperandIsImmediate: return (negated ? "no constant as " : "a constant as ") + operand();
  case ExprOp::OperandIsSymbol: return (negated ? "no variable as " : "a variable as ") + operand();
  case ExprOp::OperandNegated: return (negated ? "no minus before " : "a minus before ") + operand();
  case ExprOp::OperandHasOffset: return (negated ? "no offset after " : "an offset after ") + operand();
  case ExprOp::Independent: return textureMode(!negated);
  case ExprOp::OperandIn: return operand() + (negated ? " not" : "") + " in " + rangesText(t.ranges.slice(e.b, e.c));
  case ExprOp::True:
  case ExprOp::Warn:
  case ExprOp::Ptxas: break;
  }
  return "";
}

FindingPlace placeOfWord(const FormView &view, llvm::ArrayRef<WordId> words) {
  const auto &written = view.written.opcode.words;
  for (unsigned k = 0; k < written.size(); ++k)
    if (written[k].id && llvm::is_contained(words, written[k].id))
      return FindingPlace::at(FindingPlace::Word, k);
  for (unsigned j = 0; j < view.slots.size(); ++j)
    if (view.slotAt[j] < 0 && view.slotWord[j] && llvm::is_contained(words, view.slotWord[j]))
      return view.placeOfSlot(j);
  return {FindingPlace::Opcode, 0};
}

std::string textAt(const FormView &view, FindingPlace place) {
  if (place.kind == FindingPlace::Word)
    return quote(view.written.opcode.words[place.index].text);
  if (place.kind == FindingPlace::Suffix)
    return quote(isa::word(view.written.shapes[place.index].suffix).text());
  return quote(view.written.opcode.mnemonic->text());
}

/// Adds the written words and operands that make an expression true (or, negated, false).
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
static void addSubjects(const FormView &view, ExprId id, bool negated, Subject &subject) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  auto add = [&](FindingPlace place, const std::string &text) {
    if (!subject.found)
      subject.place = place;
    subject.text += (subject.found ? " with " : "") + text;
    subject.found = true;
  };
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or:
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (holds(view, argument) != negated)
        addSubjects(view, argument, negated, subject);
    break;
  case ExprOp::Not: addSubjects(view, e.a, !negated, subject); break;
  case ExprOp::Gate: addSubjects(view, t.gates[e.a].expr, negated, subject); break;
  case ExprOp::SlotIs:
  case ExprOp::SlotWritten:
    if (view.isWritten(e.a))
      add(view.placeOfSlot(e.a), textAt(view, view.placeOfSlot(e.a)));
    break;
  case ExprOp::SlotsEqual:
    for (unsigned slot : {e.a, e.b})
      if (view.isWritten(slot))
        add(view.placeOfSlot(slot), textAt(view, view.placeOfSlot(slot)));
    break;
  case ExprOp::WordWritten:
    if (FindingPlace place = placeOfWord(view, wordList(e)); place.kind != FindingPlace::Opcode)
      add(place, textAt(view, place));
    break;
  case ExprOp::OperandWritten:
  case ExprOp::OperandIsImmediate:
  case ExprOp::OperandIsSymbol:
  case ExprOp::OperandNegated:
  case ExprOp::OperandHasOffset:
  case ExprOp::OperandIn:
    if (view.nodeOf[e.a] >= 0)
      add(view.placeOfOperand(e.a), operandText(view, e.a));
    break;
  case ExprOp::Independent: add({FindingPlace::Opcode, 0}, textureMode(!negated)); break;
  default: break;
  }
}

Subject subjectOf(const FormView &view, ExprId when) {
  Subject subject;
  if (when)
    addSubjects(view, when, false, subject);
  if (!subject.found)
    subject.text = quote(view.written.opcode.mnemonic->text());
  return subject;
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
std::optional<unsigned> wrongSlot(const FormView &view, ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (e.op == ExprOp::SlotIs && view.isWritten(e.a) && !llvm::is_contained(wordList(e), view.slotWord[e.a]))
    return e.a;
  if (e.op == ExprOp::And || e.op == ExprOp::Or)
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (auto slot = wrongSlot(view, argument))
        return slot;
  return std::nullopt;
}

FindingPlace bothWords(FindingPlace one, FindingPlace other) {
  if (one.kind == FindingPlace::Word && other.kind == FindingPlace::Word &&
      (one.index + 1 == other.index || other.index + 1 == one.index))
    return {FindingPlace::Word, std::min(one.index, other.index), 2};
  return other;
}

} // namespace ptxray
