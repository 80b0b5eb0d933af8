#pragma once
// Redirects the text that commands print, for servers that use the standard streams for messages.
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace ptxray {

/// Returns the stream for results: standard output, or the collected text.
llvm::raw_ostream &printed();
/// Returns the stream for error messages.
llvm::raw_ostream &complained();

/// Collects printed text while the object exists.
class PrintedText {
public:
  PrintedText();
  ~PrintedText();
  PrintedText(const PrintedText &) = delete;
  PrintedText &operator=(const PrintedText &) = delete;
  std::string text() const;

private:
  std::string collected;
  llvm::raw_string_ostream stream{collected};
  PrintedText *previous;
  friend llvm::raw_ostream &printed();
  friend llvm::raw_ostream &complained();
};

} // namespace ptxray
