#pragma once
// Builds a PTX module from statements, by adding the necessary declarations.
#include "Diagnostics/Diagnostic.h"
#include "Inline/Statement.h"
#include <map>

namespace ptxray {

/// A statement, or several that open and close a block together.
class Fragment {
public:
  /// Values assigned to operands that are numbers, by name; others stay unknown.
  using Numbers = std::map<std::string, std::string>;
  explicit Fragment(Numbers numbers = {}) : numbers(std::move(numbers)) {}
  /// Adds a statement. Reports errors in its operands at their locations in the source.
  void add(const InlineStatement &statement, DiagnosticSink &sink);

  struct Declared {
    std::string name; // name in the text
    char letter = 0;
    const InlineOperand *operand = nullptr;
    bool isOutput = false, isInput = false;
    bool isDeclared = true;    // false for a number
    bool isReferenced = false; // the text uses the name
  };
  llvm::ArrayRef<Declared> operands() const { return declared; }
  /// Returns the operands that are numbers with unknown values.
  const std::vector<std::string> &constants() const { return unknown; }
  /// Returns the names that the text uses without defining them.
  const std::vector<std::string> &missing() const { return absent; }
  /// Returns assignments of numbers within words, such as `.k%2`, that produce existing words. Empty if there are no
  /// such numbers.
  std::vector<Numbers> choices() const;
  /// Returns whether a different assignment of numbers may exist.
  bool choosesNumbers() const { return !numbers.empty(); }
  llvm::StringRef body() const { return text.text(); }

  /// Returns a key that is the same for equal fragments.
  std::string key() const;
  /// Returns the whole module. `hasFloats` means that nvcc has separate registers for floating-point numbers, which is
  /// the case below sm_100.
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
  Range place; // covers all statements
};

/// Returns the number of blocks that a text opens without closing them. `lowest` receives the lowest depth reached.
int openBlocks(llvm::StringRef text, int &lowest);
struct DeclaredName {
  std::string name;        // a family is written as `%r<`
  bool isVariable = false; // a variable in memory; otherwise a register or a label
};
/// Returns the names that a text declares outside of blocks.
std::vector<DeclaredName> declaredNames(llvm::StringRef text);
/// Returns whether nvcc does not know one of the constraints: it is misspelt, or meant for another architecture.
bool hasOtherConstraints(const InlineStatement &statement);
/// Returns whether a statement is meant for an NVIDIA GPU.
bool looksLikePtx(const InlineStatement &statement);

} // namespace ptxray
