#pragma once
// Formats PTX (docs/fmt.md). Changes only white space between tokens and comments.
#include "Diagnostics/Diagnostic.h"
#include "Format/Space.h"
#include <vector>

namespace ptxray {

class SourceBuffer;

/// A range of lines, from 1, including both ends.
struct LineSpan {
  uint32_t first = 1, last = UINT32_MAX;
};

/// The changes that format a module, or the reason why it is not formatted.
struct Formatting {
  std::vector<Respacing> changes; // in source order
  std::string refusal;            // why there are no changes; empty if the module can be formatted
  Range place;                    // location of the problem that `refusal` describes
};

/// Formats the statements and comments on these lines. Rejects a module with a syntax error, because the ends of its
/// statements are unknown.
Formatting formattingOf(const SourceBuffer &source, const FormatOptions &options, LineSpan lines = {});

/// Returns the text after the changes.
std::string applied(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options);
/// Returns the changes as edits.
std::vector<Edit> editsOf(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options);

/// Returns the formatted text, or the unchanged text if it is rejected.
std::string formatted(llvm::StringRef text, const FormatOptions &options, LineSpan lines = {});

} // namespace ptxray
