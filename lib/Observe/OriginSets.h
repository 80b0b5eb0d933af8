#pragma once
// Sets of buffers from which a value was computed. A set is a bit mask, identified by a one-byte number, so that the
// sets of the 32 lanes of a register need 32 bytes.
#include "Machine/Program.h"
#include <array>
#include <cstdint>
#include <vector>

namespace ptxray::machine {

/// The number of a set; 0 is the empty set.
using OriginId = uint8_t;

class OriginSets {
public:
  using Bits = uint64_t;
  /// The bit that represents all further buffers.
  static constexpr unsigned others = 61;
  /// The bit that represents textures and surfaces.
  static constexpr unsigned images = 62;
  /// The bit for values that depend on the order of threads or on the chip.
  static constexpr unsigned schedule = 63;

  OriginSets() : joins(size_t(most) * most) { sets.push_back(0); }
  /// Returns the set with one bit. If all numbers are in use, returns the set of all bits.
  OriginId only(unsigned bit) { return of(Bits(1) << bit); }
  OriginId join(OriginId a, OriginId b) {
    if (a == b || !b)
      return a;
    if (!a)
      return b;
    OriginId &known = joins[a * size_t(most) + b];
    if (!known)
      known = of(sets[a] | sets[b]);
    return known;
  }
  Bits bits(OriginId id) const { return sets[id]; }

private:
  static constexpr unsigned most = 256;

  OriginId of(Bits bits) {
    for (size_t i = 0; i < sets.size(); ++i)
      if (sets[i] == bits)
        return static_cast<OriginId>(i);
    if (sets.size() + 1 == most) // the last number denotes the set of all bits
      bits = ~Bits(0);
    if (sets.size() == most)
      return most - 1;
    sets.push_back(bits);
    return static_cast<OriginId>(sets.size() - 1);
  }

  std::vector<Bits> sets;      // indexed by number
  std::vector<OriginId> joins; // indexed by two numbers: the number of their union, or 0 if unknown
};

/// The sets of all lanes of a register.
struct LaneOrigins {
  std::array<OriginId, warpSize> of{};
  uint32_t lanes = 0; // lanes whose set is not empty

  void set(unsigned lane, OriginId id) {
    of[lane] = id;
    lanes = id ? lanes | 1u << lane : lanes & ~(1u << lane);
  }
  void setAll(uint32_t which, OriginId id) {
    if (which == allLanes)
      of.fill(id);
    else
      for (uint32_t left = which; left; left &= left - 1)
        of[__builtin_ctz(left)] = id;
    lanes = id ? lanes | which : lanes & ~which;
  }
  /// Copies the sets of some lanes from another register.
  void take(const LaneOrigins &other, uint32_t which) {
    if (which == allLanes)
      of = other.of;
    else
      for (uint32_t left = which; left; left &= left - 1)
        of[__builtin_ctz(left)] = other.of[__builtin_ctz(left)];
    lanes = (lanes & ~which) | (other.lanes & which);
  }
};

} // namespace ptxray::machine
