#pragma once
// From a source to the assembly in it, one function a language.
#include "Inline/Statement.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// `path` is where headers are looked for; empty: nowhere.
InlineText readCuda(const SourceBuffer &source, llvm::StringRef path);

/// Calls of `inline_asm_elementwise` and `llvm.inline_asm`.
InlineText readPython(const SourceBuffer &source);
/// `asm sideeffect "...", "..."` of LLVM's assembly, `llvm.inline_asm` of MLIR's.
InlineText readLlvm(const SourceBuffer &source);

} // namespace ptxray
