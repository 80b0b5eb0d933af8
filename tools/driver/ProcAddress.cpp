// Looks up functions and errors by name or number.
#include "State.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::driver {

namespace {
struct Named {
  llvm::StringLiteral name;
  int version; // the first version of the API that has the function
  void *function;
  void *ofThread; // the variant for per-thread default streams, or null
};
} // namespace

static llvm::ArrayRef<Named> functions() {
#define PTXRAY_ADDRESS(name) reinterpret_cast<void *>(&::name)
#define PTXRAY_FUNCTION(name, version, parameters) {#name, version, PTXRAY_ADDRESS(name), nullptr},
#define PTXRAY_STREAM(name, version, suffix, parameters)                                                               \
  {#name, version, PTXRAY_ADDRESS(name), PTXRAY_ADDRESS(name##suffix)},
#define PTXRAY_ABSENT(name, version, parameters) {#name, version, PTXRAY_ADDRESS(name), nullptr},
#define PTXRAY_FORWARD(name, version, other) {#name, version, PTXRAY_ADDRESS(name), nullptr},
  static const Named all[] = {
#include "../cuda/DriverApi.def"
  };
#undef PTXRAY_ADDRESS
  return all;
}

/// Returns the name of a symbol without its version, such as the `_v2` of cuMemAlloc_v2.
static llvm::StringRef nameOf(llvm::StringRef symbol) {
  const bool hasVersion = symbol.size() > 3 && symbol.drop_back().ends_with("_v");
  return hasVersion ? symbol.drop_back(3) : symbol;
}

Found findFunction(llvm::StringRef name, int version, bool ofThread) {
  if (name == "cuGraphInstantiate" && version >= 12000) // CUDA 12 renamed it
    name = "cuGraphInstantiateWithFlags";
  const Named *best = nullptr;
  bool isKnown = false;
  for (const Named &one : functions()) {
    if (nameOf(one.name) != name)
      continue;
    isKnown = true;
    if (one.version <= version && (!best || llvm::StringRef(best->name) < one.name))
      best = &one;
  }
  if (!best)
    return {nullptr, isKnown};
  return {ofThread && best->ofThread ? best->ofThread : best->function, true};
}

const ErrorText *findError(int number) {
  static constexpr ErrorText all[] = {
#define PTXRAY_ERROR(number, name, text) {number, "CUDA_" #name, text},
#include "Errors.def"
#undef PTXRAY_ERROR
  };
  const auto *found = llvm::find_if(all, [&](const ErrorText &one) { return one.number == number; });
  return found == std::end(all) ? nullptr : found;
}

} // namespace ptxray::driver
