// JavaScript calls these functions of ptxray.wasm: a command runs as main() runs it. ServerDoor.cpp and AdapterDoor.cpp
// have those that take a message.
#include <cstdlib>
#include <unistd.h>

// LLVM's Support asks for these functions, which wasi-libc has not.
extern "C" int posix_madvise(void *, size_t, int) { return 0; }
extern "C" unsigned long getauxval(unsigned long) { return 0; }

extern "C" int __main_void(); // of wasi-libc: asks for the arguments and calls main

/// Makes room for the next message, and returns its address.
__attribute__((export_name("room"))) extern "C" char *room(size_t size) {
  static char *place = nullptr;
  return place = static_cast<char *>(std::realloc(place, size));
}

/// Relative paths begin at $PWD, if it is set.
__attribute__((constructor)) static void enterFolder() {
  if (const char *folder = std::getenv("PWD"))
    chdir(folder);
}

/// Gives the exit status.
__attribute__((export_name("command"))) extern "C" int command() { return __main_void(); }
