#pragma once
// Branches that choose between values: the blocks of code on their ways only compute registers until the ways meet.
// Such a branch is a selection that a compiler has written as a branch.
#include "Machine/Program.h"
#include "llvm/ADT/BitVector.h"
#include <map>

namespace ptxray::machine {

/// A branch that chooses between values.
struct Choice {
  std::vector<uint32_t> blocks;            // on its ways
  std::vector<uint32_t> results, operands; // registers that these blocks write, and those that they read
};

/// The branches of a function that choose between values.
class Choices {
public:
  explicit Choices(const FunctionCode &code) : code(code) {}
  /// Returns what the branch at the end of a block of code chooses; null if its ways do more than to compute.
  const Choice *at(uint32_t block);
  /// Returns the branches that are known to choose between values and have an instruction on their ways.
  llvm::ArrayRef<uint32_t> around(uint32_t instruction) const;

private:
  std::optional<Choice> find(uint32_t block) const;
  bool addBlocks(uint32_t from, uint32_t join, std::vector<uint32_t> &blocks) const;
  bool onlyComputes(uint32_t block) const;
  void addRegisters(Choice &choice) const;

  const FunctionCode &code;
  std::map<uint32_t, std::optional<Choice>> known;                        // by block of code
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> byInstruction; // branches, by the instructions on their ways
};

} // namespace ptxray::machine
