// `ptxray emulate`: runs a command whose CUDA driver is the emulated one, and says at its end what was launched and
// found. The driver writes lines of JSON into a file (tools/driver/Report.cpp), one at the beginning and one at the end
// of each process that uses it.
#include "../driver/Chips.h"
#include "Command.h"
#include "EmulateReport.h"
#include "Files.h"
#include "Machine/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

/// The folder of the emulated driver: $PTXRAY_DRIVER, else that of the installation or of the build folder. Empty:
/// there is none.
static std::string folderOfDriver() {
  const std::string own = StringRef(ownPath()).rsplit('/').first.str();
  std::vector<std::string> folders = {own + "/../" PTXRAY_DRIVER_FOLDER, own + "/../lib/ptxray",
                                      own + "/../../lib/ptxray"};
  if (const char *named = std::getenv("PTXRAY_DRIVER"); named && *named)
    folders = {named};
  for (const std::string &folder : folders) {
    char real[PATH_MAX];
    if (access((folder + "/libcuda.so.1").c_str(), R_OK) == 0 && realpath(folder.c_str(), real))
      return real;
  }
  return "";
}

namespace {

/// Variables of the environment of the command.
class Environment {
public:
  void set(StringRef name, const std::string &value) { changed.push_back((name + "=" + value).str()); }
  std::vector<char *> all() {
    std::vector<char *> words;
    for (char **at = environ; *at; ++at) {
      const StringRef name = StringRef(*at).split('=').first;
      if (llvm::none_of(changed, [&](const std::string &one) { return StringRef(one).split('=').first == name; }))
        words.push_back(*at);
    }
    for (std::string &one : changed)
      words.push_back(one.data());
    words.push_back(nullptr);
    return words;
  }

private:
  std::vector<std::string> changed;
};

/// A file that is removed when it is not needed any more.
struct TemporaryFile {
  std::string path;
  TemporaryFile() {
    const char *folder = std::getenv("TMPDIR");
    path = std::string(folder && *folder ? folder : "/tmp") + "/ptxray-emulate-XXXXXX";
    const int file = mkstemp(path.data());
    isMade = file >= 0;
    if (isMade)
      close(file);
  }
  ~TemporaryFile() {
    if (isMade)
      unlink(path.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  bool isMade;
};

} // namespace

static constexpr int passedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
static volatile pid_t commandProcess = 0;

/// Hands a signal on to the command. A terminal sends its own to the command as well.
static void passOn(int number, siginfo_t *info, void *) {
  if (commandProcess > 0 && info->si_code != SI_KERNEL)
    kill(commandProcess, number);
}

/// Runs the command to its end. Returns the status of waitpid; nothing: it could not be started, and `reason` says why.
static std::optional<int> runCommand(llvm::ArrayRef<StringRef> words, Environment &environment, int &reason) {
  std::vector<std::string> texts;
  for (const StringRef word : words)
    texts.push_back(word.str());
  std::vector<char *> arguments;
  for (std::string &text : texts)
    arguments.push_back(text.data());
  arguments.push_back(nullptr);
  sigset_t handled, before;
  sigemptyset(&handled);
  for (const int number : passedOn)
    sigaddset(&handled, number);
  sigprocmask(SIG_BLOCK, &handled, &before); // until the process is known
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before);
  llvm::outs().flush();
  pid_t child = 0;
  reason = posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environment.all().data());
  posix_spawnattr_destroy(&attributes);
  commandProcess = child;
  for (const int number : passedOn) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    if (reason || action.sa_handler == SIG_IGN)
      continue;
    action.sa_sigaction = passOn;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (reason)
    return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  commandProcess = 0;
  return status;
}

/// Ends this process by a signal, as the command was.
static void endBy(int number) {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none); // the command has left the one that counts
  std::signal(number, SIG_DFL);
  llvm::outs().flush();
  raise(number);
}

