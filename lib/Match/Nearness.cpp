// Computes the distance of two words, first from their kinds and types, then from their letters.
#include "Match/Nearness.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

namespace ptxray {

using isa::WordClass;
using isa::WordId;

static bool isIntegerType(const isa::Word &word) {
  return word.typeKind == isa::TypeKind::Unsigned || word.typeKind == isa::TypeKind::Signed;
}

static bool beginsOther(llvm::StringRef a, llvm::StringRef b) { return a.starts_with(b) || b.starts_with(a); }

unsigned distanceOfWords(WordId from, WordId to) {
  const isa::Word &a = isa::word(from), &b = isa::word(to);
  if (llvm::StringRef(a.text()).equals_insensitive(b.text()))
    return 1;
  if (a.wordClass == WordClass::Type && b.wordClass == WordClass::Type) {
    if (a.bits == b.bits && (a.typeKind == isa::TypeKind::Packed) != (b.typeKind == isa::TypeKind::Packed) &&
        a.typeKind != isa::TypeKind::Bits && b.typeKind != isa::TypeKind::Bits)
      return 5; // `.f32x2` and `.f64`
    if (a.bits == b.bits && a.typeKind == b.typeKind)
      return 2; // `.f16` and `.bf16`
    if (a.bits == b.bits && isIntegerType(a) != isIntegerType(b))
      return a.typeKind == isa::TypeKind::Bits || b.typeKind == isa::TypeKind::Bits ? 2 : 4;
    if (a.bits == b.bits)
      return 3;
    if (beginsOther(a.text(), b.text()))
      return 2; // `.e4m3` and `.e4m3x2`
    return a.typeKind == b.typeKind ? 4 : 5;
  }
  if (a.wordClass != b.wordClass)
    return 7;
  if (a.wordClass == WordClass::Space || a.wordClass == WordClass::Layout)
    return beginsOther(a.text(), b.text()) ? 2 : a.wordClass == WordClass::Space ? 4 : 3;
  if (a.kind && a.kind == b.kind) { // shapes and counts differ only in their numbers
    auto stem = [](llvm::StringRef text) { return text.take_until(llvm::isDigit); };
    const bool isNumber = stem(a.text()) == stem(b.text()) && a.number >= 0 && b.number >= 0;
    return isNumber || beginsOther(a.text(), b.text()) ? 3 : 5;
  }
  if (beginsOther(a.text(), b.text()))
    return 2;
  return a.kind || b.kind || a.wordClass == WordClass::Operation ? 6 : 5;
}

void sortByNearness(llvm::MutableArrayRef<WordId> words, WordId written) {
  const llvm::StringRef text = isa::word(written).text();
  auto rank = [&](WordId id) {
    const isa::Word &word = isa::word(id);
    const int far = word.number >= 0 ? std::abs(word.number - isa::word(written).number) : 0;
    return std::tuple(distanceOfWords(written, id), text.edit_distance(word.text()), far);
  };
  llvm::stable_sort(words, [&](WordId a, WordId b) { return rank(a) < rank(b); });
}

} // namespace ptxray
