#pragma once
// Turns statements into a PTX module, by adding what surrounds them.
#include "Diagnostics/Diagnostic.h"
#include "Inline/Statement.h"
#include <map>

namespace ptxray {

/// A statement, or several that open and close a block together.
class Fragment {
public:
  /// The values chosen for numbers, by name; others stay unknown.
  using Numbers = std::map<std::string, std::string>;
  explicit Fragment(Numbers numbers = {}) : numbers(std::move(numbers)) {}
  /// Adds a statement. Errors in its operands are reported at their places in the source.
  void add(const InlineStatement &statement, DiagnosticSink &sink);

  struct Declared {
    std::string name; // as the text writes it
    char letter = 0;
    const InlineOperand *operand = nullptr;
    bool isOutput = false, isInput = false;
    bool isDeclared = true;    // false: a number
    bool isReferenced = false; // by the text
  };
  llvm::ArrayRef<Declared> operands() const { return declared; }
  /// Operands that are numbers of any value.
  const std::vector<std::string> &constants() const { return unknown; }
  /// Names that the text uses and the statement does not define.
  const std::vector<std::string> &missing() const { return absent; }
  /// Ways to choose the numbers that the text has within words, as in `.k%2`, such that existing words result. Empty if
  /// there are no such numbers.
  std::vector<Numbers> choices() const;
  /// Returns whether other numbers might do as well.
  bool choosesNumbers() const { return !numbers.empty(); }
  llvm::StringRef body() const { return text.text(); }

  /// Returns a key that is equal for equal fragments.
  std::string key() const;
  /// Returns the whole module. `hasFloats` says that nvcc has separate registers for floating-point numbers, which it
  /// has below sm_100.
  MappedText module(llvm::StringRef ptx, llvm::StringRef target, bool hasFloats) const;

private:
  void addText(const InlineStatement &statement, size_t first, DiagnosticSink &sink);
  void addReference(const InlineStatement &statement, size_t first, Range digits, Range written, DiagnosticSink &sink);
  void declare(const InlineStatement &statement, const InlineOperand &operand, DiagnosticSink &sink);

  MappedText text;
  Numbers numbers;
  std::vector<Declared> declared;
  std::vector<std::string> unknown, absent;
  unsigned statements = 0;
  Range place; // of all statements
};

/// Returns how many blocks a text opens without closing them; `lowest` is the lowest depth on the way.
int openBlocks(llvm::StringRef text, int &lowest);
struct DeclaredName {
  std::string name;        // of a family `%r<`
  bool isVariable = false; // in memory; else a register or a label
};
/// Returns the names that a text declares outside of blocks.
std::vector<DeclaredName> declaredNames(llvm::StringRef text);
/// Returns whether some constraint is unknown to nvcc: a misspelt one, or one of another machine.
bool hasOtherConstraints(const InlineStatement &statement);
/// Returns whether a statement is meant for an NVIDIA GPU.
bool looksLikePtx(const InlineStatement &statement);

} // namespace ptxray
