#include "dap/Adapter.h"

namespace ptxray {

static int runDap(const Arguments &) {
  dap::Inbox inbox(llvm::sys::fs::getStdinHandle());
  return dap::Adapter(inbox, llvm::outs()).run();
}

Command dapCommand() {
  return {.name = "dap",
          .summary = "run as the debug adapter of an editor, on standard input and output",
          .syntax = {.options = {{"--stdio", "", "no effect: many editors add it"}}},
          .run = runDap};
}

} // namespace ptxray
