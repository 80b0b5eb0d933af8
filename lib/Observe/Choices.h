#pragma once
// Finds branches that only select between values: the code blocks on their paths compute registers until the paths
// join. Compilers generate such branches for selections.
#include "Machine/Program.h"
#include "llvm/ADT/BitVector.h"
#include <map>

namespace ptxray::machine {

/// A branch that only selects between values.
struct Choice {
  std::vector<uint32_t> blocks;            // code blocks on its paths
  std::vector<uint32_t> results, operands; // registers that these blocks write, and registers that they read
};

/// The branches of a function that only select between values.
class Choices {
public:
  explicit Choices(const FunctionCode &code) : code(code) {}
  /// Returns the selection of the branch at the end of a code block, or null if its paths do more than compute.
  const Choice *at(uint32_t block);
  /// Returns the known selections that have the instruction on their paths.
  llvm::ArrayRef<uint32_t> around(uint32_t instruction) const;

private:
  std::optional<Choice> find(uint32_t block) const;
  bool addBlocks(uint32_t from, uint32_t join, std::vector<uint32_t> &blocks) const;
  bool onlyComputes(uint32_t block) const;
  void addRegisters(Choice &choice) const;

  const FunctionCode &code;
  std::map<uint32_t, std::optional<Choice>> known; // keyed by code block
  // Branches, keyed by instructions on their paths.
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> byInstruction;
};

} // namespace ptxray::machine
