#pragma once
// All functions of the runtime share this: their errors, the context that the first call makes, and what the program
// has registered before `main` began.
#include "../cuda/Attributes.h"
#include "../cuda/RuntimeApi.h"
#include <utility>

namespace ptxray::runtime {

/// Keeps an error for cudaGetLastError, and returns it.
Error noted(Error error);
/// Makes a context of this thread's device current, if there is none. Returns why it cannot.
Error enter();

/// Does what a function is for in a context, and keeps its error.
template <typename Function> Error inContext(const Function &function) {
  const Error bad = enter();
  return noted(bad ? bad : function());
}

/// While one lives, the stream 0 of this thread's calls is the thread's own.
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

/// Returns the driver's function of a kernel that the program has registered.
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

/// Returns the bytes of one channel of a texel, by the driver's number of its format.
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
/// Returns the driver's description of a copy of boxes.
Error boxesOf(Copy3D &boxes, const Copy3DParameters &asked);

} // namespace ptxray::runtime

#define PTXRAY_RUNTIME extern "C" __attribute__((visibility("default"))) ptxray::runtime::Error
