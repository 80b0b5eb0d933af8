#pragma once
// The relative addresses of the lanes of an access. They are usually the same in each execution of an instruction, so
// properties that depend only on them are cached.
#include "Machine/PastAccess.h"
#include "Machine/Program.h"
#include <array>
#include <deque>
#include <vector>

namespace ptxray::machine {

struct GlobalCell;

/// The distances between the addresses of lanes, and properties derived from them.
struct LaneShape {
  /// A run of consecutive elements, located by its distance from the first lane.
  struct Run {
    int64_t at;
    uint8_t first, elements; // indices into `lanes`
  };
  // Hot fields, used by each access of all lanes, come first.
  uint32_t mask = 0;  // 0 if not computed yet
  uint32_t bytes = 0; // size of each lane's access
  unsigned lane = 0;  // first lane in the mask
  bool isRow = false; // all lanes access consecutive elements
  bool isSame = false;
  bool isAligned = false; // aligned if the first lane's address is aligned
  bool isQuick = false;   // aligned, and all distances fit the width of addresses
  bool areCells = false;  // distances and sizes are multiples of a shadow cell
  bool areWide = false;   // runs consist of complete pairs of global-memory cells
  bool isHeld = false;    // an observer keeps a reference to it (`Observer::reshapes`)
  // One bit for each group of eight lanes: the lanes access consecutive elements, or the same element.
  static constexpr unsigned groupLanes = 8, allGroups = 15;
  uint8_t rows = 0, same = 0;
  uint8_t runs = 0;
  int64_t low = 0, high = 0;                           // minimum and maximum distance
  uint64_t span = 0;                                   // distance from the first byte to the end of the last byte
  ByteRun zone = {};                                   // zone of shared memory that the last access hit
  alignas(32) std::array<uint32_t, warpSize> narrow;   // low bits of:
  alignas(32) std::array<int64_t, warpSize> distances; // distance from the first lane; 0 outside of the mask
  std::array<uint64_t, warpSize> isLane;               // all bits set for lanes in the mask
  std::array<Run, warpSize> run;                       // covers all bytes
  std::array<uint8_t, warpSize> lanes;         // lane of each element of the runs, in the encoding of race detection
  std::array<uint32_t, warpSize> lanesOfCells; // lanes of each byte of each cell of the runs
  uint32_t version = 0;                        // incremented when distances change
  struct Shadow {
    uint32_t allocation = Allocation::none; // number of the allocation
    GlobalCell *cells = nullptr;
  } shadow; // shadow memory in which an observer recorded the last access
  /// Computes all fields. Lanes in `many` are not distinguished.
  void find(const uint64_t *at, uint32_t lanesOfAccess, const MemoryAccess &access);
};

/// Caches the last shapes of each access of a program: for full warps, and for some other lane masks.
class LaneShapes {
public:
  explicit LaneShapes(size_t accesses) : ofWarps(accesses), places(placesOfAccess * accesses) {}
  /// Constructs an empty cache of the same size.
  LaneShapes(const LaneShapes &other) : ofWarps(other.ofWarps.size()), places(other.places.size()) {}
  LaneShapes &operator=(const LaneShapes &) = delete;
  /// Returns the shapes for full warps, indexed by access; null if a shape is not computed yet.
  LaneShape *const *ofAll() const { return ofWarps.data(); }
  LaneShape &of(uint32_t access, uint32_t mask) {
    LaneShape *&shape = mask == allLanes ? ofWarps[access] : places[placesOfAccess * access + mask % placesOfAccess];
    if (!shape)
      shape = &shapes.emplace_back();
    return *shape;
  }

private:
  static constexpr size_t placesOfAccess = 11; // masks with different first lanes have different slots
  std::vector<LaneShape *> ofWarps, places;    // pointers into `shapes`, or null
  std::deque<LaneShape> shapes;
};

/// Computes the addresses of all lanes. Returns whether those in the shape's mask have its distances.
bool findAddresses(const char *registers, const AddressOf &address, const LaneShape &shape, uint64_t *at);

} // namespace ptxray::machine
