#pragma once
// A conflict of two accesses, as a fault describes it.
#include "Diagnostics/Diagnostic.h"
#include "Machine/PastAccess.h"
#include "Parse/Ast.h"
#include <optional>
#include <string>

namespace ptxray::machine {

/// A conflict with an earlier access.
struct Race {
  PastAccess earlier;
  bool isWrite = false;                 // the earlier access is a write
  bool isTensor = false;                // in tensor memory
  bool isUnfenced = false;              // the accesses are ordered, but not visible to the other proxy
  std::optional<DiagId> rule = {};      // the violated rule about asynchronous operations
  std::string registerName = {};        // name of a register that is used too early
  const Instruction *wait = nullptr;    // a wait that covers a different operation
  bool isGlobal = false;                // the race is in global memory instead of shared memory
  bool isOfWarp = false;                // lanes of one warp performed both accesses
  bool matters = true;                  // false if only a use of the loaded value is a fault
  std::optional<uint32_t> cluster = {}; // the cluster of the earlier access
};
/// A load of a value that another warp wrote, where the two accesses are not ordered.
struct DoubtfulLoad {
  Race race;
  uint64_t address;
};
} // namespace ptxray::machine
