#include "Command.h"
#include "Isa/Isa.h"
#include "IsaJson.h"
#include "Samples/Enumerate.h"
#include "Samples/Sample.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// The targets without `--target`: one of each kind that has its own instructions, and both texture modes.
static constexpr llvm::StringLiteral usualTargets[] = {"sm_75", "sm_90a,texmode_independent", "sm_100a", "sm_120a"};

static void list(llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  for (const isa::Entry &entry : tables.entries)
    for (uint32_t mnemonic : isa::run(tables.entryMnemonics, entry.mnemonics))
      out << tables.mnemonics[mnemonic].text() << '\t' << entry.manual() << '\t' << entry.title() << '\n';
}

/// Prints sections as in test/isa, for the test runners.
static int enumerate(llvm::StringRef mnemonic, const Arguments &arguments) {
  ModuleContext module;
  module.ptx = isa::versions().back();
  if (std::optional<llvm::StringRef> written = arguments.value("--ptx")) {
    std::optional<uint16_t> version = findVersion(*written);
    if (!version)
      return usageError("unknown PTX version `" + written->str() + "`");
    module.ptx = *version;
  }
  llvm::SmallVector<llvm::StringRef> targets(std::begin(usualTargets), std::end(usualTargets));
  if (std::optional<llvm::StringRef> written = arguments.value("--target"))
    targets = {*written};
  unsigned count = 300;
  uint64_t seed = 1;
  if (arguments.value("--count").value_or("300").getAsInteger(10, count) ||
      arguments.value("--seed").value_or("1").getAsInteger(10, seed))
    return usageError("`--count` and `--seed` take a number");
  for (llvm::StringRef words : targets) { // words of `.target`
    const auto [name, mode] = words.split(',');
    const int target = isa::findTarget(name);
    if (target < 0)
      return unknownTarget(name);
    module.target = target;
    module.independent = mode == "texmode_independent";
    if (!mode.empty() && !module.independent)
      return usageError("after the target, only `texmode_independent` may follow");
    if (arguments.has("--all")) {
      if (!isa::findMnemonic(mnemonic))
        return unknownInstruction(mnemonic);
      const Enumeration all = enumerateInstruction(mnemonic, module);
      llvm::outs() << "//@ ptx " << isa::versionText(module.ptx) << ", " << words << '\n';
      for (const std::string &text : all.texts)
        llvm::outs() << text << '\n';
      llvm::outs() << "// " << all.texts.size() << " texts for " << std::llround(all.combinations) << " combinations\n";
      continue;
    }
    const std::vector<Sample> samples = sampleInstruction(mnemonic, module, count / targets.size(), seed);
    if (samples.empty())
      return unknownInstruction(mnemonic);
    llvm::outs() << "//@ ptx " << isa::versionText(module.ptx) << ", " << words << '\n';
    for (const Sample &sample : samples) {
      llvm::outs() << sample.text;
      if (!sample.accepted)
        llvm::outs() << "  // error: [" << sample.rule << ']';
      llvm::outs() << '\n';
    }
  }
  return Clean;
}

static int printJson(const Arguments &arguments) {
  for (llvm::StringRef name : arguments.operands)
    if (!anyMnemonicBegins(name))
      return unknownInstruction(name);
  llvm::outs() << dump(isaJson(arguments.operands)) << '\n';
  return Clean;
}

static int runIsa(const Arguments &arguments) {
  const std::optional<llvm::StringRef> mnemonic = arguments.value("--enumerate");
  const std::optional<llvm::StringRef> format = arguments.value("--format");
  if (format && *format != "json")
    return usageError("`isa` has only the format json");
  if (arguments.has("--list") + mnemonic.has_value() + format.has_value() != 1)
    return usageError("`isa` requires one of `--list`, `--enumerate=NAME` and `--format=json`");
  if (format)
    return printJson(arguments);
  if (!arguments.operands.empty())
    return usageError("only `--format=json` accepts names of instructions");
  if (mnemonic)
    return enumerate(*mnemonic, arguments);
  list(llvm::outs());
  return Clean;
}

Command isaCommand() {
  return {.name = "isa",
          .summary = "list the supported instructions, or valid and invalid statements of one instruction",
          .syntax = {.operands = "[NAME...]",
                     .most = anyNumber,
                     .options = {{"--list", "", "show mnemonic, section of the manual, and title of each"},
                                 {"--format", "json", "all data, or the data of the named instructions"},
                                 {"--enumerate", "NAME",
                                  "print statements with this instruction, and the expected verdict of each"},
                                 {"--all", "", "print every accepted combination of words, suffixes and signs"},
                                 {"--ptx", "V", "enumerate for this PTX version (default: the newest)"},
                                 {"--target", "WORDS",
                                  "enumerate for this target: sm_X, or sm_X,texmode_independent (default: several)"},
                                 {"--count", "N", "approximate number of statements to print (default: 300)"},
                                 {"--seed", "N", "seed of the random selection (default: 1)"}}},
          .run = runIsa};
}

} // namespace ptxray
