// JavaScript calls these functions of ptxray.wasm. A command runs as it does from main(). The functions that take a
// message are in ServerDoor.cpp and AdapterDoor.cpp.
#include <cstdlib>
#include <unistd.h>

// LLVM's Support library calls these functions, which wasi-libc does not define.
extern "C" int posix_madvise(void *, size_t, int) { return 0; }
extern "C" unsigned long getauxval(unsigned long) { return 0; }

extern "C" int __main_void(); // a function of wasi-libc that reads the arguments and calls main

/// Makes room for the next message, and returns its address.
__attribute__((export_name("room"))) extern "C" char *room(size_t size) {
  static char *place = nullptr;
  return place = static_cast<char *>(std::realloc(place, size));
}

/// Enters the folder $PWD, if it is set, so that relative paths begin there.
__attribute__((constructor)) static void enterFolder() {
  if (const char *folder = std::getenv("PWD"))
    chdir(folder);
}

/// Runs a command and returns its exit status.
__attribute__((export_name("command"))) extern "C" int command() { return __main_void(); }
