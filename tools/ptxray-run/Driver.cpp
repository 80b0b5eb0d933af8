#include "Driver.h"
#include <dlfcn.h>
#include <link.h>

namespace ptxray {

std::string Driver::path() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  const link_map *map = nullptr;
  return library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

std::string Driver::open(int ordinal) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return "this machine has no CUDA driver (libcuda.so.1); `ptxray run --emulate` does not need one";
  const char *missing = nullptr;
#define PTXRAY_NEEDED(name) name = reinterpret_cast<driver::signature::name *>(dlsym(library, #name));
#include "Functions.def"
#define PTXRAY_NEEDED(name) missing = name ? missing : #name;
#define PTXRAY_IMAGE(name) hasImages &= name != nullptr;
#define PTXRAY_NEWER(name)
#include "Functions.def"
  if (missing)
    return "the CUDA driver is too old: it has no " + std::string(missing);
  std::string reason;
  auto ok = [&](CuResult result) {
    if (result != 0)
      reason = "no GPU can be used: " + inWords(result);
    return result == 0;
  };
  int count = 0;
  if (!ok(cuInit(0)) || !ok(cuDriverGetVersion(&version)) || !ok(cuDeviceGetCount(&count)))
    return reason;
  if (ordinal >= count)
    return "there is no GPU " + std::to_string(ordinal) + ": the driver knows " + std::to_string(count);
  CuHandle context;
  char name[256] = "";
  if (!ok(cuDeviceGet(&device, ordinal)) || !ok(cuDeviceGetName(name, sizeof name, device)) ||
      !ok(cuDevicePrimaryCtxRetain(&context, device)) || !ok(cuCtxSetCurrent(context)))
    return reason;
  deviceName = name;
  computeMajor = deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  computeMinor = deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return "";
}

int Driver::deviceAttribute(int attribute) const {
  int value = 0;
  cuDeviceGetAttribute(&value, attribute, device);
  return value;
}

int Driver::functionAttribute(CuHandle function, int attribute) const {
  int value = 0;
  cuFuncGetAttribute(&value, attribute, function);
  return value;
}

std::string Driver::inWords(CuResult result) const {
  struct Known {
    CuResult result;
    const char *text;
  };
  static constexpr Known known[] = {
      {1, "an argument of the launch is invalid"},
      {2, "out of device memory"},
      {100, "there is no GPU"},
      {200, "the driver cannot load this image"},
      {209, "it contains no code for this GPU"},
      {218, "the driver's compiler rejects the PTX"},
      {222, "the driver is too old for this PTX version"},
      {300, "the driver cannot load this image"},
      {500, "it contains no such kernel"},
      {700, "it used an illegal address"},
      {701, "it needs more registers, threads or shared memory than the GPU has"},
      {702, "it ran too long"},
      {710, "an assertion failed"},
      {714, "a hardware stack overflowed or is corrupt"},
      {715, "it met an illegal instruction"},
      {716, "it used a misaligned address"},
      {717, "it used an address of the wrong state space"},
      {718, "it jumped to an address without an instruction"},
      {719, "it ended with `trap`, or with a fault that has no specific error"},
      {720, "a cooperative launch was too large"},
      {912, "clusters of this size are not possible"},
  };
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName)
    cuGetErrorName(result, &name);
  if (cuGetErrorString)
    cuGetErrorString(result, &text);
  for (const Known &entry : known)
    if (entry.result == result)
      text = entry.text;
  return std::string(text ? text : "an unknown error") + " (" + (name ? name : std::to_string(result).c_str()) + ")";
}

} // namespace ptxray
