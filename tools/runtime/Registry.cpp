// Before its `main` begins, a program registers its binaries, and the functions and variables of the host that
// represent kernels and variables of the device. A binary becomes a module when the program first needs something from
// it.
#include "Runtime.h"
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace ptxray::runtime {
namespace {

struct Binary {
  const void *image = nullptr;
  void *module = nullptr; // null if it is not loaded
};
/// A function or variable of the host that represents one of the device.
struct Named {
  Binary *binary = nullptr;
  const char *name = nullptr;
};
struct Managed {
  Named variable;
  void **pointer = nullptr; // the host finds the address of the variable there
};

struct Registry {
  std::recursive_mutex mutex;
  std::deque<Binary> binaries;
  std::map<const void *, Named> kernels, variables;
  std::map<const void *, void *> loaded; // from kernels to functions of the driver
  std::deque<Managed> managed;
};

} // namespace

static Registry &registry() {
  static auto *const one = new Registry; // programs register before `main`, and call until their end
  return *one;
}

/// Returns the fat binary in nvcc's wrapper, which holds a number, a version, and the address.
static const void *unwrapped(const void *wrapper) {
  constexpr uint32_t magic = 0x466243b1;
  uint32_t number;
  std::memcpy(&number, wrapper, sizeof number);
  if (number != magic)
    return wrapper;
  const void *image;
  std::memcpy(&image, static_cast<const char *>(wrapper) + 8, sizeof image);
  return image;
}

static Error load(Binary &binary) {
  if (binary.module)
    return Success;
  if (const Error bad = enter())
    return bad;
  if (const Error bad = cuModuleLoadFatBinary(&binary.module, unwrapped(binary.image)))
    return bad;
  for (const Managed &one : registry().managed)
    if (one.variable.binary == &binary) {
      Address address = 0;
      if (const Error bad = cuModuleGetGlobal_v2(&address, nullptr, binary.module, one.variable.name))
        return bad;
      *one.pointer = reinterpret_cast<void *>(address);
    }
  return Success;
}

Error functionOf(void **function, const void *kernel) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.loaded.find(kernel); known != all.loaded.end()) {
    *function = known->second;
    return Success;
  }
  const auto found = all.kernels.find(kernel);
  if (found == all.kernels.end()) // a kernel of a library has a handle of the driver
    return cuKernelGetFunction(function, const_cast<void *>(kernel)) ? Error(InvalidFunction) : Error(Success);
  if (const Error bad = load(*found->second.binary))
    return bad;
  if (cuModuleGetFunction(function, found->second.binary->module, found->second.name))
    return InvalidFunction;
  all.loaded.emplace(kernel, *function);
  return Success;
}

Error placeOf(Place &place, const void *symbol) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.variables.find(symbol);
  if (found == all.variables.end())
    return InvalidSymbol;
  if (const Error bad = load(*found->second.binary))
    return bad;
  return cuModuleGetGlobal_v2(&place.address, &place.size, found->second.binary->module, found->second.name)
             ? Error(InvalidSymbol)
             : Success;
}

void forgetModules() {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  all.loaded.clear();
  for (Binary &binary : all.binaries)
    if (void *module = std::exchange(binary.module, nullptr))
      cuModuleUnload(module);
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

#define PTXRAY_REGISTERS extern "C" __attribute__((visibility("default")))

PTXRAY_REGISTERS void **__cudaRegisterFatBinary(void *image) {
  const std::lock_guard lock(registry().mutex);
  registry().binaries.push_back({image, nullptr});
  return reinterpret_cast<void **>(&registry().binaries.back());
}
PTXRAY_REGISTERS void __cudaRegisterFatBinaryEnd(void **) {}
PTXRAY_REGISTERS void __cudaUnregisterFatBinary(void **) {} // the whole program ends

PTXRAY_REGISTERS void __cudaRegisterFunction(void **binary, const char *function, char *, const char *name, int, void *,
                                             void *, void *, void *, int *) {
  const std::lock_guard lock(registry().mutex);
  registry().kernels[function] = {reinterpret_cast<Binary *>(binary), name};
}
PTXRAY_REGISTERS void __cudaRegisterVar(void **binary, char *variable, char *, const char *name, int, size_t, int,
                                        int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[variable] = {reinterpret_cast<Binary *>(binary), name};
}
PTXRAY_REGISTERS void __cudaRegisterManagedVar(void **binary, void **pointer, char *, const char *name, int, size_t,
                                               int, int) {
  const std::lock_guard lock(registry().mutex);
  const Named variable = {reinterpret_cast<Binary *>(binary), name};
  registry().variables[pointer] = variable;
  registry().managed.push_back({variable, pointer});
}
/// Loads a binary. The host calls this function before it uses a managed variable.
PTXRAY_REGISTERS char __cudaInitModule(void **binary) {
  const std::lock_guard lock(registry().mutex);
  return noted(load(*reinterpret_cast<Binary *>(binary))) == Success;
}

/// Returns the handle of a kernel. It is the function of the host that represents the kernel, because that remains
/// valid when the device is reset.
PTXRAY_RUNTIME cudaGetKernel(void **kernel, const void *function) {
  if (!kernel || !function)
    return noted(InvalidValue);
  *kernel = const_cast<void *>(function);
  return Success;
}
PTXRAY_RUNTIME __cudaGetKernel(void **kernel, const void *function) { return cudaGetKernel(kernel, function); }
