#pragma once
// The global memory of an emulated device. Allocations have gaps between them, and their bytes belong to the caller.
#include "Machine/Image.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxray::machine {

/// A range of addresses and its bytes. A freed allocation has no bytes.
struct Allocation {
  static constexpr uint32_t none = ~0u;
  uint64_t begin = 0, end = 0; // addresses
  uint8_t *bytes = nullptr;
  std::string name;       // name in messages
  uint32_t number = none; // identifier that is unique while a kernel runs
  bool isConstant = false;
  bool isFresh = false; // uninitialised when the allocation was added

  /// Returns whether the bytes are certainly uninitialised. This is the case if all bytes of the aligned 16-byte units
  /// still contain the fill pattern of a fresh allocation, which programs are unlikely to write.
  bool areUnwritten(uint64_t offset, uint64_t count) const;

  bool contains(uint64_t address, uint64_t count) const {
    return address >= begin && address <= end && count <= end - address;
  }
  uint8_t *at(uint64_t address) const { return bytes + (address - begin); }
};

/// Generic address windows of other state spaces. The bits of a shared-memory address above the lowest 24 are the rank
/// of its block in the cluster.
inline constexpr uint64_t windowBytes = uint64_t(1) << 32;
inline constexpr uint64_t localWindow = 1 * windowBytes, sharedWindow = 2 * windowBytes, constWindow = 3 * windowBytes,
                          paramWindow = 4 * windowBytes, handleWindow = 6 * windowBytes, globalBegin = 0x700000000000;
inline constexpr unsigned sharedRankShift = 24;
inline constexpr uint64_t sharedOffsetMask = (uint64_t(1) << sharedRankShift) - 1;

/// The relation of an address to the device heap.
enum class HeapAddress : uint8_t { Allocated, Freed, Inside, Foreign };

/// The device heap, from which kernels allocate with `malloc`. Freed memory is reused, but returned to the host only
/// after the launch, because pending operations may use it.
class Heap {
public:
  static constexpr uint64_t usualLimit = 8 << 20; // default size, as on a GPU

  /// Returns zeroed bytes for an allocation, or null if the heap is full.
  uint8_t *take(uint64_t bytes);
  void give(uint8_t *bytes, uint64_t count);
  /// Returns all free bytes to the host.
  void dropFree();

  uint64_t limit = usualLimit;

private:
  using Room = std::unique_ptr<uint8_t[]>;
  std::map<uint8_t *, Room> used;
  std::array<std::vector<Room>, 64> free; // indexed by the logarithm of the size
  uint64_t taken = 0;
};

/// The reason why an access failed.
enum class AccessFault : uint8_t { None, OutOfBounds, Misaligned, ReadOnly };

class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Makes memory of the caller accessible until it is freed, without a copy. Returns its address.
  uint64_t add(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name, bool isConstant = false);
  /// Adds uninitialised memory of the caller. Fills it with a pattern, so that reads of uninitialised bytes are
  /// detected, unless it is large.
  uint64_t addFresh(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name);
  /// Allocates memory for `malloc` in a kernel; it stays valid in later launches. Returns its address, or 0 if the heap
  /// is full.
  uint64_t addHeap(uint64_t bytes);
  /// Frees memory from `addHeap`. Returns what the address refers to.
  HeapAddress freeHeap(uint64_t address);
  /// Returns the bytes of freed heap memory to the host. No kernel may be running.
  void dropFreedHeap();
  void setHeapLimit(uint64_t bytes) { heap.limit = bytes; }
  /// Returns the current state of the heap for `rewindHeap`.
  uint64_t heapMark() const { return next; }
  /// Frees memory that kernels have allocated since `mark`, so that a repeated launch gets the same addresses. No
  /// kernel may be running.
  void rewindHeap(uint64_t mark);
  /// True if uninitialised memory was ever added.
  bool hasFresh = false;
  /// Adds memory at a given address, which must be free: the address of the bytes themselves.
  void addAt(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name);
  /// Places all memory that is added later without a given address above this address.
  void skipTo(uint64_t address);
  /// True if managed variables have their host addresses, because the host shares the address space (a client of a
  /// driver). Otherwise addresses are deterministic.
  bool sharesManaged = false;
  void free(uint64_t address);
  /// Removes the newest allocations if they were freed. No kernel may be running.
  void trim();
  /// Returns the allocation that contains an address, or null.
  const Allocation *find(uint64_t address) const;
  /// Returns the last allocation that begins at the address or below it, or null.
  const Allocation *before(uint64_t address) const;

  /// Returns all allocations by address, including freed ones.
  auto all() const {
    return llvm::map_range(sorted, [this](const Place &one) -> const Allocation & { return allocations[one.number]; });
  }
  /// Adds a texture, surface or sampler, which exists until it is removed. Returns its handle.
  uint64_t addObject(ImageObject object);
  void removeObject(uint64_t handle) { objects.erase(handle); }
  /// Returns null if the handle is invalid.
  const ImageObject *object(uint64_t handle) const;
  /// Changes the object of a handle.
  void bind(uint64_t handle, ImageObject object) { objects[handle] = std::move(object); }

private:
  /// Returns the index in `sorted` of the first allocation that begins after the address.
  size_t indexAfter(uint64_t address) const;
  /// Returns the allocation that begins at the address, or null.
  Allocation *beginningAt(uint64_t address);

  // Indexed by number; elements never move, because warps and shadow memory refer to them.
  std::deque<Allocation> allocations;
  /// The start of an allocation, and its number.
  struct Place {
    uint64_t begin;
    uint32_t number;
  };
  std::vector<Place> sorted; // sorted by address; only the newest allocation at each address
  uint64_t next = globalBegin;
  Heap heap;
  std::map<uint64_t, bool> heapBegins;     // addresses that addHeap returned, and whether they are in use
  std::map<uint64_t, ImageObject> objects; // keyed by handle
  uint64_t nextHandle = handleWindow;
};

} // namespace ptxray::machine
