// The errors of calls: the last error of each thread, and the names of errors.
#include "Runtime.h"
#include <utility>

namespace ptxray::runtime {

static thread_local Error lastError = Success;

Error noted(Error error) {
  if (error)
    lastError = error;
  return error;
}

struct NamedError {
  Error number;
  const char *name, *text; // null if the driver has the text
};

/// Returns the entry of an error, or null if none has that number.
static const NamedError *findError(Error error) {
  static constexpr NamedError all[] = {
#define PTXRAY_ERROR(number, name) {number, number ? "cudaError" #name : "cuda" #name, nullptr},
#define PTXRAY_OWN_ERROR(number, name, text) {number, "cudaError" #name, text},
#include "Errors.def"
#undef PTXRAY_ERROR
#undef PTXRAY_OWN_ERROR
  };
  for (const NamedError &one : all)
    if (one.number == error)
      return &one;
  return nullptr;
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

/// Resets only the error of this thread: after a fault of a kernel, the context returns it again.
PTXRAY_RUNTIME cudaGetLastError() { return std::exchange(lastError, Success); }
PTXRAY_RUNTIME cudaPeekAtLastError() { return lastError; }

extern "C" __attribute__((visibility("default"))) const char *cudaGetErrorName(Error error) {
  const NamedError *found = findError(error);
  return found ? found->name : "unrecognized error code";
}
extern "C" __attribute__((visibility("default"))) const char *cudaGetErrorString(Error error) {
  const NamedError *found = findError(error);
  const char *text = found ? found->text : nullptr;
  return text || (found && !cuGetErrorString(error, &text)) ? text : "unrecognized error code";
}
