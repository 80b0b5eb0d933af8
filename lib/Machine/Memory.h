#pragma once
// The global memory of an emulated device: allocations with gaps between them, each in memory of the caller who asked
// for it.
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

/// A range of addresses and the bytes that they lead to. A freed one has no bytes.
struct Allocation {
  static constexpr uint32_t none = ~0u;
  uint64_t begin = 0, end = 0; // addresses
  uint8_t *bytes = nullptr;
  std::string name;       // the name that messages give it
  uint32_t number = none; // its identity: no other allocation of the memory has it while a kernel runs
  bool isConstant = false;
  bool isFresh = false; // nothing had written it when it was added

  /// Is true while nothing has written the bytes, nor others of the 16 that each of them lies among: all of these hold
  /// numbers that a fresh allocation was filled with, and that nothing else is likely to write there.
  bool areUnwritten(uint64_t offset, uint64_t count) const;

  bool contains(uint64_t address, uint64_t count) const {
    return address >= begin && address <= end && count <= end - address;
  }
  uint8_t *at(uint64_t address) const { return bytes + (address - begin); }
};

/// The windows of other state spaces among generic addresses. An address of shared memory holds, above its
/// lowest 24 bits, the rank of its block in the cluster.
inline constexpr uint64_t windowBytes = uint64_t(1) << 32;
inline constexpr uint64_t localWindow = 1 * windowBytes, sharedWindow = 2 * windowBytes, constWindow = 3 * windowBytes,
                          paramWindow = 4 * windowBytes, handleWindow = 6 * windowBytes, globalBegin = 0x700000000000;
inline constexpr unsigned sharedRankShift = 24;
inline constexpr uint64_t sharedOffsetMask = (uint64_t(1) << sharedRankShift) - 1;

/// What an address is to the heap of the device.
enum class HeapAddress : uint8_t { Allocated, Freed, Inside, Foreign };

/// The heap of a device: what kernels take by `malloc`. The bytes of what they free are used again, and never returned
/// to the host before a launch ends: operations in flight may hold them.
class Heap {
public:
  static constexpr uint64_t usualLimit = 8 << 20; // as on a GPU

  /// Returns zeroed bytes for an allocation; null if the heap has no room for it.
  uint8_t *take(uint64_t bytes);
  void give(uint8_t *bytes, uint64_t count);
  /// Returns all free bytes to the host.
  void dropFree();

  uint64_t limit = usualLimit;

private:
  using Room = std::unique_ptr<uint8_t[]>;
  std::map<uint8_t *, Room> used;
  std::array<std::vector<Room>, 64> free; // by the logarithm of their sizes
  uint64_t taken = 0;
};

/// Says how an access failed.
enum class AccessFault : uint8_t { None, OutOfBounds, Misaligned, ReadOnly };

class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Makes memory of the caller accessible, in place, until it is freed. Returns its address.
  uint64_t add(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name, bool isConstant = false);
  /// The same for memory that nothing has written. Its bytes are given others, so that reads of them are followed,
  /// unless it is large.
  uint64_t addFresh(llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name);
  /// Returns the address of memory that a kernel takes by `malloc`, which later launches may use; 0 if there is no
  /// room.
  uint64_t addHeap(uint64_t bytes);
  /// Frees such memory. Returns what the address was.
  HeapAddress freeHeap(uint64_t address);
  /// Returns the bytes of such memory that kernels have freed to the host. No kernel runs.
  void dropFreedHeap();
  void setHeapLimit(uint64_t bytes) { heap.limit = bytes; }
  /// Marks what is on the heap, for `rewindHeap`.
  uint64_t heapMark() const { return next; }
  /// Frees what kernels have taken since then, so that a launch that is made again gets the same addresses. No kernel
  /// runs.
  void rewindHeap(uint64_t mark);
  /// Some memory is fresh, or was.
  bool hasFresh = false;
  /// The same at an address that the caller chooses, where nothing else is: that of the bytes themselves.
  void addAt(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes, llvm::StringRef name);
  /// All that is added later without an address lies beyond this one.
  void skipTo(uint64_t address);
  /// A managed variable has the address of its bytes if the host shares addresses, as a driver's client does. Else
  /// addresses are the same in each run.
  bool sharesManaged = false;
  void free(uint64_t address);
  /// Forgets the allocations that were added last, as far as they were freed. No kernel runs.
  void trim();
  /// Returns the allocation that an address lies in; null: none.
  const Allocation *find(uint64_t address) const;
  /// Returns the nearest one that begins at the address or before it; null: none.
  const Allocation *before(uint64_t address) const;

  /// Returns all allocations by address, with those that were freed.
  auto all() const {
    return llvm::map_range(sorted, [this](const Place &one) -> const Allocation & { return allocations[one.number]; });
  }
  /// Makes a texture, a surface or a sampler known, until it is removed. Returns its handle.
  uint64_t addObject(ImageObject object);
  void removeObject(uint64_t handle) { objects.erase(handle); }
  /// Returns null if the handle is of nothing.
  const ImageObject *object(uint64_t handle) const;
  /// Gives a handle another image from now on.
  void bind(uint64_t handle, ImageObject object) { objects[handle] = std::move(object); }

private:
  /// Returns the index in `sorted` of the first allocation that begins after the address.
  size_t indexAfter(uint64_t address) const;
  /// Returns the allocation that begins at the address; null: none.
  Allocation *beginningAt(uint64_t address);

  std::deque<Allocation> allocations; // by number; elements never move, since warps and shadows keep references
  /// Where an allocation begins, and its number.
  struct Place {
    uint64_t begin;
    uint32_t number;
  };
  std::vector<Place> sorted; // by address; at one address only the newest allocation
  uint64_t next = globalBegin;
  Heap heap;
  std::map<uint64_t, bool> heapBegins;     // the addresses that addHeap returned, and whether they are in use
  std::map<uint64_t, ImageObject> objects; // by their handles
  uint64_t nextHandle = handleWindow;
};

} // namespace ptxray::machine
