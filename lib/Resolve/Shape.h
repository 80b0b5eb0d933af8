#pragma once
// The properties of an operand that the engine checks. Two instructions with the same opcode and the same shapes have
// the same verdict, so each verdict is computed once.
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
  Unknown, // undeclared and already reported, so it is accepted everywhere
  Invalid, // has no value, and is accepted nowhere
};

enum ShapeFlag : uint16_t {
  // Flags of the Ast:
  ShapeNegated = Negated,
  ShapeNot = Not,
  ShapeOffset = HasOffset,     // `a+8`
  ShapeHexFloat = HexFloat,    // 0f...
  ShapeWideFloat = WideFloat,  // 0d... (if alone, a decimal float)
  ShapeAnyValue = AnyValue,    // except for a Float: `value` is unknown
  ShapeSubscript = Subscript,  // `a[8]`
  ShapeWritten = WrittenFlags, // all of the above
  // Flags that describe the declaration:
  ShapeOpaque = 32,      // a .texref/.samplerref/.surfref variable; see `type`
  ShapeParameter = 128,  // a parameter of the current function (a kernel must not write its parameters)
  ShapeNarrow = 256,     // a special register that can be read with fewer bits
  ShapeKnown = 512,      // a register with the constant value `value`; set only for entries that need it
  ShapeArray = 1024,     // a variable of array type
  ShapeReturn = 2048,    // a result of the current function
  ShapeComponent = 4096, // one element of a register of vector type
  ShapeLacking = 8192,   // a special register whose directive the current kernel lacks
  ShapeBeyond32 = Beyond32,
};

/// An operand node in preorder. `extent` has the same meaning as in the Ast. Names and locations are not included.
struct Shape {
  ShapeKind kind = ShapeKind::Invalid;
  uint8_t vector = 0; // number of components of a register or special register of vector type
  uint16_t flags = 0; // ShapeFlag
  uint16_t extent = 1;
  isa::WordId type = 0;   // type of a register, special register or variable; 0 if none
  isa::WordId space = 0;  // state space of a variable
  isa::WordId suffix = 0; // selector or `.unified`; `badSuffix` for an unknown word
  int64_t value = 0;      // value of an Integer or Float; an offset; identity of a special register
};

/// Returns whether the shape is an integer with a known value.
inline bool isNumber(const Shape &shape) { return shape.kind == ShapeKind::Integer && !(shape.flags & ShapeAnyValue); }

inline constexpr isa::WordId badSuffix = 0xFFFF;

} // namespace ptxray
