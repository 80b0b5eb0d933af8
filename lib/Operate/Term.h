#pragma once
// A term holds what is known of a number on the way of a recipe: between which limits it is, and which lanes hold it.
#include "Operate/Graph.h"

namespace ptxray::machine {

__extension__ typedef __int128 Exact;

/// The least and the greatest number that there may be.
struct Range {
  Exact low = 0, high = 0;
  bool isKnown = true; // false: any number

  static Range any() { return {0, 0, false}; }
  static Range of(const ElementType &type) {
    if (type.bits > 64)
      return any();
    const Exact one = 1;
    return type.isSigned() ? Range{-(one << (type.bits - 1)), (one << (type.bits - 1)) - 1}
                           : Range{0, (one << type.bits) - 1};
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
  NodeId node = noNode; // none: a constant, or a float that is not rounded yet
  bool isConstant = false;
  Value value;                                // the value of a constant
  uint8_t width = 0;                          // the width of the lanes that hold the lowest bits of an Integer
  Range range;                                // the numbers that an Integer may be
  const numbers::Format *format = nullptr;    // the format of a Float
  bool isRaw = false;                         // a NaN of a Float has the bits that were read
  isa::StepOp pending = isa::StepOp::Operand; // the operation on the sources that is still to be done and rounded
  uint16_t firstSource = 0, sources = 0;      // among those of all terms

  bool isPending() const { return sources != 0; }
  static Term constant(const Value &value);
  static Term integer(NodeId node, unsigned width, Range range) {
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
