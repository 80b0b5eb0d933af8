#pragma once
// Loads the CUDA driver API at run time. Building does not require CUDA, and a missing driver causes one clear message.
#include "../cuda/Attributes.h"
#include "../cuda/DriverApi.h"
#include <string>

namespace ptxray {

using CuResult = driver::Result;
using CuDevice = driver::Device;
using CuPointer = driver::Address;
using CuHandle = void *; // a context, module, function, stream or event
using CuLaunchAttribute = driver::LaunchAttribute;
using CuLaunchConfig = driver::LaunchConfig;
inline constexpr CuResult CuNotReady = driver::NotReady;

/// The functions and the device of the driver. Functions that the driver lacks are null.
struct Driver {
#define PTXRAY_NEEDED(name) driver::signature::name *name = nullptr;
#include "Functions.def"

  bool hasImages = true; // has all functions for textures and surfaces
  CuDevice device = 0;
  std::string deviceName;
  int computeMajor = 0, computeMinor = 0;
  int version = 0; // 13000 for CUDA 13.0

  /// Opens libcuda and a device. Returns the problem, or an empty string.
  std::string open(int ordinal);
  /// Returns the path of libcuda; empty if there is none.
  static std::string path();
  int deviceAttribute(int attribute) const;
  int functionAttribute(CuHandle function, int attribute) const;
  /// Returns the description of a result: `an illegal address was used (CUDA_ERROR_ILLEGAL_ADDRESS)`.
  std::string inWords(CuResult result) const;
};

} // namespace ptxray
