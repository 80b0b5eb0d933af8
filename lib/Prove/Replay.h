#pragma once
// Launches on the emulator that demonstrate a fault. A kernel is refuted only by such a launch.
#include "Emulate/Launch.h"
#include "Prove/Assume.h"

namespace ptxray::prove {

/// The parameters of a launch.
struct Trial {
  std::map<int, int64_t> scalars; // keyed by parameter; the others are chosen
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::string schedule; // argument of `run --schedule`; empty for the default
};

struct Witness {
  std::vector<Diagnostic> faults;
  std::vector<std::string> arguments; // in the notation of `run --emulate`
  std::array<uint32_t, 3> grid{};
  uint64_t shared = 0;
  std::string schedule;
  std::vector<std::string> sizes; // `n = 33`
};

struct ReplayTask {
  const ReadModule &module;
  const machine::KernelEntry &kernel;
  ProvenShape shape;
  llvm::ArrayRef<Comparison> assumed;
  std::vector<int> buffers; // parameters that are addresses
  bool usesDynamicShared = false;
  double seconds = 5;
};

/// Tries the launches in `first`, then at most `most` others. Returns nothing if no launch faulted.
std::optional<Witness> replay(const ReplayTask &task, llvm::ArrayRef<Trial> first, unsigned most);

} // namespace ptxray::prove
