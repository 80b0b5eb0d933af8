#pragma once
// Operation codes. Each code selects a group of handlers, one handler per lane type.
#include "Operate/Op.h"

namespace ptxray::machine {

/// The lane types of a register. `U16x2` and similar are packed: two numbers in a 32-bit register. The truth value of a
/// packed number is a number of the same width with all bits set or clear; other truth values are bits of a mask.
enum class Lane : uint8_t {
  Mask,
  U8x4,
  S8x4,
  U16,
  S16,
  U16x2,
  S16x2,
  U32,
  S32,
  U64,
  S64,
  U128,
  S128,
  F16,
  BF16,
  F16x2,
  BF16x2,
  F32,
  F32x2,
  F64,
};

enum class Code : uint8_t {
  // Codes whose arguments and result have the same lane type:
  Copy,
  And,
  Or,
  Xor,
  AndNot, // a & ~b
  Mux,    // a & b | ~a & c
  Add,
  Subtract,
  Multiply,
  MultiplyAdd, // product and sum of floats with one rounding
  Minimum,
  Maximum,
  Absolute,
  Negate,
  Divide,
  Remainder,
  ShiftLeft,    // the counts have lanes of the same width as the number
  ShiftRight,   // counts have the same form as for ShiftLeft
  ShiftLeftBy,  // the count is `number`
  ShiftRightBy, // counts have the same form as for ShiftLeftBy
  Ones,
  LeadingZeros,
  Reversed,
  TopBit,
  Field,  // b: position, c: length
  Lookup, // `number` is the truth table
  Permuted,
  PermutedBy, // `number` contains the selectors, each less than 8
  LowestBit,
  FunnelLeft,  // upper half of b:a << c
  FunnelRight, // the lower half of b:a >> c
  // Floats only:
  SquareRoot,
  Canonical, // replaces any NaN by the GPU's canonical NaN
  Flush,     // replaces subnormal numbers by zero
  FlushTiny, // flushes an f64 that would be subnormal in f32
  AddFlushed,
  SubtractFlushed,
  MultiplyFlushed,
  MultiplyAddFlushed,
  DivideFlushed,
  SquareRootFlushed,
  NearestInteger,
  Truncated,
  Floor,
  Ceiling,
  Relu,     // a <= 0 ? 0 : a
  Saturate, // clamps to [0, 1]; NaN becomes 0
  // Codes whose result is a mask or, for packed lanes, numbers with all bits set or clear:
  Less,
  LessEqual,
  Equal,
  Unequal,
  Differ, // less or greater
  IsNan,
  CarryOf, // carry of a + b + c, where c is a mask
  // Codes whose first argument is a mask:
  Select,   // a ? b : c
  AddMask,  // b + (a ? 1 : 0)
  FromMask, // a ? number : 0
  Spread,   // copies the mask of the participating lanes in a to all lanes
  // Codes that read lanes of another type:
  Convert, // the number, or its low bits; floats are rounded to nearest
  Extract, // the low `number / 256` bits of a >> `number % 256`
  Join,    // a, with b as the upper half
  MultiplyWide,
  MultiplyWideAdd, // c has the width of the result
  // Codes in which lanes read each other. The last argument is the mask of participating lanes:
  LaneNumber,
  At, // a of lane b
  Alike,
  Fold,
};

/// Returns the handler of a code, or null if there is none.
Handler handlerOf(Code code, Lane type, Lane from);
/// Returns the handler of a Fold with this code.
Handler foldHandlerOf(Code code, Lane type);

/// Returns whether the handler of a code receives the slot of its result, and writes all lanes of it.
bool isGivenSlot(Code code, Lane type);

/// Returns the width of a register with lanes of this type.
unsigned bitsOf(Lane type);

} // namespace ptxray::machine
