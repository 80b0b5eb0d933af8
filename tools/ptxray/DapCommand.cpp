#include "dap/Adapter.h"

namespace ptxray {

static int runDap(const Arguments &) {
  dap::Inbox inbox(llvm::sys::fs::getStdinHandle());
  dap::Adapter adapter(inbox.watch(), llvm::outs());
  while (!adapter.isOver()) {
    const std::optional<dap::Request> request = inbox.next();
    if (!request)
      return FoundErrors; // a session should end with `disconnect`
    adapter.take(*request);
  }
  return Clean;
}

Command dapCommand() {
  return {.name = "dap",
          .summary = "run as the debug adapter of an editor, on standard input and output",
          .syntax = {.options = {{"--stdio", "", "accepted without effect, because many editors pass it"}}},
          .run = runDap};
}

} // namespace ptxray
