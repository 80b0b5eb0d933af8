#pragma once
// Lays out PTX in one style (docs/fmt.md). Only white space between tokens and comments changes.
#include "Diagnostics/Diagnostic.h"
#include "Format/Space.h"
#include <vector>

namespace ptxray {

class SourceBuffer;

/// Lines of a text, from 1, both included.
struct LineSpan {
  uint32_t first = 1, last = UINT32_MAX;
};

/// A formatting says how a text is to be changed, or why it is not.
struct Formatting {
  std::vector<Respacing> changes; // in the order of the text
  std::string refusal;            // why there are none; empty if there is no reason
  Range place;                    // of what the refusal is about
};

/// Lays out whole statements and comments on these lines. A text with an error of syntax is refused, since where its
/// statements end is a guess.
Formatting formattingOf(const SourceBuffer &source, const FormatOptions &options, LineSpan lines = {});

/// Returns the text after the changes.
std::string applied(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options);
/// Returns the changes as edits.
std::vector<Edit> editsOf(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options);

/// Returns the text in its style, or unchanged if it is refused.
std::string formatted(llvm::StringRef text, const FormatOptions &options, LineSpan lines = {});

} // namespace ptxray
