#pragma once
// Sources in literals: what NVRTC, `load_inline` and `RawModule` compile, what `cuModuleLoadData` loads, and LLVM's
// assembly in a call of `llvmcall`.
#include "Inline/Statement.h"

namespace ptxray {

/// Returns whether a closer look is worth its time.
bool mayHoldSource(llvm::StringRef text);

/// The place of a literal in its source.
struct LiteralPlace {
  uint32_t functions = 0; // number of functions that the source has so far
  uint32_t scopes = 0;    // number of blocks that the source has so far
  uint32_t guard = 0;     // innermost guard around the literal
  bool isForGpu = false;  // whether LLVM's assembly there is for a GPU, whatever it says
};

/// Adds the statements of a literal, with its functions and calls, or counts them if the literal is not a whole source.
/// Returns the new number of blocks.
uint32_t readTextOfSource(const MappedText &value, LiteralPlace at, InlineText &into);

/// Counts the statements of a text that is put together at run time.
void skipTextOfSource(llvm::StringRef text, Range place, InlineText &into);

} // namespace ptxray
