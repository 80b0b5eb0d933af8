#pragma once
// The types of the CUDA driver API that the functions here use, according to the public documentation, without CUDA's
// headers.
#include <cstddef>
#include <cstdint>

namespace ptxray::driver {

using Result = int;
using Device = int;
using Address = unsigned long long;

/// The version of CUDA whose functions are declared: 13.5.
inline constexpr int apiVersion = 13050;

/// The type of texel channels, with the values of the API.
enum TexelFormat : int {
  TexelU8 = 0x01,
  TexelU16 = 0x02,
  TexelU32 = 0x03,
  TexelS8 = 0x08,
  TexelS16 = 0x09,
  TexelS32 = 0x0a,
  TexelF16 = 0x10,
  TexelF32 = 0x20,
};

/// Results of functions, with the values of the API.
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
  InvalidSource = 300,
  FileNotFound = 301,
  OperatingSystem = 304,
  InvalidHandle = 400,
  IllegalState = 401,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  PeerAccessNotEnabled = 705,
  ContextIsDestroyed = 709,
  AssertFailed = 710,
  NotRegistered = 713,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  LaunchFailed = 719,
  CooperativeTooLarge = 720,
  NotPermitted = 800,
  NotSupported = 801,
  CaptureUnsupported = 900,
  CaptureInvalidated = 901,
  CaptureMerge = 902,
  CaptureUnmatched = 903,
  CaptureUnjoined = 904,
  CaptureIsolation = 905,
  CaptureImplicit = 906,
  CapturedEvent = 907,
  CaptureWrongThread = 908,
  GraphUpdateFailure = 910,
  InvalidClusterSize = 912,
};

struct Uuid {
  char bytes[16];
};
/// A handle for memory or an event of another process.
struct IpcHandle {
  char bytes[64];
};
/// A preferred location of managed memory: a device or the host.
struct Location {
  int kind = 0, number = -2; // none
};

/// The value of a stream attribute.
struct AttributeValue {
  char bytes[64];
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
struct FlatArrayDescription {
  size_t width, height;
  int format;
  unsigned channels;
};
struct ArrayDescription {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

/// The memory of a texture or a surface.
enum ResourceKind : int { ArrayResource, MipmappedResource, LinearResource, RowsResource };
struct ResourceDescription {
  int kind;
  int padding;
  union {
    void *array;
    struct {
      Address address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      Address address;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } rows;
    int reserved[32];
  };
  unsigned flags;
};
enum TextureFlag : unsigned {
  TextureAsIntegers = 1,
  TextureIsNormalized = 2,
  TextureIsSrgb = 0x10,
  TextureIsSeamless = 0x40,
};
struct TextureDescription {
  int modes[3], filter;
  unsigned flags, anisotropy;
  int levelFilter;
  float bias, leastLevel, mostLevel, border[4];
  int reserved[12];
};
struct ViewDescription {
  int format;
  size_t width, height, depth;
  unsigned firstLevel, lastLevel, firstLayer, lastLayer, reserved[16];
};

/// Parameters of a kernel node. The first version of the structure ends before `kernel`.
struct KernelNodeParameters {
  void *function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **parameters, **extra;
  void *kernel, *context;
};
struct FillNodeParameters {
  Address to;
  size_t pitch;
  unsigned value, bytes;
  size_t width, height;
};
struct HostNodeParameters {
  void (*function)(void *);
  void *data;
};
/// Properties of a memory pool. Only device memory is inaccessible to the host.
struct PoolProperties {
  int kind, handles;
  Location location;
  char reserved[72];
};
/// Parameters of a node that allocates memory.
struct AllocNodeParameters {
  PoolProperties pool;
  const void *access;
  size_t accessCount, size;
  Address address;
};
/// Parameters of a node that launches one of its graphs, or none, depending on a condition.
struct ConditionNodeParameters {
  Address handle;
  int kind; // 0 for if, 1 for while, 2 for switch
  unsigned size;
  void **graphs; // graphs of the node, which the driver created
  void *context;
};
/// Parameters of a node of any kind.
struct NodeParameters {
  int kind;
  int reserved0[3];
  union {
    KernelNodeParameters kernel;
    struct {
      int flags, reserved;
      void *context;
      Copy3D boxes;
    } copy;
    struct {
      FillNodeParameters fill;
      void *context;
    } fill;
    HostNodeParameters host;
    void *graph;
    void *event;
    AllocNodeParameters alloc;
    Address freed;
    ConditionNodeParameters condition;
    long long reserved1[29];
  };
  long long reserved2;
};

/// Parameters of cuGraphInstantiateWithParams, and its result.
struct InstantiateParameters {
  uint64_t flags;
  void *uploadStream, *errorNode;
  int result;
};
/// Ports of a graph edge.
struct EdgeData {
  unsigned char bytes[8];
};
/// Properties of memory that cuMemCreate allocates.
struct AllocationProperties {
  int kind, handleKinds;
  Location location;
  void *windows;
  struct {
    unsigned char compression, direct;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
/// Access of a device to mapped memory.
struct AccessDescription {
  Location location;
  unsigned flags; // 0 for none, 1 for read, 3 for read and write
};
/// The reason why an executable graph cannot be updated with the parameters of another graph.
struct UpdateResult {
  int result;
  void *errorNode, *errorFrom;
};

enum : unsigned { KindHost = 1, KindDevice = 2, KindArray = 3, KindUnified = 4 };

} // namespace ptxray::driver
