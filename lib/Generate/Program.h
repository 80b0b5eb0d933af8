#pragma once
// Generates valid, well-defined programs that test compilers and emulators of PTX. All registers are initialised,
// addresses are in bounds, loops terminate, threads do not race, and all threads reach each barrier.
#include "Generate/Family.h"
#include "Module/CheckOptions.h"
#include <memory>
#include <string>
#include <vector>

namespace ptxray {

struct ProgramOptions {
  uint64_t seed = 1;
  unsigned size = 60;   // approximate number of instructions, without those that begin and end the kernel
  unsigned blocks = 0;  // number of blocks; 0 for a small random number
  unsigned threads = 0; // threads per block: a power of two, at least 32; 0 for a random number from 32 to 128
  unsigned guards = 10; // percentage of eligible instructions that are guarded
  Families families = allFamilies;
};

/// The target of generated programs, and the instructions that they may use.
struct ProgramTarget {
  std::string target = "sm_90";
  uint16_t ptx = 0;                      // PTX version: 806 for 8.6; 0 for the newest
  std::vector<std::string> instructions; // allowed computing instructions, such as `add`; empty for all
  // Excluded opcodes, such as `add.rn.bf16*`, or `@testp*` to exclude only guarded ones.
  std::vector<std::string> without;
};

/// Generates programs one after another, and caches the instructions that it finds for them.
class Generator {
public:
  explicit Generator(ProgramTarget target);
  ~Generator();

  /// Generates a program. Equal options produce equal programs. The second line states how to launch it: `// run:
  /// --block=64 ...`.
  std::string program(const ProgramOptions &options);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace ptxray
