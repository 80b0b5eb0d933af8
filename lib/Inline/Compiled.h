#pragma once
// Finds inline assembly in the PTX that a compiler generated.
#include "Inline/Statement.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

/// The text between `// begin inline asm` and `// end inline asm` in compiled PTX.
struct CompiledStatement {
  Range body;           // begins on the line after the first comment, ends at the second
  std::string function; // mangled name from the PTX; empty if unknown
  unsigned number = 0;  // index in the function, from 1
  // The location of `asm` according to the preceding `.loc`; empty and 0 if there is none.
  std::string path;
  uint32_t line = 0, column = 0;
};

/// Returns the statements in source order.
std::vector<CompiledStatement> readCompiled(llvm::StringRef ptx);

/// Maps characters of a compiled statement to those of its template.
class Alignment {
public:
  /// Returns the alignment, or nothing if `compiled` is not the result of `statement`.
  static std::optional<Alignment> of(llvm::StringRef compiled, const InlineStatement &statement);
  /// Returns the part of the template from which a part of the compiled text was generated; empty if there is none.
  Range inTemplate(Range part) const;
  /// Returns the text that replaced each operand, mapped to the operand: `%r3` to `%0`.
  const llvm::StringMap<std::string> &operands() const { return names; }

private:
  std::vector<Range> made; // indexed by character; empty for white space
  llvm::StringMap<std::string> names;
};

} // namespace ptxray
