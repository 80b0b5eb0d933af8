// Devices and their contexts.
#include "Runtime.h"
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace ptxray::runtime {

static thread_local int deviceOfThread = 0;
static thread_local bool isEntered = false;

/// The number of devices; an error: there is no driver.
static Error devices(int &count) {
  const Error bad = cuInit(0);
  return bad ? bad : cuDeviceGetCount(&count);
}

static Error problemOf(int device) {
  int count = 0;
  if (const Error bad = devices(count))
    return bad;
  return device >= 0 && device < count ? Error(Success) : InvalidDevice;
}

Error enter() {
  if (isEntered)
    return Success;
  if (const Error bad = cuInit(0))
    return bad;
  void *context = nullptr;
  if (const Error bad = cuCtxGetCurrent(&context))
    return bad;
  if (!context) { // else the program has chosen it by the driver API
    if (const Error bad = cuDevicePrimaryCtxRetain(&context, deviceOfThread))
      return bad;
    if (const Error bad = cuCtxSetCurrent(context))
      return bad;
  }
  isEntered = true;
  return Success;
}

/// A member of cudaDeviceProp that is one attribute of the device, or several that follow each other.
struct Property {
  unsigned offset;
  bool isLong;
  int attribute; // the number of CUdevice_attribute
};
/// After the layout of the structure in CUDA 13.
static constexpr size_t propertyBytes = 1008;
static constexpr unsigned nameBytes = 256, uuidAt = 256, memoryAt = 288, constantAt = 352;
static constexpr Property properties[] = {
    {296, true, 8},    {304, false, 12},  {308, false, 10},  {312, true, 11},   {320, false, 1},   {324, false, 2},
    {328, false, 3},   {332, false, 4},   {336, false, 5},   {340, false, 6},   {344, false, 7},   {360, false, 75},
    {364, false, 76},  {368, true, 14},   {376, true, 51},   {384, false, 16},  {388, false, 18},  {392, false, 19},
    {396, false, 21},  {400, false, 77},  {404, false, 22},  {408, false, 23},  {412, false, 73},  {416, false, 74},
    {420, false, 70},  {424, false, 71},  {428, false, 72},  {432, false, 45},  {436, false, 46},  {440, false, 24},
    {444, false, 25},  {448, false, 26},  {452, false, 47},  {456, false, 48},  {460, false, 49},  {464, false, 52},
    {468, false, 42},  {472, false, 43},  {476, false, 27},  {480, false, 28},  {484, false, 29},  {488, false, 53},
    {492, false, 54},  {496, false, 55},  {500, false, 56},  {504, false, 57},  {508, false, 58},  {512, false, 59},
    {516, false, 60},  {520, false, 61},  {524, false, 62},  {528, false, 63},  {532, false, 64},  {536, false, 65},
    {540, false, 66},  {544, false, 67},  {548, false, 68},  {552, true, 30},   {560, false, 31},  {564, false, 32},
    {568, false, 33},  {572, false, 34},  {576, false, 50},  {580, false, 35},  {584, false, 40},  {588, false, 41},
    {592, false, 37},  {596, false, 38},  {600, false, 108}, {604, false, 39},  {608, false, 78},  {612, false, 79},
    {616, false, 80},  {624, true, 81},   {632, false, 82},  {636, false, 83},  {640, false, 84},  {644, false, 85},
    {648, false, 86},  {652, false, 88},  {656, false, 89},  {660, false, 90},  {664, false, 91},  {668, false, 95},
    {672, true, 97},   {680, false, 100}, {684, false, 101}, {688, false, 106}, {692, false, 109}, {696, true, 111},
    {704, false, 99},  {708, false, 112}, {712, false, 113}, {716, false, 114}, {720, false, 115}, {724, false, 116},
    {728, false, 117}, {732, false, 118}, {736, false, 119}, {740, false, 121}, {744, false, 125}, {748, false, 120},
    {752, false, 129}, {756, false, 130}, {760, false, 131}, {764, false, 133}, {768, false, 134}, {772, false, 136},
    {776, false, 137}, {780, false, 138}};

static Error propertiesOf(char *to, int device) {
  std::memset(to, 0, propertyBytes);
  if (const Error bad = cuDeviceGetName(to, nameBytes, device))
    return bad;
  Uuid uuid;
  if (const Error bad = cuDeviceGetUuid_v2(&uuid, device))
    return bad;
  std::memcpy(to + uuidAt, &uuid, sizeof uuid);
  size_t memory = 0;
  if (const Error bad = cuDeviceTotalMem_v2(&memory, device))
    return bad;
  std::memcpy(to + memoryAt, &memory, sizeof memory);
  constexpr int totalConstant = 9;
  int value = 0;
  cuDeviceGetAttribute(&value, totalConstant, device);
  const size_t constant = static_cast<size_t>(value);
  std::memcpy(to + constantAt, &constant, sizeof constant);
  for (const Property &one : properties) {
    value = 0;
    cuDeviceGetAttribute(&value, one.attribute, device); // one that the driver does not know stays 0
    const auto wide = static_cast<size_t>(value);
    std::memcpy(to + one.offset, one.isLong ? static_cast<const void *>(&wide) : &value, one.isLong ? 8 : 4);
  }
  return Success;
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

PTXRAY_RUNTIME cudaDriverGetVersion(int *version) { return noted(cuDriverGetVersion(version)); }
PTXRAY_RUNTIME cudaRuntimeGetVersion(int *version) {
  if (!version)
    return noted(InvalidValue);
  *version = 13000;
  return Success;
}

PTXRAY_RUNTIME cudaGetDeviceCount(int *count) { return noted(count ? devices(*count) : Error(InvalidValue)); }
PTXRAY_RUNTIME cudaGetDevice(int *device) {
  if (!device)
    return noted(InvalidValue);
  if (isEntered)
    return inContext([&] { return cuCtxGetDevice(device); });
  *device = deviceOfThread;
  return Success;
}
PTXRAY_RUNTIME cudaInitDevice(int device, unsigned, unsigned) { return noted(problemOf(device)); }
PTXRAY_RUNTIME cudaSetDevice(int device) {
  if (const Error bad = problemOf(device))
    return noted(bad);
  if (device != deviceOfThread || !isEntered) {
    deviceOfThread = device;
    isEntered = false;
    void *context = nullptr;
    if (const Error bad = cuDevicePrimaryCtxRetain(&context, device))
      return noted(bad);
    if (const Error bad = cuCtxSetCurrent(context))
      return noted(bad);
  }
  return noted(enter());
}
PTXRAY_RUNTIME cudaSetValidDevices(int *all, int count) {
  return noted(count && all ? problemOf(all[0]) : Error(InvalidValue));
}
PTXRAY_RUNTIME cudaChooseDevice(int *device, const void *properties) {
  if (!device || !properties)
    return noted(InvalidValue);
  *device = 0;
  return noted(problemOf(0));
}
PTXRAY_RUNTIME cudaGetDeviceProperties(void *to, int device) {
  if (!to)
    return noted(InvalidValue);
  const Error bad = problemOf(device);
  return noted(bad ? bad : propertiesOf(static_cast<char *>(to), device));
}
/// The numbers of attributes are those of the driver.
PTXRAY_RUNTIME cudaDeviceGetAttribute(int *value, int attribute, int device) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : cuDeviceGetAttribute(value, attribute, device));
}
PTXRAY_RUNTIME cudaDeviceCanAccessPeer(int *can, int device, int other) {
  const Error bad = problemOf(device) ? problemOf(device) : problemOf(other);
  return noted(bad ? bad : cuDeviceCanAccessPeer(can, device, other));
}
PTXRAY_RUNTIME cudaDeviceGetP2PAttribute(int *value, int, int, int) {
  return noted(value ? InvalidDevice : InvalidValue); // two devices are asked for, and there is one
}
PTXRAY_RUNTIME cudaDeviceEnablePeerAccess(int device, unsigned) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : Error(InvalidDevice)); // there is no other device
}
PTXRAY_RUNTIME cudaDeviceDisablePeerAccess(int device) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : Error(PeerAccessNotEnabled));
}
PTXRAY_RUNTIME cudaDeviceGetPCIBusId(char *text, int length, int device) {
  const Error bad = problemOf(device);
  return noted(bad ? bad : cuDeviceGetPCIBusId(text, length, device));
}
PTXRAY_RUNTIME cudaDeviceGetByPCIBusId(int *device, const char *text) {
  const Error bad = problemOf(0);
  return noted(bad ? bad : cuDeviceGetByPCIBusId(device, text));
}

