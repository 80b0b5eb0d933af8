#pragma once
// What the contents of buffers decide in a launch beyond data: addresses, branches and guards, as terms.
#include "Equal/Terms.h"
#include "Source/Range.h"

namespace ptxray::equal {

/// A value that decided something in one lane.
struct Decision {
  enum class Kind : uint8_t {
    Condition, // a predicate that had the value `isTrue`
    Address,   // an address of a load from a buffer
    Same,      // two threads stored `term` and `other` to the same bytes
    Other,     // anything else, such as a size, a mask, or the address of a store
  };
  Kind kind = Kind::Other;
  Term term = none, other = none;
  Range at = {};
  bool isTrue = false;
  uint32_t buffer = 0;           // the buffer from which it loads
  uint64_t below = 0, above = 0; // bytes of this buffer below the accessed ones, and above them
  uint32_t alignment = 1;
  auto key() const { return std::tuple(kind, term, other, at.begin, isTrue, buffer, below, above, alignment); }
};

} // namespace ptxray::equal
