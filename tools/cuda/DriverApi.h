#pragma once
// Declares the functions of the CUDA driver API. The compiler compares each definition with its declaration here.
#include "Types.h"

namespace ptxray::driver {

/// The type of each function, by name.
namespace signature {
#define PTXRAY_FUNCTION(name, version, parameters) using name = Result parameters;
#define PTXRAY_STREAM(name, version, suffix, parameters)                                                               \
  using name = Result parameters;                                                                                      \
  using name##suffix = name;
#define PTXRAY_ABSENT(name, version, parameters) using name = Result parameters;
#define PTXRAY_ABSENT_STREAM(name, version, suffix, parameters)                                                        \
  using name = Result parameters;                                                                                      \
  using name##suffix = name;
#include "DriverApi.def"
#define PTXRAY_FUNCTION(name, version, parameters)
#define PTXRAY_FORWARD(name, version, other) using name = other;
#include "DriverApi.def"
} // namespace signature

} // namespace ptxray::driver

#define PTXRAY_DECLARED(name) extern "C" __attribute__((visibility("default"))) ptxray::driver::signature::name name;
#define PTXRAY_FUNCTION(name, version, parameters) PTXRAY_DECLARED(name)
#define PTXRAY_STREAM(name, version, suffix, parameters) PTXRAY_DECLARED(name) PTXRAY_DECLARED(name##suffix)
#define PTXRAY_ABSENT(name, version, parameters) PTXRAY_DECLARED(name)
#define PTXRAY_ABSENT_STREAM(name, version, suffix, parameters) PTXRAY_DECLARED(name) PTXRAY_DECLARED(name##suffix)
#define PTXRAY_FORWARD(name, version, other) PTXRAY_DECLARED(name)
#include "DriverApi.def"
#undef PTXRAY_DECLARED
