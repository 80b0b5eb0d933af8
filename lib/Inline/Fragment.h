#pragma once
// Statements as a PTX module: what they say, around it what makes it a whole.
#include "Diagnostics/Diagnostic.h"
#include "Inline/Statement.h"
#include <map>

namespace ptxray {

/// A statement, or several that together open and close a block.
class Fragment {
public:
  /// What numbers of any value shall be, by their names; others stay unknown.
  using Numbers = std::map<std::string, std::string>;
  explicit Fragment(Numbers numbers = {}) : numbers(std::move(numbers)) {}
  /// Adds what a statement says. What is wrong with its operands as such is reported, at the places of the source.
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
  /// What the text names and the statement does not have.
  const std::vector<std::string> &missing() const { return absent; }
  /// Ways to choose the numbers that the text has inside of words, `.k%2`: each way makes words that exist, where some
  /// number does. Empty: there are no such numbers.
  std::vector<Numbers> choices() const;
  /// Whether others might do as well as those it has.
  bool choosesNumbers() const { return !numbers.empty(); }
  llvm::StringRef body() const { return text.text(); }

  /// What makes two fragments equal.
  std::string key() const;
  /// The whole module. `hasFloats`: below sm_100, nvcc has registers of their own for numbers with a point.
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

/// How many blocks a text opens that it does not close; `lowest` is the least depth on the way.
int openBlocks(llvm::StringRef text, int &lowest);
struct DeclaredName {
  std::string name;        // of a family `%r<`
  bool isVariable = false; // in memory; else a register or a label
};
/// What a text declares outside of blocks.
std::vector<DeclaredName> declaredNames(llvm::StringRef text);
/// Whether a statement is meant for a GPU of NVIDIA.
bool looksLikePtx(const InlineStatement &statement);

} // namespace ptxray
