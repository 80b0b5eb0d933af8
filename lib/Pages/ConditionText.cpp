#include "Pages/ConditionText.h"
#include "Match/Wording.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;

bool isOfPtxasAlone(ExprId condition) {
  const Expr &e = isa::tables().exprs[condition];
  // Described by the manual.
  const bool warns = e.op == ExprOp::Warn && isa::tables().warnings[e.a]() != "advised-against";
  return warns || (e.op == ExprOp::And && llvm::any_of(isa::tables().exprArgs.slice(e.a, e.b), isOfPtxasAlone));
}

namespace {

class Words {
public:
  explicit Words(const isa::Form &form)
      : slots(isa::run(isa::tables().slots, form.slots)), operands(isa::run(isa::tables().operands, form.operands)) {}

  /// Returns a condition as text; empty for a condition that only ptxas has.
  std::string of(ExprId id, bool negated) const;

private:
  std::string several(const Expr &e, bool negated) const;
  std::string operand(const Expr &e, bool negated) const;
  std::string plainOperands(llvm::ArrayRef<ExprId> parts, bool negated, ExprOp op) const;
  std::string slotIs(const Expr &e, bool negated) const;
  std::string slotName(unsigned slot) const { return quote(slots[slot].name()); }

  llvm::ArrayRef<isa::Slot> slots;
  llvm::ArrayRef<isa::OperandDecl> operands;
};

} // namespace

static std::string quotedWords(const Expr &e) {
  std::vector<std::string> words;
  for (const isa::WordId word : isa::tables().wordLists.slice(e.b, e.c))
    words.emplace_back(isa::word(word).text());
  llvm::SmallVector<std::string, 8> quoted;
  for (const std::string &word : foldedWords(std::move(words)))
    quoted.push_back(quote(word));
  return listText(quoted, "or");
}

/// Returns whether the condition requires that an operand has no offset, or is not a name; `op` selects which.
static bool isPlain(ExprId id, bool negated, ExprOp op) {
  const Expr &e = isa::tables().exprs[id];
  return negated ? e.op == op : e.op == ExprOp::Not && isa::tables().exprs[e.a].op == op;
}

/// Returns one text for all operands with the same condition: `a`, `b`, and `c` without an offset.
std::string Words::plainOperands(llvm::ArrayRef<ExprId> parts, bool negated, ExprOp op) const {
  llvm::SmallVector<std::string, 4> names;
  for (const ExprId part : parts)
    if (isPlain(part, negated, op)) {
      const Expr &e = isa::tables().exprs[part];
      names.push_back(quote(operands[negated ? e.a : isa::tables().exprs[e.a].a].name()));
    }
  if (names.size() < 2)
    return "";
  return listText(names, "and") + (op == ExprOp::OperandHasOffset ? " without an offset" : " other than names");
}

/// Combines gates: `PTX 8.6 and sm_100 or higher` for two conditions.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
std::string Words::several(const Expr &e, bool negated) const {
  const bool isAnd = (e.op == ExprOp::And) != negated;
  llvm::SmallVector<std::string, 4> parts;
  llvm::SmallVector<ExprId, 4> gates;
  const auto all = isa::tables().exprArgs.slice(e.a, e.b);
  constexpr ExprOp plain[] = {ExprOp::OperandHasOffset, ExprOp::OperandIsSymbol};
  if (isAnd)
    for (const ExprOp op : plain)
      if (const std::string text = plainOperands(all, negated, op); !text.empty())
        parts.push_back(text);
  for (const ExprId part : all) {
    const Expr &one = isa::tables().exprs[part];
    const bool isSaid = isAnd && llvm::any_of(plain, [&](ExprOp op) {
                          return isPlain(part, negated, op) && !plainOperands(all, negated, op).empty();
                        });
    if (one.op == ExprOp::Warn || one.op == ExprOp::Ptxas || isSaid)
      continue;
    if (isAnd && !negated && one.gateOnly)
      gates.push_back(part);
    else if (const std::string text = of(part, negated); !text.empty() && !llvm::is_contained(parts, text))
      parts.push_back(text);
  }
  if (!gates.empty())
    if (const std::string text = needsText(gates); !text.empty())
      parts.push_back(text);
  if (parts.size() < 2)
    return parts.empty() ? "" : parts.front();
  if (!isAnd)
    for (std::string &part : parts)
      if (llvm::StringRef(part).contains(" and "))
        part = "(" + part + ")";
  return llvm::join(parts, isAnd ? " and " : " or ");
}

