#pragma once
// The instructions from which programs for one version and target choose. They are created on demand and cached, so
// that many programs share the work.
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

  /// Returns a random instruction of the family, or null if there is none. The choice depends only on the random
  /// numbers.
  const Blueprint *pick(Family family, std::mt19937_64 &random);
  /// Returns a random instruction of the family that satisfies the condition, or null if there is none.
  const Blueprint *pick(Family family, std::mt19937_64 &random, llvm::function_ref<bool(const Blueprint &)> isWanted);

  bool mayBeGuarded(const Blueprint &one) const { return !isLeftOut("@" + one.opcode); }

private:
  bool isLeftOut(llvm::StringRef opcode) const;
  const std::vector<Blueprint> &made(uint32_t mnemonic, unsigned variant, Family family);

  const ModuleContext module;
  const Availability availability;
  std::vector<llvm::GlobPattern> without;
  std::array<std::vector<uint32_t>, familyNames.size()> mnemonics; // indices into isa::mnemonics, for each family
  std::array<std::unordered_map<uint64_t, std::vector<Blueprint>>, familyNames.size()> blueprints;
};

} // namespace ptxray
