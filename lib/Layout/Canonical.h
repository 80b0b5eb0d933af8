#pragma once
// The shared-memory layouts that a matrix descriptor can express, in CuTe's notation.
#include "Layout/Layout.h"

namespace ptxray::layout {

struct SwizzleMode {
  llvm::StringLiteral name, title;
  uint32_t bytes;                                 // bytes per swizzled row
  uint8_t swizzleBits, swizzleBase, swizzleShift; // CuTe's Swizzle
  int tcgen05, wgmma;                             // code in the descriptor; -1 if not available

  /// Returns whether a K-major layout exists. There is none with 32-byte atoms (Table 53).
  bool hasKMajor() const { return swizzleBase != 5; }
};
inline constexpr SwizzleMode swizzleModes[] = {
    {"none", "no swizzle", 16, 0, 4, 3, 0, 0},
    {"32B", "swizzle of 32 bytes", 32, 1, 4, 3, 6, 3},
    {"64B", "swizzle of 64 bytes", 64, 2, 4, 3, 4, 2},
    {"128B", "swizzle of 128 bytes", 128, 3, 4, 3, 2, 1},
    {"128B-base32B", "swizzle of 128 bytes with atoms of 32 bytes", 128, 2, 5, 2, 1, -1},
};
const SwizzleMode *findSwizzle(llvm::StringRef name);

struct CanonicalRequest {
  const SwizzleMode *swizzle;
  bool kMajor;
  uint32_t bits;  // width of an element
  uint32_t mn, k; // sizes in elements
  uint32_t leadingBytes, strideBytes;
};
Layout canonicalLayout(const CanonicalRequest &request);
/// Returns the shape as `((8,m),(T,2k)):((1T,SBO),(1,LBO))`, or with explicit numbers.
std::string canonicalShape(const CanonicalRequest &request, bool exact);

} // namespace ptxray::layout
