#pragma once
// The inline assembly in a source, as the language readers find it.
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
  std::string constraint;           // in source spelling: `=r`
  Range place;                      // location of the constraint and the expression
  std::optional<std::string> value; // value of a constant, if the source specifies it
  std::string name;                 // `name` for `[name]`; empty if there is none
  bool isOutput = false;
};

/// How a template refers to its operands.
enum class TemplateStyle : uint8_t {
  Gcc,  // `%0`, `%%`, `%=`
  Llvm, // `$0`, `${0}`, `$$`
};

/// One branch of an `if` with its `else`, or of an `#if`.
struct InlineBranch {
  uint32_t choice = 0, arm = 0;
};

struct InlineStatement {
  Range place;   // begins at the keyword, ends at the closing parenthesis
  Range keyword; // `asm`
  MappedText text;
  TemplateStyle style = TemplateStyle::Gcc;
  std::vector<InlineOperand> operands; // in numerical order
  std::vector<std::pair<std::string, Range>> clobbers;
  std::optional<Range> missingComma; // location of an operand that follows another without a comma
  bool isVolatile = false;
  bool isBasic = false;                        // has no colons
  bool isDevice = false;                       // in a function for a GPU
  bool isKernel = false;                       // in a kernel
  bool isNearDevice = false;                   // the source contains functions for a GPU
  uint32_t guard = 0;                          // number of the innermost `#if` around it; 0 if none
  uint32_t function = 0;                       // number of the enclosing function, from 1; 0 if none
  uint32_t scope = 0;                          // number of the innermost block in that function; 0 if unknown
  llvm::SmallVector<InlineBranch, 2> branches; // branches that contain the statement
  // The text that adds a memory clobber, and where to insert it; empty if a macro produces the statement.
  uint32_t clobberPlace = 0;
  std::string clobberText;
  bool changesMemory = false;                 // the language assumes that it accesses memory, regardless of clobbers
  llvm::SmallVector<uint32_t, 0> literalEnds; // offsets in the template at which a string literal of the source ends
};

/// A call in C++ of a function that the same source may define.
struct InlineCall {
  uint32_t caller = 0, scope = 0, guard = 0; // same as in InlineStatement
  std::string name;
};

/// A C++ function that nvcc may inline.
struct InlineFunction {
  std::string name;
  bool isKernel = false, isKept = false; // kept: `__noinline__`
  bool accessesMemory = false;           // contains `p[i]` or `*p = ...` outside of inline assembly
};

/// A statement that is not checked, because too little is known about it, or because it is for another architecture.
struct SkippedStatement {
  Range place;
  std::string reason; // `with #if inside`
};

/// The reason for skipping a statement, as several steps report it.
inline constexpr llvm::StringLiteral forOtherMachine = "for another machine";

struct InlineText {
  std::vector<InlineStatement> statements; // in source order
  std::vector<SkippedStatement> skipped;
  std::vector<InlineGuard> guards;       // numbered from 1
  std::vector<Range> comments;           // comments that begin with `ptxray:`
  std::vector<std::string> deviceNames;  // variables and functions that a statement may refer to
  std::vector<InlineFunction> functions; // numbered from 1; empty for languages other than C++
  std::vector<InlineCall> calls;         // only in functions for a GPU
};

} // namespace ptxray
