// Formats lists with a conjunction, quoted words, kinds and ranges.
#include "Match/Wording.h"
#include "Match/Evaluate.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;
using isa::WordClass;
using isa::WordId;

/// Returns the separator before a part of a list: "a, b, or c", "a or b".
static std::string separator(size_t part, size_t parts, llvm::StringRef conjunction) {
  if (part == 0)
    return "";
  if (part + 1 < parts)
    return ", ";
  return (parts > 2 ? ", " : " ") + conjunction.str() + " ";
}

std::string listText(llvm::ArrayRef<std::string> parts, const char *conjunction) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    out += separator(i, parts.size(), conjunction) + parts[i];
  return out;
}

std::string quote(std::string_view text) { return "`" + std::string(text) + "`"; }

/// Returns the distance between the numbers in two words, or nothing if they differ in anything else. Example:
/// `.m64n8k16`, `.m64n12k16`.
static std::optional<unsigned> distanceOfNumbers(llvm::StringRef a, llvm::StringRef b) {
  unsigned distance = 0;
  while (!a.empty() && !b.empty()) {
    unsigned x = 0, y = 0;
    if (llvm::isDigit(a.front()) && llvm::isDigit(b.front())) {
      if (a.consumeInteger(10, x) || b.consumeInteger(10, y))
        return std::nullopt;
      distance += x > y ? x - y : y - x;
    } else if (a.front() != b.front()) {
      return std::nullopt;
    } else {
      a = a.drop_front();
      b = b.drop_front();
    }
  }
  return a.empty() && b.empty() ? std::optional(distance) : std::nullopt;
}

std::string wordsText(llvm::ArrayRef<WordId> ids, const char *conjunction, llvm::StringRef written) {
  constexpr size_t most = 12; // a longer list is not helpful
  llvm::SmallVector<WordId, 16> words(ids.begin(), ids.end());
  const bool isCut = words.size() > most;
  if (isCut && !written.empty()) {
    auto distance = [written](WordId id) {
      const auto ofNumbers = distanceOfNumbers(written, isa::word(id).text());
      return std::pair(!ofNumbers, ofNumbers.value_or(written.edit_distance(isa::word(id).text())));
    };
    llvm::stable_sort(words, [&](WordId a, WordId b) { return distance(a) < distance(b); });
    words.truncate(most);
  }
  // Words that differ in a number are adjacent, sorted by the number: `.x2` before `.x16`.
  const auto stem = [](WordId id) { return llvm::StringRef(isa::word(id).text()).take_until(llvm::isDigit); };
  llvm::StringMap<size_t> places; // index of the first word with a stem
  for (const WordId word : words)
    places.try_emplace(stem(word), places.size());
  llvm::stable_sort(words, [&](WordId a, WordId b) {
    return std::pair(places[stem(a)], isa::word(a).number) < std::pair(places[stem(b)], isa::word(b).number);
  });
  std::string out;
  for (size_t i = 0; i < std::min(words.size(), most); ++i)
    out += separator(i, isCut ? most + 1 : words.size(), conjunction) + "`" + std::string(isa::word(words[i]).text()) +
           "`";
  return isCut ? out + " ..." : out;
}

std::string nearestText(llvm::ArrayRef<WordId> words) {
  constexpr size_t most = 10;
  std::vector<std::string> parts;
  for (WordId word : words.take_front(most))
    parts.push_back(quote(isa::word(word).text()));
  return words.size() > most ? llvm::join(parts, ", ") + " ..." : listText(parts, "or");
}

/// Returns the distance between allowed values for ranges so wide that their ends are not informative, otherwise 0.
static int64_t stepOfWideRanges(llvm::ArrayRef<isa::ValueRange> ranges) {
  const int64_t step = ranges.front().step;
  const bool wide = step > 1 && llvm::all_of(ranges, [&](const isa::ValueRange &r) {
                      return r.step == step && r.low % step == 0 && r.high - r.low > UINT32_MAX - step;
                    });
  return wide ? step : 0;
}

std::string rangesText(llvm::ArrayRef<isa::ValueRange> ranges) {
  if (const int64_t step = stepOfWideRanges(ranges)) {
    const bool zero = llvm::any_of(ranges, [](const isa::ValueRange &r) { return inRange(r, 0); });
    return "a multiple of " + std::to_string(step) + (zero ? "" : " other than 0");
  }
  llvm::SmallVector<std::string, 4> parts;
  for (const isa::ValueRange &r : ranges) {
    std::string part = std::to_string(r.low);
    if (r.high == std::numeric_limits<int64_t>::max())
      part += " or more";
    else if (r.high != r.low)
      part += " to " + std::to_string(r.high);
    if (r.step > 1 && r.low % r.step)
      part += " in steps of " + std::to_string(r.step);
    else if (r.step > 1)
      part = "a multiple of " + std::to_string(r.step) + " from " + part;
    parts.push_back(part);
  }
  return listText(parts, "or");
}

Kind kindOf(WordId word) {
  const isa::Word &known = isa::word(word);
  if (word && known.kind)
    return findKind(isa::tables().wordKinds[known.kind]());
  switch (word ? known.wordClass : WordClass::Free) {
  case WordClass::Type: return Kind::Type;
  case WordClass::Layout: return Kind::Layout;
  case WordClass::Space: return Kind::Space;
  case WordClass::Operation: return Kind::Operation;
  case WordClass::Free: break;
  }
  return Kind::Other;
}

std::string releaseNote(uint16_t release) {
  return "ptxas before " + isa::versionText(release) + " judges this differently";
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
uint16_t ptxasRelease(ExprId id) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  if (e.op == ExprOp::Ptxas)
    return narrow<uint16_t>(e.a);
  if (e.op == ExprOp::And || e.op == ExprOp::Or)
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (uint16_t release = ptxasRelease(argument))
        return release;
  return e.op == ExprOp::Gate ? ptxasRelease(t.gates[e.a].expr) : 0;
}

} // namespace ptxray
