#pragma once
// Programs that are valid and well defined, for tests of what compiles and executes PTX: all registers are initialised,
// addresses are in bounds, loops end, threads do not race, and barriers are met by all threads.
#include "Generate/Family.h"
#include "Module/CheckOptions.h"
#include <memory>
#include <string>
#include <vector>

namespace ptxray {

struct ProgramOptions {
  uint64_t seed = 1;
  unsigned size = 60;   // about so many instructions besides those that begin and end the kernel
  unsigned blocks = 0;  // of the grid; 0: a few
  unsigned threads = 0; // of a block, a power of two from 32 on; 0: 32 to 128
  unsigned guards = 10; // percent of the instructions that may have one
  Families families = allFamilies;
};

/// The target and the size that programs are made for.
struct ProgramTarget {
  std::string target = "sm_90";
  uint16_t ptx = 0;                      // 8.6 is 806; 0: the newest
  std::vector<std::string> instructions; // `add`: those that compute; empty: all that can
  std::vector<std::string> without;      // `add.rn.bf16*`: no such opcode; `@testp*`: none with a guard
};

/// Makes one program after the other, and remembers the instructions that it has found for them.
class Generator {
public:
  explicit Generator(ProgramTarget target);
  ~Generator();

  /// Generates a program. The same options produce the same program. Its second line states how to launch it: `// run:
  /// --block=64 ...`.
  std::string program(const ProgramOptions &options);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace ptxray
