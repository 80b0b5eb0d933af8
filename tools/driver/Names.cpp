// Functions and errors can be asked for by a name or a number.
#include "State.h"

using namespace ptxray::driver;

PTXRAY_API cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  if (!name || !function || flags > 2)
    return InvalidValue;
  constexpr int found = 0, notFound = 1;
  constexpr uint64_t ofThread = 2;
  *function = findFunction(name, version, flags & ofThread);
  if (status)
    *status = *function ? found : notFound;
  return *function ? Success : NotFound;
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
