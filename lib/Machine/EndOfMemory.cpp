// Compiled with exceptions (lib/CMakeLists.txt).
#include "Machine/EndOfMemory.h"
#include <new>
#include <stdexcept>

namespace ptxray::machine {

bool hasMemoryFor(llvm::function_ref<void()> work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  } catch (const std::length_error &) {
    return false;
  }
}

} // namespace ptxray::machine
