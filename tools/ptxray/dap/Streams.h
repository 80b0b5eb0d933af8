#pragma once
// The standard streams are kept for messages while a part of the program prints something else.
#include "Ptxas/MemoryFile.h"

namespace ptxray::dap {

/// Keeps standard output and standard error for the adapter: the one carries its messages.
class PrintedText {
public:
  PrintedText();
  ~PrintedText();
  PrintedText(const PrintedText &) = delete;
  PrintedText &operator=(const PrintedText &) = delete;
  /// Returns the text that was printed until now. From now on the streams are as before.
  std::string take();

private:
  MemoryFile text;
  int output = -1, error = -1; // the streams as they were
};

} // namespace ptxray::dap
