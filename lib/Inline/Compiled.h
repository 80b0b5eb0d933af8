#pragma once
// Statements in the PTX that a compiler made of their source.
#include "Inline/Statement.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

/// What is between `// begin inline asm` and `// end inline asm`.
struct CompiledStatement {
  Range body;           // from the line after the one comment to the other
  std::string function; // mangled, as the PTX names it; empty: not known
  unsigned number = 0;  // in the function, from 1
  // What the `.loc` above says: where `asm` stands. Empty and 0: there is none.
  std::string path;
  uint32_t line = 0, column = 0;
};

/// In the order of the text.
std::vector<CompiledStatement> readCompiled(llvm::StringRef ptx);

/// Which characters of a compiled statement are which of its template.
class Alignment {
public:
  /// Nothing: it is another statement.
  static std::optional<Alignment> of(llvm::StringRef compiled, const InlineStatement &statement);
  /// The part of the template that a part of the compiled text was made from; empty: none.
  Range inTemplate(Range part) const;
  /// What is in an operand's place, and the operand: `%r3` is `%0`.
  const llvm::StringMap<std::string> &operands() const { return names; }

private:
  std::vector<Range> made; // by character; empty of white space
  llvm::StringMap<std::string> names;
};

} // namespace ptxray
