// The start-up code of a static program registers the tables for exceptions, and the first exception then sorts all of
// them. That takes 5 ms, while a check takes 2. The linker (CMakeLists.txt) therefore replaces the registration by
// these functions. The tables are then found through the index that --eh-frame-hdr makes, as in every other program.
#include <cstddef>
#include <cstdlib>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are the linker's
void __wrap___register_frame_info(const void *, void *) {}
void *__wrap___deregister_frame_info(const void *) { return nullptr; }
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
}

// The handler of the C++ library prints the type of an uncaught exception, and so links a demangler. These functions
// replace GNU's handler, or the demangler of LLVM's library.
extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): the library's name
char *__cxa_demangle(const char *, char *, size_t *, int *status) {
  if (status)
    *status = -1; // there is no memory for it
  return nullptr;
}
}
namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler() { std::abort(); }
} // namespace __gnu_cxx
