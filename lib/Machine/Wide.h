#pragma once
// Helpers for loops that are compiled twice, once for AVX2: both functions call the same inlined one.
#include "Operate/Sets.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PTXRAY_FOR_AVX2 __attribute__((target("avx2")))
#define PTXRAY_INLINE inline __attribute__((always_inline))
#define PTXRAY_INLINED_LAMBDA __attribute__((always_inline))
#else
#define PTXRAY_FOR_AVX2
#define PTXRAY_INLINE inline
#define PTXRAY_INLINED_LAMBDA
#endif
#if defined(__clang__)
#define PTXRAY_UNROLLED _Pragma("clang loop unroll_count(8)")
#elif defined(__GNUC__)
#define PTXRAY_UNROLLED _Pragma("GCC unroll 8")
#else
#define PTXRAY_UNROLLED
#endif

namespace ptxray::machine {

/// Returns whether the handlers for AVX2 are used.
inline bool isWide() {
  static const bool is = usesWideHandlers();
  return is;
}

} // namespace ptxray::machine
