#pragma once
// Bit-exact results of a GPU's special function unit: rcp, rsqrt, sqrt, sin, cos, lg2, ex2, tanh and div with `.approx`
// or `.full`. All functions work on codes; `flush` is `.ftz`.
#include "Numbers/Format.h"

namespace ptxray::numbers {

uint32_t reciprocalApprox(uint32_t code, bool flush);
uint32_t inverseRootApprox(uint32_t code, bool flush);
uint32_t rootApprox(uint32_t code, bool flush);
uint32_t sineApprox(uint32_t code, bool flush);
uint32_t cosineApprox(uint32_t code, bool flush);
uint32_t logarithmApprox(uint32_t code, bool flush);
uint32_t exponentialApprox(uint32_t code, bool flush);
uint32_t tangentApprox(uint32_t code);
/// Returns ex2.approx for f16 and bf16.
uint64_t exponentialApprox(uint64_t code, const Format &format);
uint64_t tangentApprox(uint64_t code, const Format &format);
/// Returns div.approx or div.full.
uint32_t quotientApprox(uint32_t a, uint32_t b, bool flush, bool isFull);

/// Return rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64, which read and write only the upper half of the code.
uint64_t reciprocalApprox64(uint64_t code);
uint64_t inverseRootApprox64(uint64_t code);
/// Returns rsqrt.approx.f64.
uint64_t inverseRoot64(uint64_t code);

} // namespace ptxray::numbers
