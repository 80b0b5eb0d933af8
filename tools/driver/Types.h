#pragma once
// The types of the CUDA driver API that its functions here take, after the public documentation, without CUDA's
// headers.
#include <cstddef>
#include <cstdint>

namespace ptxray::driver {

using Result = int;
using Device = int;
using Address = unsigned long long;

/// The results that the functions give, by their numbers in the API.
enum : Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  FileNotFound = 301,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  PeerAccessNotEnabled = 705,
  AssertFailed = 710,
  MisalignedAddress = 716,
  LaunchFailed = 719,
  CooperativeTooLarge = 720,
  NotSupported = 801,
  InvalidClusterSize = 912,
};

struct Uuid {
  char bytes[16];
};

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
    char bytes[64];
  } value;
};
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
inline constexpr int launchCooperative = 2, launchCluster = 4;

struct Copy2D {
  size_t fromX, fromY;
  unsigned fromKind;
  const void *fromHost;
  Address fromDevice;
  void *fromArray;
  size_t fromPitch;
  size_t toX, toY;
  unsigned toKind;
  void *toHost;
  Address toDevice;
  void *toArray;
  size_t toPitch;
  size_t width, height;
};
struct Copy3D {
  size_t fromX, fromY, fromZ, fromLevel;
  unsigned fromKind;
  const void *fromHost;
  Address fromDevice;
  void *fromArray, *reserved0;
  size_t fromPitch, fromHeight;
  size_t toX, toY, toZ, toLevel;
  unsigned toKind;
  void *toHost;
  Address toDevice;
  void *toArray, *reserved1;
  size_t toPitch, toHeight;
  size_t width, height, depth;
};
enum : unsigned { KindHost = 1, KindDevice = 2, KindArray = 3, KindUnified = 4 };

} // namespace ptxray::driver
