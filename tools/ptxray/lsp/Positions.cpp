#include "Positions.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

namespace ptxray::lsp {

using llvm::StringRef;

static constexpr std::pair<llvm::StringLiteral, Encoding> encodings[] = {
    {"utf-8", Encoding::Utf8},
    {"utf-16", Encoding::Utf16},
    {"utf-32", Encoding::Utf32},
};

std::optional<Encoding> findEncoding(StringRef name) {
  for (const auto &[known, encoding] : encodings)
    if (known == name)
      return encoding;
  return std::nullopt;
}

StringRef nameOf(Encoding encoding) {
  return llvm::find_if(encodings, [&](const auto &one) { return one.second == encoding; })->first;
}

bool isAscii(StringRef text) {
  unsigned char all = 0; // without branches, so that the loop is vectorised
  for (const unsigned char c : text)
    all |= c;
  return all < 0x80;
}

uint32_t columnsOf(StringRef text, Encoding encoding) {
  if (encoding == Encoding::Utf8)
    return static_cast<uint32_t>(text.size());
  const auto letters = llvm::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; });
  const auto pairs = llvm::count_if(text, [](unsigned char c) { return c >= 0xF0; });
  return static_cast<uint32_t>(letters + (encoding == Encoding::Utf16 ? pairs : 0));
}

/// Appends the starts of the lines that follow a line end in the part.
static void findStarts(StringRef text, uint32_t from, uint32_t to, std::vector<uint32_t> &starts) {
  for (uint32_t i = from; i < to; ++i) {
    const char c = text[i];
    if (c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      starts.push_back(i + 1);
  }
}

Lines::Lines(StringRef text) : starts{0} { findStarts(text, 0, static_cast<uint32_t>(text.size()), starts); }

void Lines::edited(StringRef text, Range replaced, uint32_t newSize) {
  assert(replaced.begin <= replaced.end && replaced.begin + newSize <= text.size() && "the text is the new one");
  // A `\r` before the part, or at its end, may have been part of a `\r\n`, or may be part of one now. Therefore include
  // one more byte on both sides.
  const uint32_t from = replaced.begin ? replaced.begin - 1 : 0;
  const auto to = static_cast<uint32_t>(std::min<size_t>(replaced.begin + newSize + 1, text.size()));
  const auto firstGone = std::upper_bound(starts.begin(), starts.end(), from);
  const auto firstKept = std::upper_bound(firstGone, starts.end(), replaced.end + 1);
  std::vector<uint32_t> fresh;
  findStarts(text, from, to, fresh);
  const uint32_t shift = newSize - replaced.size(); // may wrap, and then the sum below wraps too
  for (auto start = firstKept; start != starts.end(); ++start)
    *start += shift;
  const auto at = starts.erase(firstGone, firstKept);
  starts.insert(at, fresh.begin(), fresh.end());
}

/// Returns the length in bytes of the character at this place, and its width in columns. A byte that is not UTF-8
/// counts as one byte and one column.
static std::pair<uint32_t, uint32_t> letterAt(StringRef text, Encoding encoding) {
  const auto first = static_cast<unsigned char>(text.front());
  const uint32_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const auto size = static_cast<uint32_t>(std::min<size_t>(bytes, text.size()));
  switch (encoding) {
  case Encoding::Utf8: return {size, size};
  case Encoding::Utf16: return {size, bytes == 4 ? 2 : 1};
  case Encoding::Utf32: return {size, 1};
  }
  return {size, size};
}

uint32_t Lines::offsetOf(StringRef text, Position position, Encoding encoding) const {
  if (position.line >= starts.size())
    return static_cast<uint32_t>(text.size());
  const uint32_t begin = starts[position.line];
  StringRef line = text.slice(begin, position.line + 1 < starts.size() ? starts[position.line + 1] : text.size());
  line = line.rtrim("\r\n");
  uint32_t at = 0, column = 0;
  while (at < line.size() && column < position.column) {
    const auto [bytes, columns] = letterAt(line.drop_front(at), encoding);
    if (column + columns > position.column && encoding != Encoding::Utf8)
      break; // a place within a character becomes its beginning
    at += encoding == Encoding::Utf8 ? std::min(bytes, position.column - column) : bytes;
    column += columns;
  }
  return begin + at;
}

Position Lines::positionOf(StringRef text, uint32_t offset, Encoding encoding) const {
  assert(offset <= text.size() && "a place is in the text, or at its end");
  assert(!starts.empty() && starts.front() == 0 && "the first line begins with the text");
  const auto line = std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin() - 1;
  StringRef before = text.slice(starts[line], offset);
  before.consume_back("\r"); // the place was between the two characters of a line end
  return {static_cast<uint32_t>(line), columnsOf(before, encoding)};
}

} // namespace ptxray::lsp
