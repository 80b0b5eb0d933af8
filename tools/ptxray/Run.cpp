// `ptxray run`: everything up to the launch. On a GPU that is done by ptxray-run, a separate program, since this one is
// static and cannot open the CUDA driver.
#include "../launcher/LaunchOptions.h"
#include "BinaryOptions.h"
#include "Emulate.h"
#include "Files.h"
#include "Isa/Isa.h"
#include "Parse/Parse.h"
#include "Ptxas/Messages.h"
#include "Ptxas/Ptxas.h"
#include "Reports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

/// The path of ptxray-run: $PTXRAY_RUN, else next to this program, else in the build folder.
static std::string companion() {
  if (const char *named = std::getenv("PTXRAY_RUN"); named && *named)
    return named;
  const std::string folder = StringRef(ownPath()).rsplit('/').first.str();
  for (const char *place : {"/ptxray-run", "/../libexec/ptxray-run", "/../ptxray-run/ptxray-run"})
    if (access((folder + place).c_str(), X_OK) == 0)
      return folder + place;
  return "";
}

/// Runs a program that shares standard output and error.
static int runShared(const std::string &path, llvm::ArrayRef<std::string> arguments) {
  std::vector<char *> words{const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  llvm::outs().flush();
  pid_t child;
  int status = 0;
  if (const int reason = posix_spawn(&child, path.c_str(), nullptr, nullptr, words.data(), environ))
    return usageError("`" + path + "` cannot be started: " + std::strerror(reason));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : KernelFailed;
}

/// The GPU that the module is compiled for: the module's own target if it fits the present GPU, since only that may be
/// an architecture-specific one.
static std::string targetFor(StringRef moduleTarget, StringRef gpu) {
  const int own = isa::findTarget(moduleTarget), other = isa::findTarget(gpu);
  const bool sameNumber = own >= 0 && other >= 0 && isa::targets()[own].number == isa::targets()[other].number;
  return (sameNumber ? moduleTarget : gpu).str();
}

namespace {

/// The command line of ptxray-run.
struct Launch {
  std::string launcher;           // empty: it is missing
  std::vector<std::string> words; // the options
  std::vector<std::string> values;

  std::vector<std::string> arguments(const std::string &image, llvm::ArrayRef<std::string> more = {}) const;
  int run(const std::string &image, llvm::ArrayRef<std::string> more = {}) const;
};

} // namespace

std::vector<std::string> Launch::arguments(const std::string &image, llvm::ArrayRef<std::string> more) const {
  std::vector<std::string> all = words;
  llvm::append_range(all, more);
  all.insert(all.end(), {"--", image});
  llvm::append_range(all, values);
  return all;
}

int Launch::run(const std::string &image, llvm::ArrayRef<std::string> more) const {
  if (launcher.empty())
    return usageError("ptxray-run is missing: it belongs beside ptxray (or in $PTXRAY_RUN)");
  return runShared(launcher, arguments(image, more));
}

static std::vector<std::string> sharedWords(const Arguments &arguments) {
  std::vector<std::string> words{"--name", arguments.operands.front().str()};
  const std::vector<Option> shared = launchOptions();
  for (const auto &[name, value] : arguments.options) {
    const auto option = llvm::find_if(shared, [name = name](const Option &one) { return StringRef(one.name) == name; });
    if (option == shared.end() || name == "--kernel" || name == "--jit") // which are decided by what the file is
      continue;
    words.push_back(name.str());
    if (!option->value.empty())
      words.push_back(value.str());
  }
  return words;
}

/// Passes arguments on as they are written, since the parameters of an object are not known.
static int runObject(Launch launch, const std::string &path, const Arguments &arguments) {
  if (const std::optional<StringRef> kernel = arguments.value("--kernel"))
    launch.words.insert(launch.words.end(), {"--kernel", kernel->str()});
  for (StringRef text : llvm::ArrayRef(arguments.operands).drop_front())
    launch.values.push_back(text.str());
  return launch.run(path);
}

/// Lets the driver compile the text.
static int runCompiledByDriver(const Launch &launch, AssembleInput &input, const Arguments &arguments) {
  MemoryFile log;
  std::string reason;
  if (!log.create(reason))
    return usageError(reason);
  const int status = launch.run(input.file.path(), {"--jit", "--log", log.path()});
  addMessages(input.report, log.beginning(1 << 20), input.options);
  printReport(input.report, arguments);
  return status;
}

static int runAssembled(const Launch &launch, AssembleInput &input, const Arguments &arguments) {
  std::vector<std::string> probe{"--probe"};
  if (std::optional<StringRef> device = arguments.value("--device"))
    probe.insert(probe.end(), {"--device", device->str()});
  const ProgramResult answer = runProgram(launch.launcher, probe, 60);
  const StringRef gpu = StringRef(answer.printed).split(' ').first;
  if (answer.end != ProgramEnd::Exited || answer.detail != 0 || !gpu.starts_with("sm_")) {
    llvm::errs() << answer.printed;
    return answer.end == ProgramEnd::Exited && answer.detail ? answer.detail : NoGpu;
  }
  MemoryFile object;
  if (const int status = assembleInput(input, targetFor(input.report.target, gpu), arguments, object))
    return status;
  return launch.run(object.path());
}

/// Reads and checks the input, for the chip of `--emulate` if it names one. Returns an exit status.
static int readAndCheck(AssembleInput &input, const Arguments &arguments) {
  if (const int status = input.read(arguments.operands.front(), arguments))
    return status;
  const bool isObject = input.report.source->text().starts_with("\x7f"
                                                                "ELF");
  const std::optional<StringRef> chip = arguments.value("--emulate");
  if (isObject)
    return chip ? usageError("`" + input.report.path + "` holds code of a GPU: only PTX can be emulated") : Clean;
  if (chip && !chip->empty()) {
    if (isa::findTarget(*chip) < 0)
      return unknownTarget(*chip);
    input.options.arch = chip->str();
  }
  input.check();
  if (!hasErrors(input.report))
    return Clean;
  printReport(input.report, arguments);
  return FoundErrors;
}

/// Chooses the kernel, and adds it with its arguments to the command line. Returns an exit status.
static int chooseLaunch(const Arguments &arguments, const AssembleInput &input, KernelEntry &entry, Launch &launch) {
  Parser parser;
  DiagnosticSink known; // it has been checked
  const Ast &ast = parser.read(*input.report.source, known);
  if (const std::string complaint = chooseKernel(ast, arguments.value("--kernel"), entry); !complaint.empty())
    return usageError(complaint);
  if (const std::string complaint =
          typedArguments(entry, llvm::ArrayRef(arguments.operands).drop_front(), launch.values);
      !complaint.empty())
    return usageError(complaint);
  launch.words.insert(launch.words.end(), {"--kernel", entry.name, "--parameters", parameterSizes(entry)});
  if (const auto [x, y, z] = entry.requiredBlock; x && !arguments.has("--block"))
    launch.words.insert(launch.words.end(),
                        {"--block", std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z)});
  return Clean;
}

