#include "Flow/Constants.h"

namespace ptxray {

static uint64_t lowBits(unsigned count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

/// Integer arithmetic as compilers and inline assembly use it to put a descriptor together.
std::optional<uint64_t> constantResult(llvm::StringRef opcode, llvm::ArrayRef<uint64_t> sources) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  opcode.split(words, '.');
  unsigned bits = 0;
  if (words.size() < 2 || !llvm::StringRef("bsu").contains(words.back().front()) ||
      words.back().drop_front().getAsInteger(10, bits) || bits > 64)
    return std::nullopt;
  auto isOne = [&](llvm::StringRef name, size_t count) { return words.front() == name && words.size() == count + 1; };
  const auto s = [&](size_t i) { return sources[i]; };
  std::optional<uint64_t> result;
  if (sources.size() == 1) {
    if (isOne("mov", 1))
      result = s(0);
    else if (isOne("not", 1))
      result = ~s(0);
    else if (isOne("cvt", 2)) { // the source's width decides what stands above it
      unsigned from = 0;
      if (words[2].drop_front().getAsInteger(10, from) || !llvm::StringRef("su").contains(words[2].front()))
        return std::nullopt;
      if (words[1].drop_front().getAsInteger(10, bits) || !llvm::StringRef("su").contains(words[1].front()))
        return std::nullopt;
      result = s(0) & lowBits(from);
      if (words[2].front() == 's' && from < 64 && (s(0) >> (from - 1) & 1))
        result = *result | ~lowBits(from);
    }
  } else if (sources.size() == 2) {
    if (isOne("mov", 1)) // {low, high}
      result = (s(0) & lowBits(bits / 2)) | s(1) << bits / 2;
    else if (isOne("or", 1))
      result = s(0) | s(1);
    else if (isOne("and", 1))
      result = s(0) & s(1);
    else if (isOne("xor", 1))
      result = s(0) ^ s(1);
    else if (isOne("add", 1))
      result = s(0) + s(1);
    else if (isOne("sub", 1))
      result = s(0) - s(1);
    else if (isOne("mul", 2) && words[1] == "lo")
      result = s(0) * s(1);
    else if (isOne("shl", 1))
      result = (s(1) & lowBits(32)) >= bits ? 0 : s(0) << s(1);
    else if (isOne("shr", 1) && words.back().front() != 's')
      result = (s(1) & lowBits(32)) >= bits ? 0 : (s(0) & lowBits(bits)) >> s(1);
  } else if (sources.size() == 3 && isOne("mad", 2) && words[1] == "lo") {
    result = s(0) * s(1) + s(2);
  } else if (sources.size() == 4 && isOne("bfi", 1)) { // into b at position c, d bits of a
    const uint64_t position = s(2) & 0xFF, length = s(3) & 0xFF;
    if (position >= bits || !length) {
      result = s(1);
    } else {
      const uint64_t mask = lowBits(length) << position;
      result = (s(1) & ~mask) | (s(0) << position & mask);
    }
  }
  if (result)
    *result &= lowBits(bits);
  return result;
}

} // namespace ptxray
