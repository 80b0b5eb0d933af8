#pragma once
// Launches on the emulated machine that show a fault: a kernel is refuted by nothing else.
#include "Emulate/Launch.h"
#include "Prove/Assume.h"

namespace ptxray::prove {

/// Numbers of a launch.
struct Trial {
  std::map<int, int64_t> scalars; // by parameter; the others are chosen
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::string schedule; // as `run --schedule` takes it; empty: the usual one
};

struct Witness {
  std::vector<Diagnostic> faults;
  std::vector<std::string> arguments; // as `run --emulate` takes them
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

/// Tries these numbers first, then others. Empty: no launch showed a fault.
std::optional<Witness> replay(const ReplayTask &task, llvm::ArrayRef<Trial> first, unsigned most);

} // namespace ptxray::prove
