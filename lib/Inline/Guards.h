#pragma once
// Evaluates the `#if` conditions around a statement for a target.
#include "Isa/Tables.h"
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray {

struct InlineGuard {
  uint32_t outer = 0;               // number of the enclosing guard; 0 if none
  std::string condition;            // the text after `#if`
  bool isNegated = false;           // for an `#else`
  Range place;                      // location of the directive
  bool isAgainstRepetition = false; // an include guard: the outermost `#ifndef`
};

enum class GuardAnswer : uint8_t { No, Yes, Unknown };

/// Returns whether code inside the guard is compiled for a target. `guard` is a number from 1, or 0 for none. Without a
/// target, conditions about targets are unknown.
GuardAnswer isCompiled(llvm::ArrayRef<InlineGuard> guards, uint32_t guard, llvm::StringRef target);

/// Returns whether the guard alone excludes all NVIDIA GPUs, regardless of other macros. `#if defined(__CUDA_ARCH__) ||
/// defined(__HIPCC__)` does not.
bool isForOtherMachine(const InlineGuard &guard);

/// Returns the current targets for which code inside the guard is certainly compiled, in ascending order. Returns none
/// if the guard excludes no older targets.
std::vector<isa::Target> targetsLetThrough(llvm::ArrayRef<InlineGuard> guards, uint32_t guard);

/// Returns whether code inside the guard may never be compiled. Code that is compiled unless a macro is defined counts
/// as compiled, such as the `#else` of `#ifdef USE_ROCM`.
bool mayLeaveOut(llvm::ArrayRef<InlineGuard> guards, uint32_t guard);

} // namespace ptxray
