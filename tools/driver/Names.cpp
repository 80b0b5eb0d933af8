// Looks up functions and errors by name or number.
#include "State.h"

using namespace ptxray::driver;

/// Returns an error for an unknown function only if the caller does not ask for `status`, as the driver does.
PTXRAY_API cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  if (!name || !function || flags > 2)
    return InvalidValue;
  constexpr uint64_t ofThread = 2;
  enum : int { IsFound, IsUnknown, IsNewer };
  const Found found = findFunction(name, version, flags & ofThread);
  *function = found.function;
  if (status)
    *status = found.function ? IsFound : found.isKnown ? IsNewer : IsUnknown;
  return found.function || status ? Success : NotFound;
}

PTXRAY_API cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

PTXRAY_API cuGetErrorName(Result error, const char **name) {
  const ErrorText *found = findError(error);
  if (!name)
    return InvalidValue;
  *name = found ? found->name : nullptr;
  return found ? Success : InvalidValue;
}

PTXRAY_API cuGetErrorString(Result error, const char **text) {
  const ErrorText *found = findError(error);
  if (!text)
    return InvalidValue;
  *text = found ? found->text : nullptr;
  return found ? Success : InvalidValue;
}
