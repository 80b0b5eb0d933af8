#pragma once
// The addresses of the lanes of an access. Their distances are mostly the same each time that an instruction is
// executed, so that what follows from these is found once.
#include "Machine/PastAccess.h"
#include "Machine/Program.h"
#include <array>
#include <deque>
#include <vector>

namespace ptxray::machine {

struct GlobalCell;

/// Describes how the addresses of lanes lie to each other.
struct LaneShape {
  /// Elements one after the other, by their distance from the first lane.
  struct Run {
    int64_t at;
    uint8_t first, elements; // in `lanes`
  };
  // The fields that each access of all lanes asks for come first.
  uint32_t mask = 0;  // 0: nothing is known
  uint32_t bytes = 0; // of each lane
  unsigned lane = 0;  // the first one of the mask
  bool isRow = false; // all lanes, one after the other
  bool isSame = false;
  bool isAligned = false; // if the first lane is
  bool isQuick = false;   // that, and all distances fit in the width of addresses
  bool areCells = false;  // distances and sizes are those of whole cells of a shadow
  bool areWide = false;   // runs are those of whole pairs of cells of global memory
  bool isHeld = false;    // an observer keeps a reference to it (`Observer::reshapes`)
  // For each group of eight lanes a bit: they access elements one after the other, or the same element.
  static constexpr unsigned groupLanes = 8, allGroups = 15;
  uint8_t rows = 0, same = 0;
  uint8_t runs = 0;
  int64_t low = 0, high = 0;                           // the least and the greatest distance
  uint64_t span = 0;                                   // from the first byte to the end of the last
  ByteRun zone = {};                                   // of shared memory, in which the access was the last time
  alignas(32) std::array<uint32_t, warpSize> narrow;   // the low bits of:
  alignas(32) std::array<int64_t, warpSize> distances; // from the first lane; 0 outside of the mask
  std::array<uint64_t, warpSize> isLane;               // all bits of those in the mask
  std::array<Run, warpSize> run;                       // all bytes
  std::array<uint8_t, warpSize> lanes;                 // the lane of each element of the runs, as races are told
  std::array<uint32_t, warpSize> lanesOfCells;         // the same for each byte of a cell
  uint32_t version = 0;                                // of the distances
  struct Shadow {
    uint32_t allocation = Allocation::none; // its number
    GlobalCell *cells = nullptr;
  } shadow; // where an observer has noted the access the last time
  /// Finds all of that; lanes of `many` are not told apart.
  void find(const uint64_t *at, uint32_t lanesOfAccess, const MemoryAccess &access);
};

/// The last shapes of each access of a program, as far as it was made: of all lanes, and of some sets of them.
class LaneShapes {
public:
  explicit LaneShapes(size_t accesses) : ofWarps(accesses), places(placesOfAccess * accesses) {}
  /// A copy knows nothing yet.
  LaneShapes(const LaneShapes &other) : ofWarps(other.ofWarps.size()), places(other.places.size()) {}
  LaneShapes &operator=(const LaneShapes &) = delete;
  /// Those of all lanes, by access; null: they have not made the access.
  LaneShape *const *ofAll() const { return ofWarps.data(); }
  LaneShape &of(uint32_t access, uint32_t mask) {
    LaneShape *&shape = mask == allLanes ? ofWarps[access] : places[placesOfAccess * access + mask % placesOfAccess];
    if (!shape)
      shape = &shapes.emplace_back();
    return *shape;
  }

private:
  static constexpr size_t placesOfAccess = 11; // sets of the first lanes have different ones
  std::vector<LaneShape *> ofWarps, places;    // in `shapes`; null: the access was not made
  std::deque<LaneShape> shapes;
};

/// The addresses of all lanes. Returns whether those of the mask of the shape have its distances.
bool findAddresses(const char *registers, const AddressOf &address, const LaneShape &shape, uint64_t *at);

} // namespace ptxray::machine
