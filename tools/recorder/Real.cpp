#include "Real.h"
#include <dlfcn.h>
#include <map>
#include <type_traits>

namespace ptxray::recorder {

static Real find() {
  void *driver = dlopen(PTXRAY_REAL_DRIVER, RTLD_NOW); // already loaded
  Real found;
  const auto set = [&](auto &function, const char *name) {
    function = driver ? reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(driver, name)) : nullptr;
  };
#define PTXRAY_CALL(name) set(found.name, #name);
#include "Calls.def"
#undef PTXRAY_CALL
#define PTXRAY_NEEDED(name) set(found.name, #name);
#include "Needed.def"
#undef PTXRAY_NEEDED
  return found;
}

const Real &real() {
  static const Real functions = find();
  return functions;
}

void *ours(void *found) {
  static const std::map<void *, void *> all = [] {
    std::map<void *, void *> made;
#define PTXRAY_CALL(name)                                                                                              \
  if (real().name)                                                                                                     \
    made[reinterpret_cast<void *>(real().name)] = reinterpret_cast<void *>(::name);
#include "Calls.def"
#undef PTXRAY_CALL
    return made;
  }();
  const auto one = all.find(found);
  return one == all.end() ? found : one->second;
}

} // namespace ptxray::recorder
