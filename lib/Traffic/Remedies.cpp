#include "Traffic/Remedies.h"
#include <algorithm>
#include <array>
#include <vector>

namespace ptxray::traffic {

namespace {

/// A transformation of addresses. Either inserts padding after each row, or exchanges the bits that select 16 bytes in
/// a row with bits that select the row (a swizzle).
struct Remedy {
  uint64_t row = 0, padding = 0; // in bytes
  uint64_t swizzle = 0;          // bytes per row; 0 for none

  uint64_t moved(uint64_t address) const {
    if (swizzle)
      return address ^ (address / 128 % (swizzle / 16)) * 16;
    return address + address / row * padding;
  }
  std::string text() const {
    return swizzle ? "a swizzle of " + std::to_string(swizzle) + " bytes"
                   : std::to_string(padding) + " bytes of padding after each " + std::to_string(row);
  }
};

} // namespace

static uint32_t passesWith(AccessKind kind, const LaneAddresses &lanes, const Remedy &remedy) {
  std::array<uint64_t, warpLanes> at;
  std::transform(lanes.at, lanes.at + warpLanes, at.begin(), [&](uint64_t address) { return remedy.moved(address); });
  return wavefrontsOf(kind, {at.data(), lanes.mask, lanes.bytes}).count;
}

/// Lists the remedies to try, the simplest first.
static std::vector<Remedy> remediesFor(uint32_t bytes) {
  std::vector<Remedy> all;
  for (uint64_t row = 64; row <= 4096; row *= 2)
    for (uint64_t padding = std::max(bytes, 4u); padding <= 16; padding *= 2)
      all.push_back({row, padding, 0});
  for (const uint64_t swizzle : {32, 64, 128})
    all.push_back({0, 0, swizzle});
  return all;
}

/// Returns the description of the best remedy. Lanes of an atomic operation with equal addresses always wait for each
/// other, so nothing helps them.
std::string adviceFor(AccessKind kind, const LaneAddresses &lanes) {
  uint32_t best = wavefrontsOf(kind, lanes).count;
  const std::string text =
      "one warp takes " + std::to_string(best) + " passes for " + std::to_string(lanes.bytes) + " bytes a lane";
  const std::vector<Remedy> remedies = remediesFor(lanes.bytes);
  const Remedy *found = nullptr;
  for (const Remedy &remedy : remedies)
    if (const uint32_t passes = passesWith(kind, lanes, remedy); passes < best) {
      best = passes;
      found = &remedy;
    }
  return found ? text + "; with " + found->text() + ": " + std::to_string(best) : text;
}

} // namespace ptxray::traffic
