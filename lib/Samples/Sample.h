#pragma once
// Generates instructions that an entry accepts, and near misses, for comparing the tables with ptxas.
#include "Isa/Availability.h"
#include "Resolve/Shape.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct Sample {
  std::string text; // with a semicolon
  bool accepted;
  std::string rule; // rule of the first error
  std::string opcode;
  std::vector<Shape> shapes; // shapes of its operands
};

/// Registers that samples use: `%r0` to `%r15`.
struct SampleRegisters {
  const char *prefix;
  const char *type;
  unsigned count;
};
llvm::ArrayRef<SampleRegisters> sampleRegisters();

/// The part of an entry that samples should exercise.
struct SampleFocus {
  uint32_t row = 0;     // row of a table: its line in the file of the entry
  std::string word;     // used wherever it is permitted
  bool isRight = false; // no sample is made invalid on purpose; some still are
};

/// Returns about `count` samples of the forms with this mnemonic, half of them invalid, for the declarations of
/// test/isa/prelude.ptx. The same seed produces the same samples. Empty for an unknown mnemonic.
std::vector<Sample> sampleInstruction(llvm::StringRef mnemonic, const ModuleContext &module, unsigned count,
                                      uint64_t seed, const SampleFocus &focus = {});

} // namespace ptxray
