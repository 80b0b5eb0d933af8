#pragma once
// The `#if` conditions around a statement, and their values for a target.
#include "Isa/Tables.h"
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray {

struct InlineGuard {
  uint32_t outer = 0;               // its number; 0: none
  std::string condition;            // what follows `#if`
  bool isNegated = false;           // of an `#else`
  Range place;                      // of the directive
  bool isAgainstRepetition = false; // the outermost `#ifndef`
};

enum class GuardAnswer : uint8_t { No, Yes, Unknown };

/// Returns whether code after the guard (its number, from 1; 0 for none) is compiled for a target. Without a target,
/// conditions about one are unknown.
GuardAnswer isCompiled(llvm::ArrayRef<InlineGuard> guards, uint32_t guard, llvm::StringRef target);

/// Returns whether the guard alone excludes all GPUs of NVIDIA, whatever else is defined.
/// `#if defined(__CUDA_ARCH__) || defined(__HIPCC__)` does not.
bool isForOtherMachine(const InlineGuard &guard);

/// Present targets for which code after the guard is certainly compiled, if it excludes older ones; in ascending order.
std::vector<isa::Target> targetsLetThrough(llvm::ArrayRef<InlineGuard> guards, uint32_t guard);

/// Returns whether it is uncertain that code after the guard is compiled at all. Code that is compiled unless something
/// is defined counts as compiled: the `#else` of `#ifdef USE_ROCM`.
bool mayLeaveOut(llvm::ArrayRef<InlineGuard> guards, uint32_t guard);

} // namespace ptxray