static int runEmulate(const Arguments &arguments) {
  if (arguments.passedOn.empty())
    return usageError("the command is missing: `ptxray emulate -- COMMAND...`");
  const std::string folder = folderOfDriver();
  if (folder.empty())
    return usageError("the emulated driver, libcuda.so.1, is missing: it belongs into " PTXRAY_DRIVER_FOLDER
                      " beside the folder of ptxray (or in the folder that $PTXRAY_DRIVER names)");
  const std::string device = arguments.value("--device").value_or("sm_90").str();
  if (llvm::none_of(driver::chips(), [&](const driver::Chip &chip) { return chip.target == device; })) {
    std::vector<std::string> known;
    for (const driver::Chip &chip : driver::chips())
      known.push_back(chip.target.str());
    return usageError("`--device=" + device + "`: expected one of " + llvm::join(known, ", "));
  }
  const StringRef schedule = arguments.value("--schedule").value_or("eager");
  if (!machine::Timing::read(schedule))
    return usageError("`--schedule=" + schedule.str() + "`: expected eager, lazy, early, a number, or weak:NUMBER");
  unsigned schedules = 0;
  if (const auto text = arguments.value("--schedules"); text && (text->getAsInteger(10, schedules) || !schedules))
    return usageError("`--schedules=" + text->str() + "`: expected a number of launches");
  const TemporaryFile file;
  if (!file.isMade)
    return usageError("cannot make `" + file.path + "`: " + std::strerror(errno));
  Environment environment;
  const char *libraries = std::getenv("LD_LIBRARY_PATH");
  environment.set("LD_LIBRARY_PATH", folder + (libraries && *libraries ? ":" + std::string(libraries) : ""));
  environment.set("PTXRAY_DEVICE", device);
  environment.set("PTXRAY_SCHEDULE", schedule.str());
  environment.set("PTXRAY_SCHEDULES", std::to_string(schedules));
  environment.set("PTXRAY_CHECKS", arguments.has("--no-checks") ? "no" : "yes");
  environment.set("PTXRAY_REPORT", file.path);
  if (!arguments.has("--no-fidelity"))
    environment.set("PTXRAY_FIDELITY", "yes");
  if (arguments.has("--go-on"))
    environment.set("PTXRAY_GO_ON", "yes");
  int reason = 0;
  const std::optional<int> status = runCommand(arguments.passedOn, environment, reason);
  if (!status)
    return usageError("`" + arguments.passedOn[0].str() + "` cannot be started: " + std::strerror(reason));
  ClientReport report = readClientReport(file.path);
  report.device = device;
  report.isWithFidelity = !arguments.has("--no-fidelity");
  report.status = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
  std::string said;
  llvm::raw_string_ostream out(said);
  const StringRef path = arguments.value("--report").value_or("");
  path.ends_with(".json") ? writeClientReportJson(out, report) : writeClientReport(out, report);
  if (path.empty()) {
    llvm::errs() << said;
  } else if (const std::string problem = writeFile(path.str(), said); !problem.empty()) {
    return usageError(problem);
  }
  if (WIFSIGNALED(*status))
    endBy(WTERMSIG(*status));
  if (report.status)
    return report.status;
  return !report.refusals.empty() ? NotEmulated : !report.findings.empty() ? FoundErrors : Clean;
}

Command emulateCommand() {
  return {.name = "emulate",
          .summary = "run a command whose CUDA driver is the emulated GPU (on Linux)",
          .syntax = {.operands = "-- COMMAND...",
                     .options = {{"--device", "CHIP", "the GPU: sm_90 (if none is named), sm_100, sm_120 and others"},
                                 {"--go-on", "", "a fault of a kernel is the error of one call, not of all later ones"},
                                 {"--no-checks", "", "do not look for races"},
                                 {"--no-fidelity", "", "do not count what is exact, which takes time"},
                                 {"--report", "FILE", "write the report there, as JSON if it ends with .json"},
                                 {"--schedule", "TEXT",
                                  "when asynchronous operations happen: eager, lazy, early, a number, or weak:NUMBER"},
                                 {"--schedules", "N",
                                  "also launch each kernel N times by others: lazy, early, and by numbers"}},
                     .words = Words::PassedOn},
          .run = runEmulate,
          .notes = "The command's exit status is that of ptxray; where it is 0, 1 says that faults of kernels were "
                   "found, 7\nthat something could not be emulated. A signal that ends the command ends ptxray."};
}

} // namespace ptxray
