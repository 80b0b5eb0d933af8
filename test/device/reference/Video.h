#pragma once
// These functions compute the video instructions, after the pseudocode of the PTX manual (9.7.18).
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxray::device {

enum class VideoOp : uint8_t { Add, Sub, AbsDiff, Min, Max, Average, ShiftLeft, ShiftRight, Mad, Set };
enum class Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
enum class Second : uint8_t { None, Add, Min, Max };

/// A part of a register: `.b0` to `.b3`, `.h0`, `.h1`, or the whole of it.
struct Part {
  uint8_t bits = 32;
  uint8_t shift = 0;
};

/// One video instruction with all its words.
struct Video {
  VideoOp op = VideoOp::Add;
  uint8_t lanes = 1; // 1: scalar; 2 half-words; 4 bytes
  bool dSigned = false, aSigned = false, bSigned = false;
  bool saturate = false;
  bool clampShift = false; // .clamp, else .wrap
  bool plusOne = false;    // .po
  uint8_t scale = 0;       // 7, 15
  bool negateA = false, negateB = false, negateC = false;
  Comparison comparison = Comparison::Eq;
  Second second = Second::None;
  bool merges = false; // d has a selector
  Part d, a, b;
  // SIMD: which lane of a (0 to lanes - 1) or b (from lanes on) each lane takes; which lanes are
  // kept
  uint8_t aLane[4] = {}, bLane[4] = {};
  uint8_t mask = 0;
};

/// `vadd.u32.s32.u32.sat.add %r0, %r1.b2, %r2.h1, %r3;`; nothing when it is no video instruction.
std::optional<Video> parseVideo(std::string_view text);

/// Hopper has no scalar video instructions: ptxas makes sequences of others of them, which keep
/// more or fewer bits and other signs than the manual says.
enum class Reading : uint8_t {
  Manual,   // the pseudocode
  Sequence, // what ptxas 13.5 makes for sm_90, as far as it differs (docs/reference/device-report.md)
};
inline constexpr int readings = 2;

uint32_t evaluate(const Video &video, uint32_t a, uint32_t b, uint32_t c, Reading reading);

} // namespace ptxray::device
