#pragma once
// The normal form of bit operations: an exclusive or of products of shifted bytes.
#include "Equal/Terms.h"

namespace ptxray::equal {

/// A byte of a term within a word: shifted left by `shift` bits, or right by -`shift` bits if `shift` is negative.
struct PlacedByte {
  Ref ref;
  int shift = 0;
  bool operator==(const PlacedByte &) const = default;
  bool operator<(const PlacedByte &other) const {
    return std::tuple(ref.term, ref.byte, shift) < std::tuple(other.ref.term, other.ref.byte, other.shift);
  }
};

/// The product (`and`) of bytes and a mask.
struct BitProduct {
  llvm::SmallVector<PlacedByte, 2> bytes; // sorted
  Bits mask = 0;
};

using BitForm = std::vector<BitProduct>;

/// Returns the form with equal products combined, sorted.
BitForm normalised(BitForm form, unsigned bits);
/// Returns the form shifted left, or right if `by` is negative.
BitForm shifted(BitForm form, int by, unsigned bits);
BitForm masked(BitForm form, Bits mask);
BitForm exclusive(BitForm a, const BitForm &b);
/// Returns the product of two forms; empty if it is too long.
std::optional<BitForm> conjunction(const BitForm &a, const BitForm &b, unsigned bits);

} // namespace ptxray::equal
