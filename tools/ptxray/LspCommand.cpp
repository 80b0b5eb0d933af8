#include "Command.h"
#include "lsp/Server.h"
#include "llvm/Support/FileSystem.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ptxray {

static int runLsp(const Arguments &arguments) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1); // two threads that pass memory to each other need no separate arenas
#endif
  lsp::Inbox inbox(llvm::sys::fs::getStdinHandle());
  const int status = lsp::Server(llvm::outs(), arguments.has("--verify")).run(inbox);
  if (inbox.isLost())
    llvm::errs() << "ptxray: lsp: expected a header `Content-Length: N`\n";
  return status;
}

Command lspCommand() {
  return {.name = "lsp",
          .summary = "run as the language server of an editor, on standard input and output",
          .syntax = {.options = {{"--stdio", "", "accepted without effect, because many editors pass it"},
                                 {"--verify", "",
                                  "for tests: also check each document from scratch, and abort on a difference"}}},
          .run = runLsp};
}

} // namespace ptxray
