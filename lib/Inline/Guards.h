#pragma once
// The `#if` conditions around a statement, and what they say for a target.
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

/// Whether code after the guard (its number, from 1; 0: there is none) is compiled for a target. Without a target,
/// what asks for one is not known.
GuardAnswer isCompiled(llvm::ArrayRef<InlineGuard> guards, uint32_t guard, llvm::StringRef target);

/// Targets of today for which code after the guard is surely compiled, when it keeps older ones out; the least first.
std::vector<isa::Target> targetsLetThrough(llvm::ArrayRef<InlineGuard> guards, uint32_t guard);

/// Whether the guard leaves open whether code after it is compiled at all. What is there unless something is defined
/// counts as compiled: of `#ifdef USE_ROCM` the `#else`.
bool mayLeaveOut(llvm::ArrayRef<InlineGuard> guards, uint32_t guard);

} // namespace ptxray
