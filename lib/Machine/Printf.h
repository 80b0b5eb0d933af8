#pragma once
// Implements the formats of a kernel's printf, without the host's printf.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::machine {

/// A part of a format: literal text, or one conversion.
struct FormatPart {
  enum class Kind : uint8_t { Text, Signed, Unsigned, Real, Character, String, Pointer };
  Kind kind = Kind::Text;
  llvm::StringRef text; // in source spelling
  bool isLeft = false, hasSign = false, hasSpace = false, isAlternate = false, hasZeros = false;
  bool takesWidth = false;        // width from an argument: `*`
  uint32_t width = 0;             // at most `mostPrinted`
  std::optional<uint32_t> digits; // precision, at most `mostPrinted`
  bool isWide = false;            // the argument has 8 bytes
  bool isShort = false;           // only the low 16 bits of the argument are used
  char letter = 0;
};

/// The output of kernels. As on a GPU, new text replaces the oldest when the buffer is full.
class PrintedText {
public:
  static constexpr size_t usualLimit = 1 << 20; // default size, as on a GPU

  explicit PrintedText(size_t limit = usualLimit) : limit(limit) {}
  void add(llvm::StringRef more);
  /// Returns the contents of the buffer.
  llvm::StringRef text() const { return llvm::StringRef(buffer).take_back(limit); }
  /// Returns the number of overwritten bytes.
  uint64_t lost() const { return all - text().size(); }

private:
  size_t limit;
  std::string buffer; // at most twice the limit
  uint64_t all = 0;   // total number of bytes
};

/// Maximum width and precision of a conversion. An H100 supports more.
inline constexpr uint32_t mostPrinted = 4096;
/// Maximum number of arguments of printf on a GPU. The text of further conversions is printed unchanged.
inline constexpr unsigned mostArguments = 32;

/// Parses a format by the rules of CUDA C++: `%[flags][width][.precision][size]type` with the sizes `h`, `l` and `ll`.
/// Anything else, such as `%n`, `%.*d` or `%hhd`, is literal text, as on an H100.
std::vector<FormatPart> formatPartsOf(llvm::StringRef format);

/// Sets a width from an argument. A negative width aligns to the left.
void setWidth(FormatPart &part, int32_t width);

/// Return one formatted argument.
std::string printedInteger(const FormatPart &part, uint64_t bits);
std::string printedReal(const FormatPart &part, double value);
std::string printedText(const FormatPart &part, llvm::StringRef text);

} // namespace ptxray::machine
