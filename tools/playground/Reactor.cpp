// JavaScript calls these functions of ptxray.wasm: a command, run as main() runs it, and the language server, message
// by message.
#include "lsp/Server.h"
#include <cstdlib>
#include <unistd.h>

extern "C" int __main_void(); // of wasi-libc: asks for the arguments and calls main

namespace ptxray {

/// Makes room for the next message, and returns its address.
__attribute__((export_name("room"))) extern "C" char *room(size_t size) {
  static char *place = nullptr;
  return place = static_cast<char *>(std::realloc(place, size));
}

/// Gives the exit status. Relative paths begin at $PWD, if it is set.
__attribute__((export_name("command"))) extern "C" int command() {
  if (const char *folder = std::getenv("PWD"))
    chdir(folder);
  return __main_void();
}

__attribute__((export_name("message"))) extern "C" void message(const char *body, size_t size) {
  static lsp::Server server(llvm::outs());
  server.take({body, size});
  llvm::outs().flush();
}

} // namespace ptxray
