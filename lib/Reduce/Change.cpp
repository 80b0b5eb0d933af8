#include "Reduce/Change.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace ptxray {
namespace {

struct Placed {
  const Replacement *replacement;
  unsigned change;
};

} // namespace

llvm::BitVector usable(const Changes &changes, llvm::BitVector chosen) {
  std::vector<uint32_t> kept;
  for (uint32_t i = 0; i < changes.size(); ++i)
    if (changes[i].isNever || !chosen.test(i)) {
      chosen.reset(i);
      kept.push_back(i);
    }
  while (!kept.empty()) {
    const uint32_t user = kept.back();
    kept.pop_back();
    for (const uint32_t used : changes[user].used)
      if (chosen.test(used)) {
        chosen.reset(used);
        kept.push_back(used);
      }
  }
  return chosen;
}

/// Returns the replacements of the chosen changes sorted by location, without changes that conflict with others.
static std::vector<Placed> withoutConflicts(const Changes &changes, const llvm::BitVector &chosen) {
  std::vector<Placed> all;
  for (const unsigned i : chosen.set_bits())
    for (const Replacement &part : changes[i].parts)
      all.push_back({&part, i});
  llvm::stable_sort(all, [](const Placed &a, const Placed &b) {
    const Range x = a.replacement->part, y = b.replacement->part;
    return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
  });
  llvm::BitVector refused(static_cast<unsigned>(changes.size()));
  const Placed *last = nullptr;
  for (const Placed &one : all) {
    if (last && one.replacement->part.begin < last->replacement->part.end) {
      if (!one.replacement->text.empty() || !last->replacement->text.empty())
        refused.set(std::max(one.change, last->change));
      if (one.replacement->part.end <= last->replacement->part.end)
        continue;
    }
    last = &one;
  }
  llvm::erase_if(all, [&](const Placed &one) { return refused.test(one.change); });
  return all;
}

/// Returns the text without empty lines and trailing blanks.
static std::string withoutEmptyLines(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    line = line.rtrim();
    if (!line.empty())
      (out += line) += '\n';
    text = rest;
  }
  return out;
}

std::string changed(llvm::StringRef text, const Changes &changes, const llvm::BitVector &chosen) {
  std::string out;
  out.reserve(text.size());
  uint32_t at = 0;
  for (const Placed &one : withoutConflicts(changes, chosen)) {
    const Range part = one.replacement->part;
    if (part.begin > at)
      out += text.slice(at, part.begin);
    out += one.replacement->text;
    at = std::max(at, part.end);
  }
  out += text.substr(at);
  return withoutEmptyLines(out);
}

size_t weightOf(llvm::StringRef text) {
  constexpr size_t ofRegister = 4;
  size_t weight = 0;
  for (const char c : text)
    weight += c == '%' ? ofRegister : c != ' ' && c != '\t';
  return weight;
}

} // namespace ptxray
