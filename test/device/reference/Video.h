#pragma once
// Computes video instructions according to the pseudocode of the PTX manual (9.7.18).
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxray::device {

enum class VideoOp : uint8_t { Add, Sub, AbsDiff, Min, Max, Average, ShiftLeft, ShiftRight, Mad, Set };
enum class Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
enum class Second : uint8_t { None, Add, Min, Max };

/// A part of a register: `.b0` to `.b3`, `.h0`, `.h1`, or the whole register.
struct Part {
  uint8_t bits = 32;
  uint8_t shift = 0;
};

/// One video instruction with all its qualifiers.
struct Video {
  VideoOp op = VideoOp::Add;
  uint8_t lanes = 1; // 1 for scalar, 2 for half-words, 4 for bytes
  bool dSigned = false, aSigned = false, bSigned = false;
  bool saturate = false;
  bool clampShift = false; // .clamp, otherwise .wrap
  bool plusOne = false;    // .po
  uint8_t scale = 0;       // 7, 15
  bool negateA = false, negateB = false, negateC = false;
  Comparison comparison = Comparison::Eq;
  Second second = Second::None;
  bool merges = false; // d has a selector
  Part d, a, b;
  // SIMD: the lane of a (0 to lanes - 1) or b (from lanes on) that each lane uses; which lanes are kept
  uint8_t aLane[4] = {}, bLane[4] = {};
  uint8_t mask = 0;
};

/// Parses `vadd.u32.s32.u32.sat.add %r0, %r1.b2, %r2.h1, %r3;`. Returns nothing if it is no video instruction.
std::optional<Video> parseVideo(std::string_view text);

/// How video instructions are interpreted. Hopper has no scalar video instructions. ptxas emulates them by sequences,
/// which keep more or fewer bits, and other signs, than the manual specifies.
enum class Reading : uint8_t {
  Manual,   // the pseudocode
  Sequence, // the sequence of ptxas 13.5 for sm_90, where it differs (docs/reference/device-report.md)
};
inline constexpr int readings = 2;

uint32_t evaluate(const Video &video, uint32_t a, uint32_t b, uint32_t c, Reading reading);

} // namespace ptxray::device
