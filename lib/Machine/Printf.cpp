#include "Machine/Printf.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdio>

namespace ptxray::machine {

using PartKind = FormatPart::Kind;

void PrintedText::add(llvm::StringRef more) {
  all += more.size();
  buffer += more.take_back(limit);
  if (buffer.size() > 2 * limit)
    buffer.erase(0, buffer.size() - limit);
}

static std::optional<PartKind> conversionKind(char letter) {
  switch (letter) {
  case 'd':
  case 'i': return PartKind::Signed;
  case 'u':
  case 'o':
  case 'x':
  case 'X': return PartKind::Unsigned;
  case 'c': return PartKind::Character;
  case 's': return PartKind::String;
  case 'p': return PartKind::Pointer;
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A': return PartKind::Real;
  default: return std::nullopt;
  }
}

static uint32_t takeNumber(llvm::StringRef &text) {
  uint32_t number = 0;
  for (; !text.empty() && llvm::isDigit(text.front()); text = text.drop_front())
    number = std::min<uint32_t>(number * 10 + static_cast<uint32_t>(text.front() - '0'), mostPrinted);
  return number;
}

static void takeFlags(FormatPart &part, llvm::StringRef &text) {
  for (; !text.empty(); text = text.drop_front())
    switch (text.front()) {
    case '-': part.isLeft = true; break;
    case '+': part.hasSign = true; break;
    case ' ': part.hasSpace = true; break;
    case '#': part.isAlternate = true; break;
    case '0': part.hasZeros = true; break;
    default: return;
    }
}

/// Parses the conversion at the beginning of a text. Returns nothing if there is none.
static std::optional<FormatPart> conversionAt(llvm::StringRef text) {
  FormatPart part;
  llvm::StringRef rest = text.drop_front();
  takeFlags(part, rest);
  part.takesWidth = rest.consume_front("*");
  if (!part.takesWidth)
    part.width = takeNumber(rest);
  if (rest.consume_front("."))
    part.digits = takeNumber(rest);
  if (rest.consume_front("ll") || rest.consume_front("l"))
    part.isWide = true;
  else
    part.isShort = rest.consume_front("h");
  const std::optional<PartKind> kind = rest.empty() ? std::nullopt : conversionKind(rest.front());
  if (!kind)
    return std::nullopt;
  part.kind = *kind;
  part.letter = rest.front();
  part.isWide |= part.kind >= PartKind::Real && part.kind != PartKind::Character;
  part.text = text.drop_back(rest.size() - 1);
  return part;
}

std::vector<FormatPart> formatPartsOf(llvm::StringRef format) {
  std::vector<FormatPart> parts;
  const auto addText = [&](size_t bytes) {
    FormatPart &part = parts.emplace_back();
    part.text = format.take_front(bytes);
    format = format.drop_front(bytes);
  };
  while (!format.empty()) {
    if (const size_t before = std::min(format.find('%'), format.size())) {
      addText(before);
    } else if (format.starts_with("%%")) {
      addText(1);
      format = format.drop_front();
    } else if (std::optional<FormatPart> part = conversionAt(format)) {
      format = format.drop_front(part->text.size());
      parts.push_back(*part);
    } else
      addText(1);
  }
  return parts;
}

void setWidth(FormatPart &part, int32_t width) {
  part.isLeft |= width < 0;
  part.width = static_cast<uint32_t>(std::min<int64_t>(std::abs(int64_t(width)), mostPrinted));
}

/// Pads to the width: after the text, before it, or with zeros after sign and prefix.
static std::string padded(const FormatPart &part, const std::string &before, std::string text, bool mayHaveZeros) {
  const size_t length = before.size() + text.size();
  const size_t missing = part.width > length ? part.width - length : 0;
  if (part.isLeft)
    return before + text + std::string(missing, ' ');
  if (part.hasZeros && mayHaveZeros)
    return before + std::string(missing, '0') + text;
  return std::string(missing, ' ') + before + text;
}

static std::string digitsOf(uint64_t number, unsigned base, bool isUpper) {
  std::string digits;
  for (; number; number /= base)
    digits += (isUpper ? "0123456789ABCDEF" : "0123456789abcdef")[number % base];
  std::ranges::reverse(digits);
  return digits;
}

std::string printedInteger(const FormatPart &part, uint64_t bits) {
  const bool isSigned = part.kind == PartKind::Signed, isPointer = part.kind == PartKind::Pointer;
  if (isPointer && !bits)
    return padded(part, "", "(nil)", false);
  if (!part.isWide)
    bits = part.isShort ? (isSigned ? static_cast<uint64_t>(static_cast<int16_t>(bits)) : static_cast<uint16_t>(bits))
           : isSigned   ? static_cast<uint64_t>(static_cast<int32_t>(bits))
                        : static_cast<uint32_t>(bits);
  const bool isNegative = isSigned && static_cast<int64_t>(bits) < 0;
  const bool isHex = isPointer || llvm::toLower(part.letter) == 'x';
  std::string digits = digitsOf(isNegative ? 0 - bits : bits,
                                isHex                ? 16
                                : part.letter == 'o' ? 8
                                                     : 10,
                                part.letter == 'X');
  const size_t wanted = part.digits.value_or(1);
  if (digits.size() < wanted)
    digits.insert(0, wanted - digits.size(), '0');
  if (part.letter == 'o' && part.isAlternate && !llvm::StringRef(digits).starts_with("0"))
    digits.insert(0, 1, '0');
  std::string before;
  if (isHex && (isPointer || (part.isAlternate && bits)))
    before = part.letter == 'X' ? "0X" : "0x";
  else if (isSigned)
    before = isNegative ? "-" : part.hasSign ? "+" : part.hasSpace ? " " : "";
  return padded(part, before, std::move(digits), !part.digits);
}

std::string printedReal(const FormatPart &part, double value) {
  // The format is composed of a letter that `kindOf` accepts and numbers up to `mostPrinted`.
  std::string format = "%";
  for (const auto &[isSet, flag] : {std::pair(part.isLeft, '-'),
                                    {part.hasSign, '+'},
                                    {part.hasSpace, ' '},
                                    {part.isAlternate, '#'},
                                    {part.hasZeros, '0'}})
    if (isSet)
      format += flag;
  format += "*.*";
  format += part.letter;
  // Digits of the largest number before the point, and all digits after it.
  constexpr size_t most = 320 + 2 * mostPrinted;
  char room[most];
  const int length = std::snprintf(room, most, format.c_str(), static_cast<int>(part.width),
                                   part.digits ? static_cast<int>(*part.digits) : -1, value);
  return std::string(room, static_cast<size_t>(std::clamp<int>(length, 0, most - 1)));
}

std::string printedText(const FormatPart &part, llvm::StringRef text) {
  if (part.kind == PartKind::String && part.digits)
    text = text.take_front(*part.digits);
  return padded(part, "", text.str(), false);
}

} // namespace ptxray::machine
