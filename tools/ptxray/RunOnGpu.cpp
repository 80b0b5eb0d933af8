// `ptxray run` on a GPU: does all work before the launch. ptxray-run does the launch. It is a separate program, because
// this one is static and cannot open the CUDA driver.
#include "../launcher/LaunchOptions.h"
#include "Assemble.h"
#include "Binaries.h"
#include "Files.h"
#include "Isa/Isa.h"
#include "LaunchServer.h"
#include "Ptxas/Messages.h"
#include "Ptxas/Ptxas.h"
#include "Run.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

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

namespace {

/// A launch by ptxray-run: its command line.
struct Launch {
  explicit Launch(const Arguments &arguments);
  void add(const ChosenLaunch &chosen, const ModuleInput &input, bool hasBlock);
  int run(const std::string &image, llvm::ArrayRef<std::string> more = {}) const;

  std::string launcher = launcherPath(); // empty if it is missing
  std::vector<std::string> options, values;
};

} // namespace

/// Passes on the options that both programs have, as they are written.
Launch::Launch(const Arguments &arguments) : options{"--name", arguments.operands.front().str()} {
  const std::vector<Option> shared = launchOptions();
  for (const auto &[name, value] : arguments.options) {
    const auto option = llvm::find_if(shared, [name = name](const Option &one) { return StringRef(one.name) == name; });
    if (option == shared.end() || name == "--kernel" || name == "--jit") // the kind of file decides these
      continue;
    options.push_back(name.str());
    if (!option->value.empty())
      options.push_back(value.str());
  }
}

/// Adds options that follow from the text of a kernel.
void Launch::add(const ChosenLaunch &chosen, const ModuleInput &input, bool hasBlock) {
  std::string sizes;
  for (const KernelEntry::Parameter &parameter : chosen.entry.parameters)
    sizes += (sizes.empty() ? "" : ",") + std::to_string(parameter.bytes);
  if (input.recorded)
    options.insert(options.begin(), {"--recording", input.recording});
  options.insert(options.end(), {"--kernel", chosen.entry.name, "--parameters", sizes});
  if (const auto [x, y, z] = chosen.entry.requiredBlock; x && !hasBlock && !input.recorded)
    options.insert(options.end(), {"--block", std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z)});
  values = chosen.arguments;
}

int Launch::run(const std::string &image, llvm::ArrayRef<std::string> more) const {
  if (launcher.empty())
    return usageError("ptxray-run, which launches on a GPU, is missing: it belongs next to ptxray (or in $PTXRAY_RUN). "
                      "`pip install .` and `tools/dev build release` make it; `run --emulate` needs no GPU");
  std::vector<std::string> words = options;
  llvm::append_range(words, more);
  words.insert(words.end(), {"--", image});
  llvm::append_range(words, values);
  return runShared(launcher, words);
}

/// Passes arguments on as they are written, because the parameters of an object are not known.
static int runObject(Launch launch, const std::string &path, const Arguments &arguments) {
  if (const std::optional<StringRef> kernel = arguments.value("--kernel"))
    launch.options.insert(launch.options.end(), {"--kernel", kernel->str()});
  for (StringRef text : llvm::ArrayRef(arguments.operands).drop_front())
    launch.values.push_back(text.str());
  return launch.run(path);
}

/// Lets the driver compile the text.
static int runCompiledByDriver(const Launch &launch, AssembleInput &input, const Arguments &arguments) {
  MemoryFile log;
  if (const std::string problem = log.create(); !problem.empty())
    return usageError(problem);
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

int runOnGpu(const Arguments &arguments) {
  Launch launch(arguments);
  AssembleInput input;
  if (const int status = input.read(arguments.operands.front(), arguments))
    return status;
  if (input.report.source->text().starts_with(elfMagic))
    return runObject(std::move(launch), input.file.path(), arguments);
  input.checkAndKeep();
  if (hasErrors(input.report)) {
    printReport(input.report, arguments);
    return FoundErrors;
  }
  ChosenLaunch chosen;
  if (const int status = chooseLaunch(arguments, input, chosen))
    return status;
  launch.add(chosen, input, arguments.has("--block"));
  // Arguments are checked before ptxray looks for a GPU and calls ptxas.
  if (const int status = launch.run(input.file.path(), {"--validate"}))
    return status;
  return arguments.has("--jit") ? runCompiledByDriver(launch, input, arguments)
                                : runAssembled(launch, input, arguments);
}

} // namespace ptxray
