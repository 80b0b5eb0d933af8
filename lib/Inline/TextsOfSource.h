#pragma once
// Reads sources in string literals: CUDA C++ for NVRTC, `load_inline` and `RawModule`, PTX for `cuModuleLoadData`, and
// LLVM assembly for `llvmcall`.
#include "Inline/Statement.h"

namespace ptxray {

/// Returns whether the text may contain a source. The check is fast, but not exact.
bool mayHoldSource(llvm::StringRef text);

/// The location of a literal in its source.
struct LiteralPlace {
  uint32_t functions = 0; // number of functions so far
  uint32_t scopes = 0;    // number of blocks so far
  uint32_t guard = 0;     // innermost guard around the literal
  bool isForGpu = false;  // LLVM assembly in the literal is for a GPU, regardless of its contents
};

/// Adds the statements, functions and calls of a literal. If the literal is not a whole source, only counts its
/// statements. Returns the new number of blocks.
uint32_t readTextOfSource(const MappedText &value, LiteralPlace at, InlineText &into);

/// Counts the statements of a text that is composed at run time.
void skipTextOfSource(llvm::StringRef text, Range place, InlineText &into);

} // namespace ptxray
