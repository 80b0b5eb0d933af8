#pragma once
// Finds the assembly in a source, with one function for each language.
#include "Inline/Language.h"
#include "Inline/Statement.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// When a source's headers are read: if a statement needs a missing macro, or at first, since their macros may contain
/// statements.
enum class Headers : uint8_t { WhenNeeded, First };

/// A build defines macros for a source, as `NAME=VALUE`, and names folders of headers besides its own.
struct SourceBuild {
  llvm::ArrayRef<std::string> macros = {}, folders = {};
};

/// Headers are looked for relative to `path`, or nowhere if it is empty.
InlineText readCuda(const SourceBuffer &source, llvm::StringRef path, Headers headers, SourceBuild build = {});

/// Reads CUDA C++ in a literal of another source.
InlineText readCudaText(const SourceBuffer &source);

/// Returns whether a guard about this macro is about a machine other than an NVIDIA GPU.
bool isOtherMachine(llvm::StringRef macro);

/// Reads calls of `inline_asm_elementwise` and `llvm.inline_asm`, and CUDA C++ in literals.
InlineText readPython(const SourceBuffer &source, bool isForGpu = false);
/// Reads `asm sideeffect "...", "..."` in LLVM's assembly, and `llvm.inline_asm` in MLIR.
InlineText readLlvm(const SourceBuffer &source);
/// Reads `asm!` in Rust.
InlineText readRust(const SourceBuffer &source);

/// Reads a source in any language but PTX.
InlineText readSource(const SourceBuffer &source, Language language, llvm::StringRef path,
                      Headers headers = Headers::WhenNeeded, SourceBuild build = {});

/// Reads a source that is the text of one statement, with LLVM's constraints: `=r,r,~{memory}`.
InlineText readStatement(const SourceBuffer &source, llvm::StringRef constraints);

} // namespace ptxray
