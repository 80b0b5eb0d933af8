#include "Machine/Conflicts.h"
#include "Machine/Traffic.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

namespace {

/// Another place for each address: so many bytes are left free after each row, or the bits that say which 16 bytes of
/// a row an address is in are exchanged by those that say which row it is.
struct Remedy {
  uint64_t row = 0, padding = 0; // in bytes
  uint64_t swizzle = 0;          // bytes of a row; 0: none

  uint64_t moved(uint64_t address) const {
    if (swizzle)
      return address ^ (address / 128 % (swizzle / 16)) * 16;
    return address + address / row * padding;
  }
  std::string text() const {
    return swizzle ? "a swizzle of " + std::to_string(swizzle) + " bytes"
                   : std::to_string(padding) + " bytes of padding after each " + std::to_string(row);
  }
};

} // namespace

static uint32_t passesWith(const WorstAccess &worst, const Remedy &remedy) {
  std::array<uint64_t, warpSize> at;
  llvm::transform(worst.at, at.begin(), [&](uint64_t address) { return remedy.moved(address); });
  return wavefrontsOf(worst.kind, {at.data(), worst.mask, worst.bytes}).count;
}

/// Lists the remedies that are tried, the simplest first.
static std::vector<Remedy> remediesFor(uint32_t bytes) {
  std::vector<Remedy> all;
  for (uint64_t row = 64; row <= 4096; row *= 2)
    for (uint64_t padding = std::max(bytes, 4u); padding <= 16; padding *= 2)
      all.push_back({row, padding, 0});
  for (const uint64_t swizzle : {32, 64, 128})
    all.push_back({0, 0, swizzle});
  return all;
}

/// Lanes of an atomic operation at one address wait for each other wherever it lies: then nothing helps.
static std::string adviceFor(const WorstAccess &worst) {
  std::string text =
      "one warp takes " + std::to_string(worst.passes) + " passes for " + std::to_string(worst.bytes) + " bytes a lane";
  uint32_t best = worst.passes;
  const Remedy *found = nullptr;
  const std::vector<Remedy> remedies = remediesFor(worst.bytes);
  for (const Remedy &remedy : remedies)
    if (const uint32_t passes = passesWith(worst, remedy); passes < best) {
      best = passes;
      found = &remedy;
    }
  return found ? text + "; with " + found->text() + ": " + std::to_string(best) : text;
}

DiagnosticList bankConflicts(const GridState &grid) {
  DiagnosticSink sink;
  for (const FunctionCode &code : grid.program.functions)
    for (uint32_t number = 0; number < (grid.counts.empty() ? 0 : grid.counts[code.number].instructions.size());
         ++number) {
      const InstructionCounts &counts = grid.counts[code.number].instructions[number];
      const auto worst = grid.worst.find({code.number, number});
      if (counts.sharedWavefronts <= 2 * counts.sharedIdeal || worst == grid.worst.end())
        continue;
      const Instruction &instruction = code.instruction(number);
      Diagnostic &diagnostic = sink.report(DiagId::BankConflict, instruction.range,
                                           grid.program.module->ast().text(instruction.opcode).str(),
                                           counts.sharedWavefronts, counts.sharedIdeal);
      diagnostic.notes.push_back({adviceFor(worst->second), std::nullopt});
    }
  return sink.take();
}

} // namespace ptxray::machine
