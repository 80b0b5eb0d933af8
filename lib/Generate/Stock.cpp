#include "Generate/Stock.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

/// The number of sets of samples for each mnemonic, and the number of samples per set.
static constexpr unsigned variants = 64, samplesOfEach = 6;

Stock::Stock(const ModuleContext &module, const ProgramTarget &target) : module(module), availability(module) {
  for (const std::string &pattern : target.without)
    if (llvm::Expected<llvm::GlobPattern> read = llvm::GlobPattern::create(pattern))
      without.push_back(std::move(*read));
    else
      llvm::consumeError(read.takeError());
  const std::vector<std::string> &wanted = target.instructions;
  const llvm::ArrayRef<isa::Mnemonic> all = isa::mnemonics();
  for (uint32_t i = 0; i < all.size(); ++i) {
    const Families families = familiesOf(all[i]);
    const bool isWanted = wanted.empty() || llvm::is_contained(wanted, StringRef(all[i].text()).split('.').first);
    for (unsigned family = 0; family < mnemonics.size(); ++family)
      if (families >> family & 1 && (isWanted || family != static_cast<unsigned>(Family::Compute)))
        mnemonics[family].push_back(i);
  }
}

bool Stock::isLeftOut(StringRef opcode) const {
  return llvm::any_of(without, [&](const llvm::GlobPattern &pattern) { return pattern.match(opcode); });
}

const std::vector<Blueprint> &Stock::made(uint32_t mnemonic, unsigned variant, Family family) {
  constexpr uint64_t prime = 0x9E3779B97F4A7C15U;
  const uint64_t key = uint64_t(mnemonic) * variants + variant;
  static const SampleFocus rightOnes{.row = 0, .word = "", .isRight = true};
  const auto [found, isNew] = blueprints[static_cast<unsigned>(family)].try_emplace(key);
  if (isNew)
    for (const Sample &sample :
         sampleInstruction(isa::mnemonics()[mnemonic].text(), module, samplesOfEach, (key + 1) * prime, rightOnes))
      if (std::optional<Blueprint> one = blueprintOf(sample, availability);
          one && one->family == family && !isLeftOut(one->opcode))
        found->second.push_back(std::move(*one));
  return found->second;
}

const Blueprint *Stock::pick(Family family, std::mt19937_64 &random,
                             llvm::function_ref<bool(const Blueprint &)> isWanted) {
  constexpr unsigned attempts = 400;
  const std::vector<uint32_t> &from = mnemonics[static_cast<unsigned>(family)];
  for (unsigned attempt = 0; attempt < attempts && !from.empty(); ++attempt) {
    const uint32_t mnemonic = from[random() % from.size()];
    const std::vector<Blueprint> &all = made(mnemonic, static_cast<unsigned>(random() % variants), family);
    llvm::SmallVector<const Blueprint *, 8> fitting;
    for (const Blueprint &one : all)
      if (isWanted(one))
        fitting.push_back(&one);
    if (!fitting.empty())
      return fitting[random() % fitting.size()];
  }
  return nullptr;
}

const Blueprint *Stock::pick(Family family, std::mt19937_64 &random) {
  return pick(family, random, [](const Blueprint &) { return true; });
}

} // namespace ptxray
