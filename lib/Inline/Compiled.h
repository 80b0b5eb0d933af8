#pragma once
// Finds statements in the PTX that a compiler made of their source.
#include "Inline/Statement.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

/// The text between `// begin inline asm` and `// end inline asm`.
struct CompiledStatement {
  Range body;           // from the line after the one comment to the other
  std::string function; // mangled, as the PTX names it; empty: not known
  unsigned number = 0;  // in the function, from 1
  // The place of `asm` according to the `.loc` above; empty and 0 if there is none.
  std::string path;
  uint32_t line = 0, column = 0;
};

/// Returns the statements in the order of the text.
std::vector<CompiledStatement> readCompiled(llvm::StringRef ptx);

/// Maps characters of a compiled statement to those of its template.
class Alignment {
public:
  /// Returns nothing if it is another statement.
  static std::optional<Alignment> of(llvm::StringRef compiled, const InlineStatement &statement);
  /// Returns the part of the template that a part of the compiled text was made from; empty if there is none.
  Range inTemplate(Range part) const;
  /// Returns the text in an operand's place, with the operand: `%r3` is `%0`.
  const llvm::StringMap<std::string> &operands() const { return names; }

private:
  std::vector<Range> made; // by character; empty of white space
  llvm::StringMap<std::string> names;
};

} // namespace ptxray
