#pragma once
// The assembly that the readers of source languages find, before it is judged.
#include "Inline/Guards.h"
#include "Inline/MappedText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

struct InlineOperand {
  std::string constraint;           // as it is written: `=r`
  Range place;                      // of the constraint and the expression
  std::optional<std::string> value; // of a constant, if the text says it
  std::string name;                 // of `[name]`; empty: it has none
  bool isOutput = false;
};

/// A template refers to its operands in one of these styles.
enum class TemplateStyle : uint8_t {
  Gcc,  // `%0`, `%%`, `%=`
  Llvm, // `$0`, `${0}`, `$$`
};

/// One arm of a choice: of an `if` with its `else`, or of an `#if`.
struct InlineBranch {
  uint32_t choice = 0, arm = 0;
};

struct InlineStatement {
  Range place;   // from the keyword to the closing parenthesis
  Range keyword; // `asm`
  MappedText text;
  TemplateStyle style = TemplateStyle::Gcc;
  std::vector<InlineOperand> operands; // in the order of their numbers
  std::vector<std::pair<std::string, Range>> clobbers;
  std::optional<Range> missingComma; // an operand that follows another one
  bool isVolatile = false;
  bool isBasic = false;                        // without any colon
  bool isDevice = false;                       // in a function for a GPU
  bool isKernel = false;                       // in a kernel
  bool isNearDevice = false;                   // the source has functions for a GPU
  uint32_t guard = 0;                          // number of the innermost `#if` around it; 0: none
  uint32_t function = 0;                       // number of the function around it, from 1; 0: none
  uint32_t scope = 0;                          // number of the innermost block in that function; 0: not known
  llvm::SmallVector<InlineBranch, 2> branches; // arms around the statement
  // Where text must be inserted to add a clobber of memory, and that text; empty if a macro makes the statement.
  uint32_t clobberPlace = 0;
  std::string clobberText;
  bool changesMemory = false;                 // the language assumes that it accesses memory, whatever its clobbers are
  llvm::SmallVector<uint32_t, 0> literalEnds; // offsets in the text at which a literal of the source ends
};

/// A call in C++ of a function that the same source may define.
struct InlineCall {
  uint32_t caller = 0, scope = 0, guard = 0; // as in InlineStatement
  std::string name;
};

/// A function in C++ that nvcc may inline.
struct InlineFunction {
  std::string name;
  bool isKernel = false, isKept = false; // kept: `__noinline__`
  bool accessesMemory = false;           // by `p[i]` or `*p = ...` outside of statements of assembly
};

/// A statement that is not judged: too little of it is known, or another machine executes it.
struct SkippedStatement {
  Range place;
  std::string reason; // `with #if inside`
};

/// The reason for passing over a statement that several steps share.
inline constexpr llvm::StringLiteral forOtherMachine = "for another machine";

struct InlineText {
  std::vector<InlineStatement> statements; // in the order of the text
  std::vector<SkippedStatement> skipped;
  std::vector<InlineGuard> guards;       // numbers count from 1
  std::vector<Range> comments;           // those that begin with `ptxray:`
  std::vector<std::string> deviceNames;  // variables and functions that a statement may name
  std::vector<InlineFunction> functions; // by number, from 1; empty for other languages than C++
  std::vector<InlineCall> calls;         // in functions for a GPU
};

} // namespace ptxray
