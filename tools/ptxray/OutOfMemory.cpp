#include "OutOfMemory.h"
#include "Command.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace ptxray {

/// Writes a line without allocating memory, and ends the process. Nothing is cleaned up, since that may need memory.
[[noreturn]] static void end(std::string_view line) {
  [[maybe_unused]] const auto written = write(2, line.data(), static_cast<unsigned>(line.size()));
  std::_Exit(BadUsage);
}

[[noreturn]] static void endUnhandled() {
  try {
    if (std::exception_ptr thrown = std::current_exception())
      std::rethrow_exception(std::move(thrown));
  } catch (const std::bad_alloc &) {
    end("ptxray: out of memory\n");
  } catch (const std::length_error &) {
    end("ptxray: out of memory\n");
  } catch (const std::system_error &) {
    end("ptxray: the system has no threads left\n");
  } catch (...) { // an error in ptxray
  }
  std::abort();
}

/// LLVM's containers report here that memory is exhausted. Commands that handle this expect the exception of `new`.
static void throwBadAlloc(void *, const char *, bool) { throw std::bad_alloc(); }

void endWhereMemoryEnds() {
  std::set_terminate(endUnhandled);
  llvm::install_bad_alloc_error_handler(throwBadAlloc);
}

} // namespace ptxray
