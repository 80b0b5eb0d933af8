#pragma once
// The types of the CUDA runtime that the functions here use, without CUDA's headers.
#include "Types.h"

namespace ptxray::runtime {

using namespace driver; // NOLINT(google-build-using-namespace): the runtime uses the same types under other names

/// Results of the runtime. Since CUDA 10.1 they have the numbers of the driver's results; the following ones exist only
/// here.
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

struct Dim3 {
  unsigned x, y, z;
};
/// The argument of cudaLaunchKernelExC. Its attributes are those of the driver.
struct ExtendedConfiguration {
  Dim3 grid, block;
  size_t shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// The direction of a copy between host and device, with the values of cudaMemcpyKind.
enum Direction : int { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, AnyDirection };

struct ChannelDescription {
  int bits[4]; // widths of x, y, z, w
  int kind;    // 0 for signed, 1 for unsigned, 2 for float
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
struct FillParameters;     // Graphs.cpp
struct KernelParameters;   // Graphs.cpp
struct AnyParameters;      // Graphs.cpp
struct FunctionAttributes; // Kernels.cpp
struct PointerAttributes;  // Memory.cpp
struct Resource;           // Textures.cpp
struct Texture;            // Textures.cpp

} // namespace ptxray::runtime
