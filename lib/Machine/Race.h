#pragma once
// A conflict of two accesses, as a fault reports it.
#include "Diagnostics/Diagnostic.h"
#include "Machine/PastAccess.h"
#include "Parse/Ast.h"
#include <optional>
#include <string>

namespace ptxray::machine {

/// A conflict with an earlier access.
struct Race {
  PastAccess earlier;
  bool isWrite = false;                 // the earlier one
  bool isTensor = false;                // it is in tensor memory
  bool isUnfenced = false;              // it is ordered, but another proxy does not see it
  std::optional<DiagId> rule = {};      // the broken rule about asynchronous operations
  std::string registerName = {};        // the register that is used too early
  const Instruction *wait = nullptr;    // the wait, which is for something else
  bool isGlobal = false;                // it is in global memory, not in shared
  bool isOfWarp = false;                // both are of lanes of one warp
  bool matters = true;                  // else only if the value that was read is used
  std::optional<uint32_t> cluster = {}; // the earlier one was of this cluster
};
/// A load read what another warp wrote, and nothing orders the two.
struct DoubtfulLoad {
  Race race;
  uint64_t address;
};
} // namespace ptxray::machine