int prepareEmulation(const Arguments &arguments, PreparedLaunch &out) {
  Launch launch{"", sharedWords(arguments), {}};
  if (const int status = readAndCheck(out.input, arguments))
    return status;
  if (out.input.report.source->text().starts_with("\x7f"
                                                  "ELF"))
    return usageError("`" + out.input.report.path + "` holds code of a GPU: only PTX can be emulated");
  if (const int status = chooseLaunch(arguments, out.input, out.entry, launch))
    return status;
  out.words = launch.arguments(out.input.report.path);
  return Clean;
}

static int runRun(const Arguments &arguments) {
  Launch launch{companion(), sharedWords(arguments), {}};
  AssembleInput input;
  if (const int status = readAndCheck(input, arguments))
    return status;
  if (input.report.source->text().starts_with("\x7f"
                                              "ELF"))
    return runObject(std::move(launch), input.file.path(), arguments);
  KernelEntry entry;
  if (const int status = chooseLaunch(arguments, input, entry, launch))
    return status;
  if (arguments.has("--emulate"))
    return emulate(input, entry, launch.arguments(input.report.path), arguments);
  // Arguments are checked before a GPU is looked for and ptxas is called.
  if (const int status = launch.run(input.file.path(), {"--validate"}))
    return status;
  return arguments.has("--jit") ? runCompiledByDriver(launch, input, arguments)
                                : runAssembled(launch, input, arguments);
}

std::vector<Option> emulationOptions() {
  return {{"--emulate", "[CHIP]", "run without a GPU, as that one would (default: `.target`)"},
          {"--no-checks", "", "look for no races, to emulate faster"},
          {"--trap-nan", "", "report NaNs and infinities that come of finite numbers, and divisions by zero"},
          {"--schedule", "TEXT", "when asynchronous operations happen: eager, lazy, early, a number, or weak:NUMBER"}};
}

static std::vector<Option> runOptions() {
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
