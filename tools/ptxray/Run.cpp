// `ptxray run`: reads the options of a launch, and launches on the emulated machine. RunOnGpu.cpp launches on a GPU.
#include "Run.h"
#include "../launcher/LaunchOptions.h"
#include "BinaryOptions.h"
#include "Emulate.h"
#include "Isa/Isa.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

/// Reads and checks the input, for the chip of `--emulate` if it names one. Returns an exit status.
static int readAndCheck(ModuleInput &input, const Arguments &arguments) {
  if (const int status = input.read(arguments.operands.front(), arguments))
    return status;
  if (const StringRef chip = arguments.value("--emulate").value_or(""); !chip.empty()) {
    if (isa::findTarget(chip) < 0)
      return unknownTarget(chip);
    input.options.arch = chip.str();
  }
  input.checkAndKeep();
  if (!hasErrors(input.report))
    return Clean;
  printReport(input.report, arguments);
  return FoundErrors;
}

int chooseLaunch(const Arguments &arguments, const ModuleInput &input, ChosenLaunch &chosen) {
  const std::optional<StringRef> named =
      input.recorded ? std::optional<StringRef>(input.recorded->kernel) : arguments.value("--kernel");
  if (const std::string complaint = chooseKernel(input.module->ast(), named, chosen.entry); !complaint.empty())
    return usageError(complaint);
  const llvm::ArrayRef<StringRef> written = llvm::ArrayRef(arguments.operands).drop_front();
  if (input.recorded && !written.empty())
    return usageError("the arguments of a recorded launch are in `" + input.recording + "`");
  if (!input.recorded)
    if (const std::string complaint = typedArguments(chosen.entry, written, chosen.arguments); !complaint.empty()) {
      usageError(complaint);
      if (written.size() != chosen.entry.parameters.size())
        llvm::errs() << "ptxray: try `" << escaped(exampleLaunch(chosen.entry, arguments.operands.front())) << "`\n";
      return BadUsage;
    }
  return Clean;
}

/// Reads the request, beginning with the recording and the launch that the kernel's text defines. Returns what is
/// wrong.
static std::string readRequest(const Arguments &arguments, ModuleInput &input, const ChosenLaunch &chosen,
                               launcher::LaunchRequest &request) {
  if (input.recorded)
    request = requestOf(std::move(*input.recorded));
  else if (chosen.entry.requiredBlock[0])
    request.block = chosen.entry.requiredBlock;
  for (const auto &[name, value] : arguments.options) {
    const Expected<bool> isSet = setOption(request, name, value.str());
    if (!isSet)
      return isSet.problem();
  }
  request.kernel = chosen.entry.name;
  for (const KernelEntry::Parameter &parameter : chosen.entry.parameters)
    request.parameterBytes.push_back(parameter.bytes);
  std::string problem = addArguments(request, chosen.arguments);
  return problem.empty() ? complete(request) : problem;
}

int prepareEmulation(const Arguments &arguments, PreparedLaunch &out) {
  if (const int status = readAndCheck(out.input, arguments))
    return status;
  ChosenLaunch chosen;
  if (const int status = chooseLaunch(arguments, out.input, chosen))
    return status;
  const std::string problem = withinMemory([&] { return readRequest(arguments, out.input, chosen, out.request); });
  out.entry = std::move(chosen.entry);
  return problem.empty() ? static_cast<int>(Clean) : usageError(problem);
}

int runEmulated(const Arguments &arguments) {
  PreparedLaunch prepared;
  if (const int status = prepareEmulation(arguments, prepared))
    return status;
  return emulate(prepared, arguments);
}

static int runRun(const Arguments &arguments) {
  if (arguments.has("--emulate") || arguments.has("--certify"))
    return runEmulated(arguments);
  if constexpr (startsPrograms)
    return runOnGpu(arguments);
  else
    return refuseWithoutPtxas("`ptxray run` without `--emulate`");
}

std::vector<Option> emulationOptions() {
  return {{"--emulate", "[CHIP]", "run without a GPU, on an emulated GPU of this target (default: `.target`)"},
          {"--no-checks", "", "skip race detection (faster)"},
          {"--trap-nan", "", "report NaNs and infinities that result from finite numbers, and divisions by zero"},
          {"--memory-limit", "BYTES", "stop a launch that uses more memory (default: 3/4 of this machine's)"},
          {"--heap", "BYTES", "size of the device heap, for `malloc` in kernels (default: 8M)"},
          {"--schedule", "TEXT", "when asynchronous operations happen: eager, lazy, early, a number, or weak:NUMBER"}};
}

std::vector<Option> runOptions() {
  std::vector<Option> options = launchOptions();
  const std::vector<Option> emulation = emulationOptions();
  options.insert(options.begin(), emulation.begin(), emulation.end());
  options.insert(
      options.begin() + static_cast<long>(emulation.size()),
      {{"--certify", "[FILE]", "report for which contents the verdict holds: text, or JSON in FILE.json"},
       {"--conditions", "", "with --certify: search for conditions on contents in large launches as well"},
       {"--schedules", "N", "launch N times with different schedules (lazy, early, numbered) until one fails"},
       {"--trace", "THREAD[:BLOCK]", "print the instructions of this thread, such as `5` or `0,3:2,1`"},
       {"--pedantic", "", "with --counters: also report bank conflicts and how to avoid them"},
       {"--counters", "[FILE]", "count the work of each instruction: a listing, or JSON in FILE.json"},
       {"--fidelity", "[FILE]", "report executed instructions that are not exact: a listing, or JSON in FILE.json"},
       {"--coverage", "FILE", "write how often each line was executed, for lcov"},
       {"--unwritten", "BYTE", "fill byte for uninitialised registers, shared and local memory (default: 0)"},
       {"--cores", "N", "number of cores that emulate blocks at the same time (default: all)"}});
  options.insert(options.end(), {{"--ptxas", "PATH", "the ptxas to use"},
                                 {"--ptxas-time-limit", "SECONDS", "stop ptxas after this time", "--timeout"},
                                 {"-v", "", "show the resources of each function"},
                                 {"--format", diagnosticFormats(), "format of the diagnostics"},
                                 {"--config", "FILE", "read options from this file instead of the nearest `.ptxray`"},
                                 {"--no-config", "", "read no `.ptxray`"},
                                 {"--werror", "", "treat warnings as errors"},
                                 {"--no-fold", "", "do not group similar diagnostics"},
                                 entryOption(),
                                 colorOption()});
  return options;
}

Command runCommand() {
  static const std::string runNotes =
      std::string(argumentHelp) +
      "Without arguments, `run` shows the parameters and a command that runs.\n\n"
      "Example: ptxray run --emulate vadd.ptx f32:1,2,3,4 f32:5,6,7,8 zeros:f32:4 4 --block=4 --out=2=f32";
  return {.name = "run",
          .summary = "run a kernel of a PTX file on a GPU or the emulator",
          .syntax = {.operands = "FILE ARGUMENT... [-- PTXAS OPTION...]",
                     .fewest = 1,
                     .most = anyNumber,
                     .options = runOptions(),
                     .words = Words::PassedOn},
          .run = runRun,
          .notes = runNotes};
}

} // namespace ptxray
