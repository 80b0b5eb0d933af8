#include "ClientCommand.h"
#include "Command.h"
#include "Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

std::string folderOfDriver(const std::string &library, const std::string &what) {
  const std::string own = StringRef(ownPath()).rsplit('/').first.str();
  std::vector<std::string> folders = {own + "/../" PTXRAY_DRIVER_FOLDER, own + "/../lib/ptxray",
                                      own + "/../../lib/ptxray"};
  if (const char *named = std::getenv("PTXRAY_DRIVER"); named && *named)
    folders = {named};
  for (const std::string &folder : folders) {
    char real[PATH_MAX];
    if (access((folder + "/" + library).c_str(), R_OK) == 0 && realpath(folder.c_str(), real))
      return real;
  }
  usageError(what + ", " + library +
             ", is missing: it belongs into " PTXRAY_DRIVER_FOLDER
             " beside the folder of ptxray (or in the folder that $PTXRAY_DRIVER names). The program alone does not "
             "have it: `pip install .` and `tools/dev build release` make it");
  return "";
}

void ClientEnvironment::addLibraries(const std::string &folder) {
  const char *libraries = std::getenv("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", folder + (libraries && *libraries ? ":" + std::string(libraries) : ""));
}

void ClientEnvironment::preload(const std::string &library) {
  const char *others = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", library + (others && *others ? ":" + std::string(others) : ""));
}

std::vector<char *> ClientEnvironment::all() {
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

Temporary::Temporary(Kind kind) {
  const char *folder = std::getenv("TMPDIR");
  path = std::string(folder && *folder ? folder : "/tmp") + "/ptxray-XXXXXX";
  if (kind == Kind::Folder) {
    isMade = mkdtemp(path.data());
  } else if (const int file = mkstemp(path.data()); file >= 0) {
    isMade = true;
    close(file);
  }
}

Temporary::~Temporary() {
  if (isMade)
    llvm::sys::fs::remove_directories(path); // also removes a file
}

static constexpr int passedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
static volatile pid_t commandProcess = 0;

/// Passes a signal on to the command. A terminal also sends its own signals to the command.
static void passOn(int number, siginfo_t *info, void *) {
  if (commandProcess > 0 && info->si_code != SI_KERNEL)
    kill(commandProcess, number);
}

/// Starts the command. The command is killed together with ptxray. `reason` is the error number if it cannot be
/// started, or 0.
static pid_t start(std::vector<char *> &arguments, std::vector<char *> &variables, const sigset_t &mask, int &reason) {
  int report[2] = {};
  if (pipe2(report, O_CLOEXEC))
    return reason = errno, -1;
  const pid_t own = getpid(), child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == own) {
      environ = variables.data();
      execvp(arguments[0], arguments.data());
    }
    const int why = errno;
    [[maybe_unused]] const ssize_t written = write(report[1], &why, sizeof why);
    _exit(127);
  }
  const int failed = errno;
  close(report[1]);
  if (child < 0)
    reason = failed;
  else if (read(report[0], &reason, sizeof reason) == sizeof reason) // otherwise the started program has closed it
    waitpid(child, nullptr, 0);
  else
    reason = 0;
  close(report[0]);
  return child;
}

std::optional<int> runCommand(llvm::ArrayRef<StringRef> words, ClientEnvironment &environment, int &reason) {
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
  sigprocmask(SIG_BLOCK, &handled, &before); // until the id of the process is known
  llvm::outs().flush();
  std::vector<char *> variables = environment.all();
  const pid_t child = start(arguments, variables, before, reason);
  commandProcess = reason ? 0 : child;
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

void endBy(int number) {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none); // the command has left the core file that counts
  std::signal(number, SIG_DFL);
  llvm::outs().flush();
  raise(number);
}

} // namespace ptxray
