// `ptxray run`: what a launch is asked for, and the launch on the emulated machine. RunOnGpu.cpp has the other one.
#include "Run.h"
#include "../launcher/LaunchOptions.h"
#include "BinaryOptions.h"
#include "Emulate.h"
#include "Isa/Isa.h"
#include "Parse/Parse.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

std::vector<std::string> LaunchWords::arguments(const std::string &image, llvm::ArrayRef<std::string> more) const {
  std::vector<std::string> all = options;
  llvm::append_range(all, more);
  all.insert(all.end(), {"--", image});
  llvm::append_range(all, values);
  return all;
}

LaunchWords sharedWords(const Arguments &arguments) {
  LaunchWords words{{"--name", arguments.operands.front().str()}, {}};
  const std::vector<Option> shared = launchOptions();
  for (const auto &[name, value] : arguments.options) {
    const auto option = llvm::find_if(shared, [name = name](const Option &one) { return StringRef(one.name) == name; });
    if (option == shared.end() || name == "--kernel" || name == "--jit") // which are decided by what the file is
      continue;
    words.options.push_back(name.str());
    if (!option->value.empty())
      words.options.push_back(value.str());
  }
  return words;
}

/// Reads and checks the input, for the chip of `--emulate` if it names one. Returns an exit status.
static int readAndCheck(ModuleInput &input, const Arguments &arguments) {
  if (const int status = input.read(arguments.operands.front(), arguments))
    return status;
  if (const StringRef chip = arguments.value("--emulate").value_or(""); !chip.empty()) {
    if (isa::findTarget(chip) < 0)
      return unknownTarget(chip);
    input.options.arch = chip.str();
  }
  input.check();
  if (!hasErrors(input.report))
    return Clean;
  printReport(input.report, arguments);
  return FoundErrors;
}

int chooseLaunch(const Arguments &arguments, const ModuleInput &input, KernelEntry &entry, LaunchWords &words) {
  Parser parser;
  DiagnosticSink known; // it has been checked
  const Ast &ast = parser.read(*input.report.source, known);
  const bool isRecorded = !input.recording.empty();
  const std::optional<StringRef> named =
      isRecorded ? std::optional<StringRef>(input.kernel) : arguments.value("--kernel");
  if (const std::string complaint = chooseKernel(ast, named, entry); !complaint.empty())
    return usageError(complaint);
  if (isRecorded) {
    if (arguments.operands.size() > 1)
      return usageError("the arguments of a recorded launch are in `" + input.recording + "`");
    words.options.insert(words.options.begin(), {"--recording", input.recording}); // other options count after it
    words.options.insert(words.options.end(), {"--kernel", entry.name, "--parameters", parameterSizes(entry)});
    return Clean;
  }
  if (const std::string complaint =
          typedArguments(entry, llvm::ArrayRef(arguments.operands).drop_front(), words.values);
      !complaint.empty())
    return usageError(complaint);
  words.options.insert(words.options.end(), {"--kernel", entry.name, "--parameters", parameterSizes(entry)});
  if (const auto [x, y, z] = entry.requiredBlock; x && !arguments.has("--block"))
    words.options.insert(words.options.end(),
                         {"--block", std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z)});
  return Clean;
}

int prepareEmulation(const Arguments &arguments, PreparedLaunch &out) {
  if (const int status = readAndCheck(out.input, arguments))
    return status;
  LaunchWords words = sharedWords(arguments);
  if (const int status = chooseLaunch(arguments, out.input, out.entry, words))
    return status;
  out.words = words.arguments(out.input.report.path);
  return Clean;
}

int runEmulated(const Arguments &arguments) {
  PreparedLaunch prepared;
  if (const int status = prepareEmulation(arguments, prepared))
    return status;
  return emulate(prepared, arguments);
}

static int runRun(const Arguments &arguments) {
  return arguments.has("--emulate") ? runEmulated(arguments) : runOnGpu(arguments);
}

std::vector<Option> emulationOptions() {
  return {{"--emulate", "[CHIP]", "run without a GPU, as that one would (default: `.target`)"},
          {"--no-checks", "", "look for no races, to emulate faster"},
          {"--trap-nan", "", "report NaNs and infinities that come of finite numbers, and divisions by zero"},
          {"--memory-limit", "BYTES", "stop a launch that takes more memory (default: 3/4 of this machine's)"},
          {"--heap", "BYTES", "the heap of the device, for `malloc` in kernels (default: 8M)"},
          {"--schedule", "TEXT", "when asynchronous operations happen: eager, lazy, early, a number, or weak:NUMBER"}};
}

std::vector<Option> runOptions() {
  std::vector<Option> options = launchOptions();
  const std::vector<Option> emulation = emulationOptions();
  options.insert(options.begin(), emulation.begin(), emulation.end());
  options.insert(options.begin() + static_cast<long>(emulation.size()),
                 {{"--schedules", "N", "launch N times: lazy, early, and by numbers, until one fails"},
                  {"--trace", "THREAD[:BLOCK]", "print what the thread executes, such as `5` or `0,3:2,1`"},
                  {"--pedantic", "", "with --counters: also report bank conflicts, and what would end them"},
                  {"--counters", "[FILE]", "count what instructions do: a listing, or JSON in FILE.json"},
                  {"--fidelity", "[FILE]", "what was executed and is not exact: a listing, or JSON in FILE.json"},
                  {"--coverage", "FILE", "write how often each line was executed, for lcov"},
                  {"--unwritten", "BYTE", "what registers, shared and local memory hold that nothing has written (0)"},
                  {"--cores", "N", "of the computer that emulate blocks at the same time (all)"}});
  options.insert(options.end(), {{"--ptxas", "PATH", "the ptxas to use"},
                                 {"--ptxas-time-limit", "SECONDS", "stop ptxas after this time", "--timeout"},
                                 {"-v", "", "show what each function uses"},
                                 {"--format", diagnosticFormats(), "form of the diagnostics"},
                                 {"--config", "FILE", "read options from this file, not from the nearest `.ptxray`"},
                                 {"--no-config", "", "read no `.ptxray`"},
                                 {"--werror", "", "treat warnings as errors"},
                                 {"--no-fold", "", "show similar diagnostics one by one"},
                                 entryOption(),
                                 colorOption()});
  return options;
}

Command runCommand() {
  return {.name = "run",
          .summary = "run a kernel of a PTX file on the GPU, or without one",
          .syntax = {.operands = "FILE ARGUMENT... [-- PTXAS OPTION...]",
                     .fewest = 1,
                     .most = anyNumber,
                     .options = runOptions(),
                     .words = Words::PassedOn},
          .run = runRun};
}

} // namespace ptxray
