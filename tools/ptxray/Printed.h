#pragma once
// The text that commands print can be collected, by who needs the standard streams for messages of its own.
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace ptxray {

/// Returns the stream for results: standard output, or the text that is collected.
llvm::raw_ostream &printed();
/// Returns the stream for complaints.
llvm::raw_ostream &complained();

/// Collects what is printed as long as it lives.
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
