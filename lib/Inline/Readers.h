#pragma once
// Finds the assembly in a source, with one function for each language.
#include "Inline/Language.h"
#include "Inline/Statement.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// When the headers of a source are read: WhenNeeded if a statement uses an undefined macro, First because their macros
/// may contain statements.
enum class Headers : uint8_t { WhenNeeded, First };

/// Build settings of a source: macros as `NAME=VALUE`, and additional include folders.
struct SourceBuild {
  llvm::ArrayRef<std::string> macros = {}, folders = {};
};

/// Reads CUDA C++. Searches for headers relative to `path`; without a path, finds none.
InlineText readCuda(const SourceBuffer &source, llvm::StringRef path, Headers headers, SourceBuild build = {});

/// Reads CUDA C++ in a string literal of another source.
InlineText readCudaText(const SourceBuffer &source);

/// Returns whether the macro distinguishes an architecture other than NVIDIA's.
bool isOtherMachine(llvm::StringRef macro);

/// Reads calls of `inline_asm_elementwise` and `llvm.inline_asm`, and CUDA C++ in string literals.
InlineText readPython(const SourceBuffer &source, bool isForGpu = false);
/// Reads `asm sideeffect "...", "..."` in LLVM assembly, and `llvm.inline_asm` in MLIR.
InlineText readLlvm(const SourceBuffer &source);
/// Reads `asm!` in Rust.
InlineText readRust(const SourceBuffer &source);

/// Reads a source in any language except PTX.
InlineText readSource(const SourceBuffer &source, Language language, llvm::StringRef path,
                      Headers headers = Headers::WhenNeeded, SourceBuild build = {});

/// Reads a source that is the template of one statement, with LLVM's constraints: `=r,r,~{memory}`.
InlineText readStatement(const SourceBuffer &source, llvm::StringRef constraints);

} // namespace ptxray
