#include "Machine/Timing.h"
#include <numeric>

namespace ptxray::machine {

std::optional<Timing> Timing::read(llvm::StringRef text) {
  Timing result;
  result.hasWeak = text.consume_front("weak:");
  if (result.hasWeak && text.getAsInteger(10, result.state))
    return std::nullopt;
  if (result.hasWeak)
    result.how = How::Random;
  else if (text == "eager")
    return result;
  if (text == "lazy")
    result.how = How::Lazy;
  else if (text == "early")
    result.how = How::Early;
  else if (text.getAsInteger(10, result.state))
    return std::nullopt;
  else
    result.how = How::Random;
  return result;
}

std::string Timing::textOf(uint32_t run) { return run == 0 ? "lazy" : run == 1 ? "early" : std::to_string(run - 1); }

uint32_t Timing::below(uint32_t limit) { // Generates numbers by splitmix64
  uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return static_cast<uint32_t>((bits ^ bits >> 31) % limit);
}

uint64_t Timing::delay(bool readsShared) {
  constexpr uint32_t kinds = 4,
                     mostTurns = 64; // a quarter of operations completes immediately, a quarter as late as possible
  switch (how) {
  case How::Eager: return 0;
  case How::Lazy: return never;
  case How::Early: return readsShared ? never : 0;
  case How::Random: break;
  }
  const uint32_t kind = below(kinds);
  return kind == 0 ? 0 : kind == 1 ? never : below(mostTurns);
}

uint32_t Timing::choose(uint32_t count) { return how == How::Random ? below(count) : 0; }

std::vector<uint32_t> Timing::order(uint32_t warps) {
  if (how == How::Eager || how == How::Lazy)
    return {};
  std::vector<uint32_t> result(warps);
  std::iota(result.begin(), result.end(), 0);
  if (how == How::Early)
    return {result.rbegin(), result.rend()};
  for (uint32_t left = warps; left > 1; --left)
    std::swap(result[left - 1], result[below(left)]);
  return result;
}

uint32_t Timing::turn(uint32_t blocks) {
  if (hasWeak) // short turns, so that accesses of different warps interleave
    return 1 + below(blocks / 2);
  return how == How::Random ? 1 + below(2 * blocks) : blocks;
}

} // namespace ptxray::machine
