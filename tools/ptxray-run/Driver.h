#pragma once
// The functions of the CUDA driver API that are used here, loaded at run time: CUDA is not needed to build, and without
// a driver there is one clear message.
#include "../cuda/Attributes.h"
#include "../cuda/DriverApi.h"
#include <string>

namespace ptxray {

using CuResult = driver::Result;
using CuDevice = driver::Device;
using CuPointer = driver::Address;
using CuHandle = void *; // of contexts, modules, functions, streams, events
using CuLaunchAttribute = driver::LaunchAttribute;
using CuLaunchConfig = driver::LaunchConfig;
inline constexpr CuResult CuNotReady = driver::NotReady;

/// The functions and the device of the driver. A function that the driver lacks is null.
struct Driver {
#define PTXRAY_NEEDED(name) driver::signature::name *name = nullptr;
#include "Functions.def"

  bool hasImages = true; // all functions for textures and surfaces
  CuDevice device = 0;
  std::string deviceName;
  int computeMajor = 0, computeMinor = 0;
  int version = 0; // 13000: CUDA 13.0

  /// Opens libcuda and a device; returns why that cannot be, or nothing.
  std::string open(int ordinal);
  /// Returns the file of libcuda; empty: there is none.
  static std::string path();
  int deviceAttribute(int attribute) const;
  int functionAttribute(CuHandle function, int attribute) const;
  /// Returns a result in words: `an illegal address was used (CUDA_ERROR_ILLEGAL_ADDRESS)`.
  std::string inWords(CuResult result) const;
};

} // namespace ptxray
