// Runs a child process in its own process group, read through one pipe.
#include "Ptxas/Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ptxray {

// A signal handler can only use globals.
static volatile std::sig_atomic_t caughtSignal = 0;
static constexpr int passedOn[] = {SIGINT, SIGTERM, SIGHUP};

namespace {

/// The signal handlers, which all watches share.
struct Handlers {
  std::mutex mutex;
  unsigned watches = 0;
  std::array<struct sigaction, std::size(passedOn)> before;
};
Handlers &handlers() {
  static Handlers only;
  return only;
}

} // namespace

SignalWatch::SignalWatch() {
  Handlers &all = handlers();
  const std::scoped_lock lock(all.mutex);
  if (all.watches++)
    return;
  caughtSignal = 0;
  struct sigaction action = {};
  action.sa_handler = [](int number) { caughtSignal = number; };
  for (size_t i = 0; i < std::size(passedOn); ++i) {
    sigaction(passedOn[i], nullptr, &all.before[i]);
    if (all.before[i].sa_handler != SIG_IGN)
      sigaction(passedOn[i], &action, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  Handlers &all = handlers();
  const std::scoped_lock lock(all.mutex);
  if (--all.watches == 0)
    for (size_t i = 0; i < std::size(passedOn); ++i)
      sigaction(passedOn[i], &all.before[i], nullptr);
}

int SignalWatch::caught() { return caughtSignal; }

static std::vector<char *> wordsOf(const std::string &path, llvm::ArrayRef<std::string> arguments) {
  std::vector<char *> words{const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  return words;
}

enum class Child { Aside, Here };

/// Starts the program. Aside: with empty input, both outputs in the pipe, and a process group of its own, so that its
/// children end with it. Here: only its standard error goes into the pipe.
static int start(const std::string &path, llvm::ArrayRef<std::string> arguments, int pipe, Child place, pid_t &child) {
  const std::vector<char *> words = wordsOf(path, arguments);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (place == Child::Aside) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipe, STDOUT_FILENO);
  }
  posix_spawn_file_actions_adddup2(&files, pipe, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int number : passedOn)
    sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int flags = POSIX_SPAWN_SETSIGDEF | (place == Child::Aside ? POSIX_SPAWN_SETPGROUP : 0);
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  const int error = posix_spawn(&child, path.c_str(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

namespace {

/// The output of a program, read from a pipe as it arrives.
class Output {
public:
  Output(int pipe, ProgramResult &result) : pipe(pipe), result(result) {}
  ~Output() { close(pipe); }

  bool isOpen() const { return open; }
  void waitAndRead(int milliseconds) {
    pollfd wait{pipe, POLLIN, 0};
    if (open && poll(&wait, 1, milliseconds) > 0)
      open = readSome(chunkSize);
  }
  /// Reads the current contents of the pipe, because another process may print forever.
  void readTheRest() {
    int waiting = 0;
    if (ioctl(pipe, FIONREAD, &waiting) == 0)
      for (size_t left = waiting; open && left > 0; left -= std::min(left, chunkSize))
        open = readSome(std::min(left, chunkSize));
  }

private:
  static constexpr size_t chunkSize = 1 << 16;

  bool readSome(size_t most) {
    char chunk[chunkSize];
    const ssize_t n = ::read(pipe, chunk, most);
    if (n <= 0)
      return n < 0 && errno == EINTR;
    const size_t kept = std::min<size_t>(n, mostPrinted - result.printed.size());
    result.printed.append(chunk, kept);
    result.isCut |= kept < static_cast<size_t>(n);
    return true;
  }

  const int pipe;
  ProgramResult &result;
  bool open = true;
};

} // namespace

/// Waits for the end of the child, even if other processes have its output open. Kills it after the time limit. Returns
/// its status.
static int waitForEnd(pid_t child, Output &output, std::chrono::steady_clock::time_point deadline, bool hasDeadline,
                      int &signalSent, bool &timedOut) {
  constexpr int round = 20; // milliseconds
  for (int status = 0;;) {
    if (output.isOpen())
      output.waitAndRead(round);
    else
      usleep(1000);
    if (waitpid(child, &status, WNOHANG) == child)
      return status;
    if (caughtSignal && !signalSent) {
      signalSent = caughtSignal;
      kill(-child, signalSent);
    }
    if (hasDeadline && !timedOut && std::chrono::steady_clock::now() >= deadline) {
      timedOut = true;
      kill(-child, SIGKILL);
    }
  }
}

/// Starts the program, calls `follow` to wait for its end, and returns the result.
static ProgramResult startAndFollow(const std::string &path, llvm::ArrayRef<std::string> arguments, Child place,
                                    llvm::function_ref<int(pid_t, Output &, ProgramResult &)> follow) {
  ProgramResult result;
  int pipeEnds[2];
  if (pipe2(pipeEnds, O_CLOEXEC) != 0) {
    result.detail = errno;
    return result;
  }
  Output output(pipeEnds[0], result);
  SignalWatch watch;
  pid_t child = 0;
  result.detail = start(path, arguments, pipeEnds[1], place, child);
  close(pipeEnds[1]);
  if (result.detail != 0)
    return result;
  const int status = follow(child, output, result);
  result.end = WIFSIGNALED(status) ? ProgramEnd::Killed : ProgramEnd::Exited;
  result.detail = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

ProgramResult runProgram(const std::string &path, llvm::ArrayRef<std::string> arguments, unsigned seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  bool timedOut = false;
  int signalSent = 0;
  ProgramResult result =
      startAndFollow(path, arguments, Child::Aside, [&](pid_t child, Output &output, ProgramResult &) {
        const int status = waitForEnd(child, output, deadline, seconds != 0, signalSent, timedOut);
        output.readTheRest();
        kill(-child, SIGKILL); // terminate processes that it left running
        return status;
      });
  if (signalSent) {
    result.end = ProgramEnd::Interrupted;
    result.detail = signalSent;
  } else if (timedOut) {
    result.end = ProgramEnd::TimedOut;
  }
  return result;
}

static void writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR)
      return;
    text = text.drop_front(std::max<ssize_t>(0, n));
  }
}

ProgramResult runInPlace(const std::string &path, llvm::ArrayRef<std::string> arguments) {
  constexpr int round = 20; // milliseconds
  return startAndFollow(path, arguments, Child::Here, [](pid_t child, Output &output, ProgramResult &result) {
    size_t shown = 0;
    auto show = [&] {
      writeAll(STDERR_FILENO, llvm::StringRef(result.printed).drop_front(shown));
      shown = result.printed.size();
    };
    int status = 0, signalSent = 0;
    while (waitpid(child, &status, WNOHANG) != child) {
      if (output.isOpen())
        output.waitAndRead(round);
      else
        usleep(1000);
      show();
      if (const int caught = caughtSignal; caught && !std::exchange(signalSent, caught))
        kill(child, caught);
    }
    output.readTheRest();
    show();
    return status;
  });
}

} // namespace ptxray
