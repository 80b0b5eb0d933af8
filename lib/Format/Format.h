#pragma once
// PTX laid out in one style (docs/fmt.md). Nothing but the white space between tokens and comments changes.
#include "Diagnostics/Diagnostic.h"
#include "Format/Space.h"
#include <vector>

namespace ptxray {

class SourceBuffer;

/// Lines of a text, from 1, both included.
struct LineSpan {
  uint32_t first = 1, last = UINT32_MAX;
};

/// How a text is to change.
struct Formatting {
  std::vector<Respacing> changes; // in the order of the text
  std::string refusal;            // why there are none; empty: nothing is against it
  Range place;                    // of what the refusal is about
  std::vector<Range> faults;      // lines with errors of syntax, which stay as they are
};

/// Of whole statements and comments on these lines.
Formatting formattingOf(const SourceBuffer &source, const FormatOptions &options, LineSpan lines = {});

/// The text with the changes made.
std::string applied(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options);
/// The same changes, one by one.
std::vector<Edit> editsOf(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options);

/// The text in its style; as it is if that is refused.
std::string formatted(llvm::StringRef text, const FormatOptions &options, LineSpan lines = {});

} // namespace ptxray
