// Definitions that follow from the list of functions alone: unsupported functions, alternative names, and variants
// whose default stream belongs to the calling thread.
#include "State.h"

namespace ptxray::driver {
namespace {

template <auto function> struct Forwarding;
template <typename... Types, Result (*function)(Types...)> struct Forwarding<function> {
  static Result call(Types... values) { return function(values...); }
  static Result callOfThread(Types... values) {
    const DefaultOfThread ofThread;
    return function(values...);
  }
};

} // namespace
} // namespace ptxray::driver

using namespace ptxray::driver;

// An ifunc gives a name to an instance of a template: the loader calls the resolver for the address.
#define PTXRAY_NAMED(name, instance)                                                                                   \
  extern "C" __attribute__((used)) auto *resolve_##name() { return &instance; }                                        \
  extern "C" __attribute__((visibility("default"), ifunc("resolve_" #name))) ptxray::driver::signature::name name;
#define PTXRAY_FUNCTION(name, version, parameters)
#define PTXRAY_STREAM(name, version, suffix, parameters) PTXRAY_NAMED(name##suffix, Forwarding<&name>::callOfThread)
#define PTXRAY_ABSENT(name, version, parameters)                                                                       \
  PTXRAY_API name parameters { return NotSupported; }
#define PTXRAY_ABSENT_STREAM(name, version, suffix, parameters)                                                        \
  PTXRAY_API name parameters { return NotSupported; }                                                                  \
  PTXRAY_API name##suffix parameters { return NotSupported; }
#define PTXRAY_FORWARD(name, version, other) PTXRAY_NAMED(name, Forwarding<&other>::call)
#include "../cuda/DriverApi.def"
