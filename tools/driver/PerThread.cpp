// The functions of PerThread.def: each is the ordinary one, called while the default stream is that of the thread.
#include "State.h"

namespace ptxray::driver {
namespace {

template <auto function> struct OfThread;
template <typename... Types, Result (*function)(Types...)> struct OfThread<function> {
  static Result call(Types... values) {
    const DefaultOfThread ofThread;
    return function(values...);
  }
};

} // namespace
} // namespace ptxray::driver

using namespace ptxray::driver;

// The loader asks for the address of each function, since a function that a template makes has no name of its own.
#define PTXRAY_PER_THREAD(name, suffix, ...)                                                                           \
  extern "C" Result name(__VA_ARGS__);                                                                                 \
  extern "C" __attribute__((used)) auto *resolve_##name() { return &OfThread<&name>::call; }                           \
  PTXRAY_API name##suffix(__VA_ARGS__) __attribute__((ifunc("resolve_" #name)));
#include "PerThread.def"
