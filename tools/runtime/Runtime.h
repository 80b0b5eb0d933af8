#pragma once
// All functions of the runtime share this: their errors, the context that the first call makes, and what the program
// has registered before `main` began.
#include "Driver.h"

namespace ptxray::runtime {

using namespace driver; // NOLINT(google-build-using-namespace): the runtime says the same things in other words

/// Results of the runtime. Since CUDA 10.1 they have the numbers of the driver's; these it has for itself.
using Error = Result;
enum : Error {
  InvalidConfiguration = 9,
  InvalidPitch = 12,
  InvalidSymbol = 13,
  InvalidDevicePointer = 17,
  InvalidChannels = 20,
  InvalidDirection = 21,
  MissingConfiguration = 52,
  InvalidFunction = 98,
};

/// Keeps an error for cudaGetLastError, and returns it.
Error noted(Error error);
/// Makes a context of this thread's device current, if there is none. Returns why it cannot.
Error enter();

/// Does what a function is for in a context, and keeps its error.
template <typename Function> Error inContext(const Function &function) {
  const Error bad = enter();
  return noted(bad ? bad : function());
}

/// Is true while this thread is in a function of PerThread.def, for which the stream 0 is that of the thread.
inline thread_local bool defaultIsOfThread = false;
inline void *defaultStream() { return reinterpret_cast<void *>(uintptr_t(defaultIsOfThread ? 2 : 0)); }

/// The driver's function of a kernel that the program has registered.
Error functionOf(void **function, const void *kernel);
/// The device's memory of a variable that the program has registered.
struct Place {
  Address address = 0;
  size_t size = 0;
};
Error placeOf(Place &place, const void *symbol);
/// Nothing of the device is known any more: its modules are loaded anew when they are needed.
void forgetModules();

inline Address addressOf(const void *pointer) { return reinterpret_cast<Address>(pointer); }

struct Dim3 {
  unsigned x, y, z;
};
/// The structure of cudaLaunchKernelExC. Its attributes are those of the driver.
struct ExtendedConfiguration {
  Dim3 grid, block;
  size_t shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// The sides of a copy, host or device, as cudaMemcpyKind says them.
enum Direction : int { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, AnyDirection };

struct ChannelDescription {
  int bits[4]; // of x, y, z, w
  int kind;    // 0: signed, 1: unsigned, 2: float
};
struct Extent {
  size_t width, height, depth;
};
struct Pitched {
  void *bytes;
  size_t pitch, width, height;
};
struct Position {
  size_t x, y, z;
};
struct Copy3DParameters {
  void *fromArray;
  Position fromAt;
  Pitched from;
  void *toArray;
  Position toAt;
  Pitched to;
  Extent extent;
  int direction;
};
/// The bytes of one channel of a texel, by the driver's number of its format.
inline size_t bytesOfFormat(int format) {
  switch (format) {
  case 0x01:
  case 0x08: return 1;
  case 0x02:
  case 0x09:
  case 0x10: return 2;
  default: return 4;
  }
}
/// The driver's description of a copy of boxes.
Error boxesOf(Copy3D &boxes, const Copy3DParameters &asked);

} // namespace ptxray::runtime

#define PTXRAY_RUNTIME extern "C" __attribute__((visibility("default"))) ptxray::runtime::Error
