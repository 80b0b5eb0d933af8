#pragma once
// The formats of a kernel's printf, which are never passed to a printf of the host.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::machine {

/// A part of a format: text that is printed unchanged, or one conversion.
struct FormatPart {
  enum class Kind : uint8_t { Text, Signed, Unsigned, Real, Character, String, Pointer };
  Kind kind = Kind::Text;
  llvm::StringRef text; // as written
  bool isLeft = false, hasSign = false, hasSpace = false, isAlternate = false, hasZeros = false;
  bool takesWidth = false;        // from an argument: `*`
  uint32_t width = 0;             // at most `mostPrinted`
  std::optional<uint32_t> digits; // the precision; at most `mostPrinted`
  bool isWide = false;            // the argument has 8 bytes
  bool isShort = false;           // only the low 16 bits of the argument count
  char letter = 0;
};

/// The text that kernels print: as on a GPU, new text replaces the oldest where the buffer is full.
class PrintedText {
public:
  static constexpr size_t usualLimit = 1 << 20; // as on a GPU

  explicit PrintedText(size_t limit = usualLimit) : limit(limit) {}
  void add(llvm::StringRef more);
  /// Returns what the buffer holds.
  llvm::StringRef text() const { return llvm::StringRef(buffer).take_back(limit); }
  /// Returns the number of bytes that were replaced.
  uint64_t lost() const { return all - text().size(); }

private:
  size_t limit;
  std::string buffer; // at most twice the limit
  uint64_t all = 0;   // bytes
};

/// The largest width and precision of a conversion. An H100 also prints more.
inline constexpr uint32_t mostPrinted = 4096;
/// The number of arguments that a printf on a GPU takes. Later conversions are printed unchanged.
inline constexpr unsigned mostArguments = 32;

/// Splits a format by the rules of CUDA C++: `%[flags][width][.precision][size]type` with the sizes `h`, `l` and `ll`.
/// Anything else, such as `%n`, `%.*d` or `%hhd`, is text, as on an H100.
std::vector<FormatPart> formatPartsOf(llvm::StringRef format);

/// Takes a width from an argument. A negative one aligns to the left.
void setWidth(FormatPart &part, int32_t width);

/// Print one argument by its conversion.
std::string printedInteger(const FormatPart &part, uint64_t bits);
std::string printedReal(const FormatPart &part, double value);
std::string printedText(const FormatPart &part, llvm::StringRef text);

} // namespace ptxray::machine
