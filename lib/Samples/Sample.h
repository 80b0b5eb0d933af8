#pragma once
// Makes texts that an entry accepts, and near misses, to compare the tables with ptxas.
#include "Isa/Availability.h"
#include "Resolve/Shape.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct Sample {
  std::string text; // with semicolon
  bool accepted;
  std::string rule; // of the first error
  std::string opcode;
  std::vector<Shape> shapes; // of its operands
};

/// Registers that samples use: `%r0` to `%r15`.
struct SampleRegisters {
  const char *prefix;
  const char *type;
  unsigned count;
};
llvm::ArrayRef<SampleRegisters> sampleRegisters();

/// The focus is the part of an entry that the samples are to exercise.
struct SampleFocus {
  uint32_t row = 0;     // of a table: its line in the file of the entry
  std::string word;     // written where it may be
  bool isRight = false; // no sample is made wrong on purpose; some still are
};

/// About `count` samples of the forms that spell this mnemonic, half of them wrong, for the declarations of
/// test/isa/prelude.ptx. The same seed gives the same samples. Empty for an unknown mnemonic.
std::vector<Sample> sampleInstruction(llvm::StringRef mnemonic, const ModuleContext &module, unsigned count,
                                      uint64_t seed, const SampleFocus &focus = {});

} // namespace ptxray