std::string Words::slotIs(const Expr &e, bool negated) const {
  const std::string words = quotedWords(e);
  if (slots[e.a].literal)
    return (negated ? "no " : "") + words;
  return slotName(e.a) + (negated ? " other than " : " ") + words;
}

std::string Words::operand(const Expr &e, bool negated) const {
  const std::string name = quote(operands[e.a].name());
  switch (e.op) {
  case ExprOp::OperandWritten: return (negated ? "no operand " : "the operand ") + name;
  case ExprOp::OperandIsImmediate: return name + (negated ? " other than a constant" : " a constant");
  case ExprOp::OperandIsSymbol: return name + (negated ? " other than a name" : " a name");
  case ExprOp::OperandNegated: return (negated ? "no minus before " : "a minus before ") + name;
  case ExprOp::OperandHasOffset: return negated ? name + " without an offset" : "an offset in " + name;
  default: return name + (negated ? " other than " : " of ") + rangesText(isa::tables().ranges.slice(e.b, e.c));
  }
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
std::string Words::of(ExprId id, bool negated) const {
  const Expr &e = isa::tables().exprs[id];
  if (e.gateOnly && id) {
    const std::string text = needsText(id);
    return !negated || text.empty() ? text : "less than " + text;
  }
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or: return several(e, negated);
  case ExprOp::Not: return of(e.a, !negated);
  case ExprOp::Gate: return of(isa::tables().gates[e.a].expr, negated);
  case ExprOp::SlotIs: return slotIs(e, negated);
  case ExprOp::SlotWritten: return (negated ? "no " : "") + slotName(e.a);
  case ExprOp::SlotsEqual: return (negated ? "different " : "the same ") + slotName(e.a) + " and " + slotName(e.b);
  case ExprOp::WordWritten: return (negated ? "no " : "") + quotedWords(e);
  case ExprOp::Independent: return negated ? "`texmode_unified`" : "`texmode_independent`";
  case ExprOp::True:
  case ExprOp::Warn:
  case ExprOp::Ptxas: return "";
  default: return operand(e, negated);
  }
}

ConditionText conditionText(const isa::Form &form, ExprId condition) {
  return {Words(form).of(condition, false), isOfPtxasAlone(condition)};
}

namespace {

/// Words that differ only in one number, which increases in equal steps.
struct Series {
  std::string before, after;
  std::vector<unsigned> numbers;
};

} // namespace

/// Returns the word without its number with index `which`; nothing if it has fewer.
static std::optional<std::pair<std::string, unsigned>> withoutNumber(llvm::StringRef word, unsigned which,
                                                                     std::string &after) {
  for (size_t at = 0; at < word.size(); ++at) {
    if (!llvm::isDigit(word[at]))
      continue;
    const llvm::StringRef digits = word.drop_front(at).take_while(llvm::isDigit);
    if (which-- == 0) {
      unsigned number = 0;
      if (digits.getAsInteger(10, number))
        return std::nullopt;
      after = word.drop_front(at + digits.size()).str();
      return std::pair(word.take_front(at).str(), number);
    }
    at += digits.size();
  }
  return std::nullopt;
}

static bool isSeries(const std::vector<unsigned> &numbers) {
  constexpr size_t fewest = 5; // fewer words are listed individually
  if (numbers.size() < fewest)
    return false;
  for (size_t i = 2; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0])
      return false;
  return true;
}

std::vector<std::string> foldedWords(std::vector<std::string> words) {
  llvm::sort(words, [](llvm::StringRef one, llvm::StringRef other) { return one.compare_numeric(other) < 0; });
  for (unsigned which = 0; which < 3; ++which) {
    std::map<std::pair<std::string, std::string>, std::vector<unsigned>> groups;
    for (const std::string &word : words) {
      std::string after;
      if (const auto parted = withoutNumber(word, which, after))
        groups[{parted->first, after}].push_back(parted->second);
    }
    for (auto &[ends, numbers] : groups) {
      llvm::sort(numbers);
      if (!isSeries(numbers))
        continue;
      const auto spelled = [&](unsigned number) { return ends.first + std::to_string(number) + ends.second; };
      const std::string folded = spelled(numbers.front()) + " to " + spelled(numbers.back()) +
                                 (numbers[1] - numbers[0] == 1 ? "" : " by " + std::to_string(numbers[1] - numbers[0]));
      const auto place = llvm::find(words, spelled(numbers.front())) - words.begin();
      words[place] = folded;
      llvm::erase_if(words, [&](const std::string &word) {
        return llvm::any_of(numbers, [&](unsigned number) { return word == spelled(number); });
      });
    }
  }
  return words;
}

} // namespace ptxray
