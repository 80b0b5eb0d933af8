#pragma once
// From a source to the assembly in it, one function a language.
#include "Inline/Language.h"
#include "Inline/Statement.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// When a source's headers are read: when a statement needs a macro that it lacks, or before everything, since their
/// macros may hold statements.
enum class Headers : uint8_t { WhenNeeded, First };

/// `path` is where headers are looked for; empty: nowhere.
InlineText readCuda(const SourceBuffer &source, llvm::StringRef path, Headers headers);

/// Whether a guard that asks for this macro asks for a machine that is not an NVIDIA GPU.
bool isOtherMachine(llvm::StringRef macro);

/// Calls of `inline_asm_elementwise` and `llvm.inline_asm`.
InlineText readPython(const SourceBuffer &source);
/// `asm sideeffect "...", "..."` of LLVM's assembly, `llvm.inline_asm` of MLIR's.
InlineText readLlvm(const SourceBuffer &source);
/// `asm!` of Rust.
InlineText readRust(const SourceBuffer &source);

/// Of a language that is not PTX.
InlineText readSource(const SourceBuffer &source, Language language, llvm::StringRef path,
                      Headers headers = Headers::WhenNeeded);

/// Of a source that is the text of one statement, with LLVM's constraints: `=r,r,~{memory}`.
InlineText readStatement(const SourceBuffer &source, llvm::StringRef constraints);

} // namespace ptxray
