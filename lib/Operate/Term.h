#pragma once
// A term: what is known about a number during lowering, namely its range and the lanes that hold it.
#include "Operate/Graph.h"

namespace ptxray::machine {

__extension__ typedef __int128 Exact;

/// The smallest and the greatest possible value.
struct LaneRange {
  Exact low = 0, high = 0;
  bool isKnown = true; // false for any number

  static LaneRange any() { return {0, 0, false}; }
  static LaneRange of(const ElementType &type) {
    if (type.bits > 64)
      return any();
    const Exact one = 1;
    return type.isSigned() ? LaneRange{-(one << (type.bits - 1)), (one << (type.bits - 1)) - 1}
                           : LaneRange{0, (one << type.bits) - 1};
  }
  bool isNatural() const { return isKnown && low >= 0; }
  bool fits(unsigned width, bool isSigned) const {
    const Exact one = 1;
    if (!isKnown || width > 126)
      return isKnown && (isSigned || low >= 0);
    return isSigned ? low >= -(one << (width - 1)) && high < one << (width - 1) : low >= 0 && high < one << width;
  }
};

struct Term {
  enum class Kind : uint8_t { Integer, Float, Truth };

  Kind kind = Kind::Integer;
  NodeId node = noNode; // none for a constant, or for a float that is not rounded yet
  bool isConstant = false;
  Value value;                                // value of a constant
  uint8_t width = 0;                          // width of the lanes that contain the low bits of an Integer
  LaneRange range;                            // range of an Integer
  const numbers::Format *format = nullptr;    // format of a Float
  bool isRaw = false;                         // a NaN keeps the bits that were read
  isa::StepOp pending = isa::StepOp::Operand; // operation on the sources that has not been computed and rounded yet
  uint16_t firstSource = 0, sources = 0;      // index into the sources of all terms

  bool isPending() const { return sources != 0; }
  static Term constant(const Value &value);
  static Term integer(NodeId node, unsigned width, LaneRange range) {
    Term term;
    term.node = node;
    term.width = static_cast<uint8_t>(width);
    term.range = range;
    return term;
  }
  static Term real(NodeId node, const numbers::Format &format, bool isRaw = false) {
    Term term;
    term.kind = Kind::Float;
    term.node = node;
    term.format = &format;
    term.isRaw = isRaw;
    return term;
  }
  static Term truth(NodeId node) {
    Term term;
    term.kind = Kind::Truth;
    term.node = node;
    return term;
  }
  bool isFloat() const { return kind == Kind::Float; }
  bool isTruth() const { return kind == Kind::Truth; }
};

} // namespace ptxray::machine
