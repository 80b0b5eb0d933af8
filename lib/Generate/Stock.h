#pragma once
// The instructions that programs for one version and target choose from. They are made when they are asked for, and
// kept: who makes many programs makes most of them once.
#include "Generate/Blueprint.h"
#include "Generate/Program.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include <array>
#include <random>
#include <unordered_map>
#include <vector>

namespace ptxray {

class Stock {
public:
  Stock(const ModuleContext &module, const ProgramTarget &target);

  /// Returns an instruction of the family; null: there is none. Which one depends on the random numbers alone.
  const Blueprint *pick(Family family, std::mt19937_64 &random);
  /// The same of those for which the condition holds.
  const Blueprint *pick(Family family, std::mt19937_64 &random, llvm::function_ref<bool(const Blueprint &)> isWanted);

  bool mayBeGuarded(const Blueprint &one) const { return !isLeftOut("@" + one.opcode); }

private:
  bool isLeftOut(llvm::StringRef opcode) const;
  const std::vector<Blueprint> &made(uint32_t mnemonic, unsigned variant, Family family);

  const ModuleContext module;
  const Availability availability;
  std::vector<llvm::GlobPattern> without;
  std::array<std::vector<uint32_t>, familyNames.size()> mnemonics; // by family: numbers of isa::mnemonics
  std::array<std::unordered_map<uint64_t, std::vector<Blueprint>>, familyNames.size()> blueprints;
};

} // namespace ptxray
