#include "Streams.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <unistd.h>

namespace ptxray::dap {

PrintedText::PrintedText() {
  std::string reason;
  if (!text.create(reason))
    return;
  const int file = open(text.path().c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  llvm::outs().flush();
  output = dup(STDOUT_FILENO);
  error = dup(STDERR_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  close(file);
}

std::string PrintedText::take() {
  if (output < 0)
    return "";
  llvm::outs().flush();
  dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  close(output);
  close(error);
  output = error = -1;
  constexpr size_t most = 1 << 16;
  return llvm::StringRef(text.beginning(most)).trim().str();
}

PrintedText::~PrintedText() { take(); }

} // namespace ptxray::dap
