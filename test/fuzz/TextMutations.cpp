// Mutates words and lines of a text. Half of all mutations are libFuzzer's own.
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <random>
#include <string>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

struct Span {
  size_t begin, end;
};

bool isWordByte(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// Returns a random word or sign: `.b32`, `%r1`, `{`.
Span anyToken(llvm::StringRef text, std::minstd_rand &random) {
  size_t begin = random() % text.size();
  while (begin > 0 && isWordByte(text[begin]) && isWordByte(text[begin - 1]))
    --begin;
  size_t end = begin + 1;
  if (isWordByte(text[begin]) || text[begin] == '.')
    while (end < text.size() && isWordByte(text[end]))
      ++end;
  if (begin > 0 && text[begin - 1] == '.')
    --begin;
  return {begin, end};
}

Span anyLine(llvm::StringRef text, std::minstd_rand &random) {
  const size_t middle = random() % text.size();
  const size_t before = text.rfind('\n', middle);
  const size_t behind = text.find('\n', middle);
  const size_t begin = before == llvm::StringRef::npos || before == middle ? 0 : before + 1;
  return {std::min(begin, middle), behind == llvm::StringRef::npos ? text.size() : behind + 1};
}

size_t put(const std::string &text, uint8_t *data, size_t maxSize) {
  const size_t size = std::min(text.size(), maxSize);
  std::copy_n(text.begin(), size, data);
  return size;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  if (size == 0 || random() % 2)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char *>(data), size);
  const bool whole = random() % 4 == 0;
  const Span from = whole ? anyLine(text, random) : anyToken(text, random);
  const Span to = whole ? anyLine(text, random) : anyToken(text, random);
  const std::string piece = text.substr(from.begin, from.end - from.begin);
  if (random() % 4 == 0)
    text.erase(to.begin, to.end - to.begin);
  else
    text.replace(to.begin, whole ? 0 : to.end - to.begin, piece);
  return put(text, data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  std::string text(reinterpret_cast<const char *>(first), firstSize);
  const llvm::StringRef other(reinterpret_cast<const char *>(second), secondSize);
  if (text.empty() || other.empty())
    return put(text, out, maxSize);
  const bool whole = random() % 2;
  const Span from = whole ? anyLine(other, random) : anyToken(other, random);
  const Span to = whole ? anyLine(text, random) : anyToken(text, random);
  text.replace(to.begin, whole ? 0 : to.end - to.begin, other.slice(from.begin, from.end).str());
  return put(text, out, maxSize);
}
