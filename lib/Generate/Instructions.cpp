#include "Generate/Instructions.h"
#include "Samples/Sample.h"
#include "Semantics/Recipe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <random>

namespace ptxray {

using isa::StepOp;
using llvm::StringRef;

/// The bits of registers with that type; 0: programs do not use them.
static unsigned usableBits(const SampleRegisters &registers) {
  if (StringRef(registers.type) == ".pred")
    return 1;
  const TypeView type = viewType(isa::findWord(registers.type));
  return llvm::is_contained({16, 32, 64}, type.bits) ? type.bits : 0;
}

std::vector<GeneratedRegister> generatedRegisters() {
  std::vector<GeneratedRegister> all;
  for (const SampleRegisters &registers : sampleRegisters())
    if (const unsigned bits = usableBits(registers))
      for (unsigned i = 0; i < registers.count; ++i)
        all.push_back({registers.prefix + std::to_string(i), bits});
  return all;
}

std::string registerDeclarations() {
  std::string text;
  for (const SampleRegisters &registers : sampleRegisters())
    if (usableBits(registers))
      text += std::string("  .reg ") + registers.type + ' ' + registers.prefix + '<' + std::to_string(registers.count) +
              ">;\n";
  return text;
}

/// Whether all names among the operands are registers of programs.
static bool usesOnlyRegisters(const Sample &sample, const llvm::StringSet<> &registers) {
  StringRef rest = StringRef(sample.text).drop_front(sample.opcode.size());
  while (!rest.empty()) {
    const char c = rest.front();
    const StringRef word = rest.take_while([](char d) { return llvm::isAlnum(d) || d == '_' || d == '%' || d == '$'; });
    if (word.empty()) {
      if (c == '[' || c == '.')
        return false;
      rest = rest.drop_front();
      continue;
    }
    if (!llvm::isDigit(c) && word != "_" && !registers.contains(word))
      return false;
    rest = rest.drop_front(word.size());
  }
  return true;
}

/// Without a rounding, ptxas may join two instructions into one that rounds once.
static bool leavesRounding(const FormMatch &match) {
  const isa::WordId nearest = isa::findWord(".rn");
  for (unsigned i = 0; i < match.slots.size(); ++i) {
    const isa::Slot &slot = match.slots[i];
    if (slot.optional && !slot.literal && !match.isWritten(i) &&
        llvm::any_of(isa::run(isa::tables().slotValues, slot.values),
                     [&](const isa::SlotValue &value) { return value.word == nearest; }))
      return true;
  }
  return false;
}

/// Whether the results are known, the same for each lane with the same operands, and exact.
static bool isWellDefined(const Recipe &recipe) {
  static constexpr StepOp excluded[] = {StepOp::Undefined, StepOp::Lane,    StepOp::Leader, StepOp::Active,
                                        StepOp::Everyone,  StepOp::CarryOf, StepOp::Carry,  StepOp::RoundRandom,
                                        StepOp::Memory,    StepOp::Fold,    StepOp::At};
  return recipe.refusal.empty() && !recipe.results.empty() && recipe.among < 0 && !recipe.isOneByOne &&
         llvm::none_of(
             recipe.steps, [](const RecipeStep &step) { return llvm::is_contained(excluded, step.op); }) &&
         llvm::none_of(recipe.results, [](const RecipeResult &result) { return result.isApproximate; });
}

static bool isPlain(const Sample &sample, const Availability &availability) {
  const Opcode opcode(sample.opcode);
  const WrittenInstruction written{opcode, sample.shapes, availability};
  const Judged judged = judge(written);
  const Facts &facts = judged.facts;
  return judged.findings.empty() && judged.match && facts.known && facts.noted == 0 && facts.kinds == 0 &&
         facts.accesses.empty() && !leavesRounding(*judged.match) && isWellDefined(recipeOf(written, *judged.match));
}

std::vector<std::string> plainInstructions(const ModuleContext &module, unsigned count, uint64_t seed,
                                           llvm::ArrayRef<std::string> wanted) {
  constexpr unsigned samplesOfEach = 6, mostMnemonics = 4000;
  std::mt19937_64 random(seed);
  const Availability availability(module);
  llvm::StringSet<> registers;
  for (const GeneratedRegister &one : generatedRegisters())
    registers.insert(one.name);
  std::vector<StringRef> mnemonics;
  for (const isa::Mnemonic &one : isa::mnemonics())
    if (const StringRef text = one.text; wanted.empty() || llvm::is_contained(wanted, text.split('.').first))
      mnemonics.push_back(text);
  std::vector<std::string> found;
  for (unsigned i = 0; i < mostMnemonics && found.size() < count && !mnemonics.empty(); ++i) {
    const StringRef mnemonic = mnemonics[random() % mnemonics.size()];
    for (const Sample &sample : sampleInstruction(mnemonic, module, samplesOfEach, random()))
      if (sample.accepted && usesOnlyRegisters(sample, registers) && isPlain(sample, availability))
        found.push_back(sample.text);
  }
  return found;
}

} // namespace ptxray
