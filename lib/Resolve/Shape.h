#pragma once
// A shape is what the engine sees of a written operand. Two instructions with the same opcode and the same shapes get
// the same verdict, so a verdict is found once and then looked up.
#include "Isa/Tables.h"
#include "Parse/Ast.h"
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace ptxray {

enum class ShapeKind : uint8_t {
  Register, // declared in .reg
  Special,  // %tid.x
  Variable, // declared in a state space
  Label,
  Function,
  Prototype, // a .callprototype, .branchtargets or .calltargets label
  Integer,
  Float,
  Sink,
  Vector,
  Address,
  List,
  Pair,
  Unknown, // undefined: already reported, fits everywhere
  Invalid, // no value: fits nowhere
};

enum ShapeFlag : uint16_t {
  // These are those of the Ast:
  ShapeNegated = Negated,
  ShapeNot = Not,
  ShapeOffset = HasOffset,     // `a+8`
  ShapeHexFloat = HexFloat,    // 0f...
  ShapeWideFloat = WideFloat,  // 0d... (alone: neither, a decimal float)
  ShapeAnyValue = AnyValue,    // of all but a Float: `value` is not known
  ShapeSubscript = Subscript,  // `a[8]`
  ShapeWritten = WrittenFlags, // all of these
  // These bits say what is declared:
  ShapeOpaque = 32,      // a .texref/.samplerref/.surfref variable; `type` says which
  ShapeParameter = 128,  // a parameter of the function at hand (an entry's may not be written)
  ShapeNarrow = 256,     // a special register that may be read in fewer bits
  ShapeKnown = 512,      // a register that holds `value` all along; told only where an entry asks
  ShapeArray = 1024,     // a variable of array type
  ShapeReturn = 2048,    // what the function at hand returns
  ShapeComponent = 4096, // one element of a register of vector type
  ShapeLacking = 8192,   // a special register whose directive the kernel at hand lacks
  ShapeBeyond32 = Beyond32,
};

/// Preorder, `extent` as in the Ast. Names and places are not part of it.
struct Shape {
  ShapeKind kind = ShapeKind::Invalid;
  uint8_t vector = 0; // components of a register or special register of vector type
  uint16_t flags = 0; // ShapeFlag
  uint16_t extent = 1;
  isa::WordId type = 0;   // of a register, special register or variable; 0: none
  isa::WordId space = 0;  // of a variable
  isa::WordId suffix = 0; // selector or `.unified`; of an unknown word `badSuffix`
  int64_t value = 0;      // of an Integer or Float, of an offset; which special register it is
};

/// A number whose value is known.
inline bool isNumber(const Shape &shape) { return shape.kind == ShapeKind::Integer && !(shape.flags & ShapeAnyValue); }

inline constexpr isa::WordId badSuffix = 0xFFFF;

} // namespace ptxray
