#pragma once
// State shared by all functions of the runtime: errors, the context that the first call creates, and everything that
// the program registered before `main`.
#include "../cuda/Attributes.h"
#include "../cuda/RuntimeApi.h"
#include <utility>

namespace ptxray::runtime {

/// Stores an error for cudaGetLastError, and returns it.
Error noted(Error error);
/// Makes a context of this thread's device current, if there is none. Returns the error if that fails.
Error enter();

/// Calls `function` in a context, and stores its error.
template <typename Function> Error inContext(const Function &function) {
  const Error bad = enter();
  return noted(bad ? bad : function());
}

/// While an object exists, stream 0 of this thread's calls is the per-thread default stream.
class DefaultOfThread {
public:
  DefaultOfThread() : before(std::exchange(isSet, true)) {}
  ~DefaultOfThread() { isSet = before; }
  DefaultOfThread(const DefaultOfThread &) = delete;
  DefaultOfThread &operator=(const DefaultOfThread &) = delete;
  static inline thread_local bool isSet = false;

private:
  bool before;
};
inline void *defaultStream() { return reinterpret_cast<void *>(uintptr_t(DefaultOfThread::isSet ? 2 : 0)); }

/// Returns the driver's function for a kernel that the program has registered.
Error functionOf(void **function, const void *kernel);
/// The device memory of a variable that the program has registered.
struct Place {
  Address address = 0;
  size_t size = 0;
};
Error placeOf(Place &place, const void *symbol);
/// Forgets all modules of the device, which are loaded again when necessary.
void forgetModules();

inline Address addressOf(const void *pointer) { return reinterpret_cast<Address>(pointer); }

/// Returns the size of one texel channel in bytes, for a format number of the driver.
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
/// Converts the parameters of a three-dimensional copy to those of the driver.
Error boxesOf(Copy3D &boxes, const Copy3DParameters &asked);

} // namespace ptxray::runtime

#define PTXRAY_RUNTIME extern "C" __attribute__((visibility("default"))) ptxray::runtime::Error
