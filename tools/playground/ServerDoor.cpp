// Passes messages to the language server, one after another.
#include "lsp/Server.h"

__attribute__((export_name("message"))) extern "C" void message(const char *body, size_t size) {
  static ptxray::lsp::Server server(llvm::outs());
  server.take({body, size});
  llvm::outs().flush();
}
