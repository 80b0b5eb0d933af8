#pragma once
// Each code names what some handlers do, each of them for some types of lanes.
#include "Operate/Op.h"

namespace ptxray::machine {

/// Names what the lanes of a register hold. `U16x2` stands for two numbers in one of 32 bits: then a truth value is a
/// number of the same width, of ones or zeros; else it is a bit of a mask.
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
  // The arguments and the result are of the same lanes:
  Copy,
  And,
  Or,
  Xor,
  AndNot, // a & ~b
  Mux,    // a & b | ~a & c
  Add,
  Subtract,
  Multiply,
  MultiplyAdd, // a product and a sum; floats are rounded once
  Minimum,
  Maximum,
  Absolute,
  Negate,
  Divide,
  Remainder,
  ShiftLeft,    // the counts are in lanes of the same width
  ShiftRight,   // likewise
  ShiftLeftBy,  // the count is `number`
  ShiftRightBy, // likewise
  Ones,
  LeadingZeros,
  Reversed,
  TopBit,
  Field,  // b: at, c: length
  Lookup, // number: the table
  Permuted,
  PermutedBy, // number: the digits, each less than 8
  LowestBit,
  FunnelLeft,  // the upper half of b:a << c
  FunnelRight, // the lower half of b:a >> c
  // Floats alone:
  SquareRoot,
  Canonical, // the NaN of a GPU in the place of any
  Flush,     // zero in the place of what is subnormal
  FlushTiny, // of an f64 that is not normal as an f32
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
  Saturate, // between 0 and 1, of NaN 0
  // The result is a mask, or of packed lanes ones and zeros:
  Less,
  LessEqual,
  Equal,
  Unequal,
  Differ, // less or greater
  IsNan,
  CarryOf, // the carry of a + b + c, where c is a mask
  // The first argument is a mask:
  Select,   // a ? b : c
  AddMask,  // b + (a ? 1 : 0)
  FromMask, // a ? number : 0
  Spread,   // gives all lanes the mask of those in a that take part
  // These read lanes of another type:
  Convert, // the number, or its lowest bits; of floats rounded to the nearest
  Extract, // the lowest number / 256 bits of a >> number % 256
  Join,    // a, and b as the upper half
  MultiplyWide,
  MultiplyWideAdd, // c is as wide as the result
  // Lanes ask each other; the last argument are the lanes that take part:
  LaneNumber,
  At, // a of lane b
  Alike,
  Fold,
};

/// Returns the handler of a code; null: there is none.
Handler handlerOf(Code code, Lane type, Lane from);
/// Returns the handler of a Fold that joins by this code.
Handler foldHandlerOf(Code code, Lane type);

/// Says if the handler of a code is given the slot of its result, and writes all lanes there.
bool isGivenSlot(Code code, Lane type);

/// The width of a register with such lanes.
unsigned bitsOf(Lane type);

} // namespace ptxray::machine
