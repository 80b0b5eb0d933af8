#pragma once
// Declares the functions of the CUDA runtime. The compiler compares each definition with its declaration here.
#include "DriverApi.h"
#include "RuntimeTypes.h"

namespace ptxray::runtime {

/// The type of each function, by name.
namespace signature {
using Stream = void *;
#define PTXRAY_FUNCTION(name, parameters) using name = Error parameters;
#define PTXRAY_STREAM(name, suffix, parameters)                                                                        \
  using name = Error parameters;                                                                                       \
  using name##suffix = name;
#include "RuntimeApi.def"
} // namespace signature

} // namespace ptxray::runtime

#define PTXRAY_FUNCTION(name, parameters)                                                                              \
  extern "C" __attribute__((visibility("default"))) ptxray::runtime::signature::name name;
#define PTXRAY_STREAM(name, suffix, parameters)                                                                        \
  PTXRAY_FUNCTION(name, parameters) PTXRAY_FUNCTION(name##suffix, parameters)
#include "RuntimeApi.def"