PTXRAY_RUNTIME cudaDeviceSynchronize() {
  return inContext([] { return cuCtxSynchronize(); });
}
PTXRAY_RUNTIME cudaDeviceReset() {
  const Error bad = enter();
  if (bad)
    return noted(bad);
  forgetModules();
  isEntered = false;
  cuCtxSetCurrent(nullptr);
  return noted(cuDevicePrimaryCtxReset_v2(deviceOfThread)); // a fault of a kernel ends with its context
}
PTXRAY_RUNTIME cudaSetDeviceFlags(unsigned flags) {
  const Error bad = problemOf(deviceOfThread);
  return noted(bad ? bad : cuDevicePrimaryCtxSetFlags_v2(deviceOfThread, flags));
}
PTXRAY_RUNTIME cudaGetDeviceFlags(unsigned *flags) {
  int isActive = 0;
  const Error bad = problemOf(deviceOfThread);
  return noted(bad ? bad : cuDevicePrimaryCtxGetState(deviceOfThread, flags, &isActive));
}
PTXRAY_RUNTIME cudaDeviceSetLimit(int limit, size_t value) {
  return inContext([&] { return cuCtxSetLimit(limit, value); });
}
PTXRAY_RUNTIME cudaDeviceGetLimit(size_t *value, int limit) {
  return inContext([&] { return cuCtxGetLimit(value, limit); });
}
PTXRAY_RUNTIME cudaDeviceSetCacheConfig(int config) {
  return inContext([&] { return cuCtxSetCacheConfig(config); });
}
PTXRAY_RUNTIME cudaDeviceGetCacheConfig(int *config) {
  return inContext([&] { return cuCtxGetCacheConfig(config); });
}
PTXRAY_RUNTIME cudaDeviceSetSharedMemConfig(int) { return noted(enter()); }
PTXRAY_RUNTIME cudaDeviceGetSharedMemConfig(int *config) {
  return inContext([&] { return config ? (*config = 1, Error(Success)) : InvalidValue; });
}
PTXRAY_RUNTIME cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return inContext([&] { return cuCtxGetStreamPriorityRange(least, greatest); });
}
PTXRAY_RUNTIME cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const ChannelDescription *, int device) {
  if (const Error bad = problemOf(device))
    return noted(bad);
  return noted(width ? (*width = size_t(1) << 28, Error(Success)) : InvalidValue);
}
PTXRAY_RUNTIME cudaCtxResetPersistingL2Cache() {
  return inContext([] { return cuCtxResetPersistingL2Cache(); });
}
PTXRAY_RUNTIME cudaProfilerStart() {
  return inContext([] { return cuProfilerStart(); });
}
PTXRAY_RUNTIME cudaProfilerStop() {
  return inContext([] { return cuProfilerStop(); });
}

/// The newest version of a function that the runtime's version of CUDA has.
static Error driverFunction(const char *name, void **function, int version, unsigned long long flags, int *status) {
  const Error bad = enter();
  constexpr unsigned long long ofThread = 2;
  if (!flags && defaultIsOfThread)
    flags = ofThread;
  return noted(bad ? bad : cuGetProcAddress_v2(name, function, version, flags, status));
}
PTXRAY_RUNTIME cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status) {
  return driverFunction(name, function, 13000, flags, status);
}
PTXRAY_RUNTIME cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                unsigned long long flags, int *status) {
  return driverFunction(name, function, static_cast<int>(version), flags, status);
}
