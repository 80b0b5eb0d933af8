#include "Ptxas/Program.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ptxray {

static bool fail(std::string &reason) {
  reason = std::strerror(errno);
  return false;
}

static bool writeAll(int fd, const char *data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, data, size);
    if (written < 0 && errno != EINTR)
      return false;
    data += std::max<ssize_t>(written, 0);
    size -= std::max<ssize_t>(written, 0);
  }
  return true;
}

static bool copyAll(int from, int to) {
  std::vector<char> chunk(1 << 20);
  for (;;) {
    ssize_t n = read(from, chunk.data(), chunk.size());
    if (n == 0)
      return true;
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0 && !writeAll(to, chunk.data(), n))
      return false;
  }
}

MemoryFile::~MemoryFile() {
  if (fd >= 0)
    close(fd);
}

bool MemoryFile::create(std::string &reason) {
  fd = memfd_create("ptxray", MFD_ALLOW_SEALING);
  return fd >= 0 || fail(reason);
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd); }

/// Some writers of PTX keep the zero that ends a C string: the parser does not look at it, and ptxas
/// would refuse it. An object file stays as it is.
static bool dropTerminator(int fd) {
  char first = 0, last = 0;
  if (pread(fd, &first, 1, 0) == 1 && first == '\x7f')
    return true;
  off_t size = lseek(fd, 0, SEEK_END);
  while (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last == 0)
    --size;
  return size >= 0 && ftruncate(fd, size) == 0;
}

static bool seal(int fd) { return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0; }

bool MemoryFile::fill(llvm::StringRef path, Ending ending, std::string &reason) {
  if (!create(reason))
    return false;
  const int input = path == "-" ? dup(0) : open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0)
    return fail(reason);
  const bool ok = (copyAll(input, fd) && (ending == Ending::Kept || dropTerminator(fd)) && seal(fd)) || fail(reason);
  close(input);
  return ok;
}

bool MemoryFile::hold(llvm::StringRef text, std::string &reason) {
  return create(reason) && ((writeAll(fd, text.data(), text.size()) && seal(fd)) || fail(reason));
}

std::string MemoryFile::beginning(size_t bytes) const {
  std::string text(bytes, '\0');
  text.resize(std::max<ssize_t>(0, pread(fd, text.data(), bytes, 0)));
  return text;
}

bool MemoryFile::copyTo(llvm::StringRef path, std::string &reason) const {
  const std::string target = path.str();
  struct stat status;
  const bool exists = stat(target.c_str(), &status) == 0;
  if (lseek(fd, 0, SEEK_SET) != 0)
    return fail(reason);
  if (exists && !S_ISREG(status.st_mode)) { // a device or a pipe is written to, not replaced
    const int out = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    bool ok = out >= 0 && copyAll(fd, out);
    if (!ok)
      fail(reason);
    if (out >= 0 && close(out) != 0 && ok)
      ok = fail(reason);
    return ok;
  }
  std::string beside = target + ".XXXXXX";
  const int out = mkostemp(beside.data(), O_CLOEXEC);
  if (out < 0)
    return fail(reason);
  const mode_t mask = umask(0);
  umask(mask);
  bool ok = copyAll(fd, out) && fchmod(out, exists ? status.st_mode & 07777 : 0666 & ~mask) == 0;
  if (!ok)
    fail(reason);
  if (close(out) != 0 && ok)
    ok = fail(reason);
  if (ok && rename(beside.c_str(), target.c_str()) != 0)
    ok = fail(reason);
  if (!ok)
    unlink(beside.c_str());
  return ok;
}

// A signal handler sees nothing but globals.
static volatile std::sig_atomic_t caughtSignal = 0;
static constexpr int passedOn[] = {SIGINT, SIGTERM, SIGHUP};

namespace {

/// Notes the signals that end a program, while it lives, instead of ending.
class SignalWatch {
public:
  SignalWatch() {
    caughtSignal = 0;
    struct sigaction action = {};
    action.sa_handler = [](int number) { caughtSignal = number; };
    for (size_t i = 0; i < std::size(passedOn); ++i) {
      sigaction(passedOn[i], nullptr, &before[i]);
      if (before[i].sa_handler != SIG_IGN)
        sigaction(passedOn[i], &action, nullptr);
    }
  }
  ~SignalWatch() {
    for (size_t i = 0; i < std::size(passedOn); ++i)
      sigaction(passedOn[i], &before[i], nullptr);
  }

private:
  struct sigaction before[std::size(passedOn)];
};

} // namespace

/// A process group of its own: what the program starts in its turn ends with it.
static int start(const std::string &path, llvm::ArrayRef<std::string> arguments, int output, pid_t &child) {
  std::vector<char *> words{const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, output, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int number : passedOn)
    sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&child, path.c_str(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

ProgramResult runProgram(const std::string &path, llvm::ArrayRef<std::string> arguments, unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(seconds);
  ProgramResult result;
  int pipeEnds[2];
  if (pipe2(pipeEnds, O_CLOEXEC) != 0) {
    result.detail = errno;
    return result;
  }
  SignalWatch watch;
  pid_t child = 0;
  result.detail = start(path, arguments, pipeEnds[1], child);
  close(pipeEnds[1]);
  if (result.detail != 0) {
    close(pipeEnds[0]);
    return result;
  }

  // Usually the pipe's end tells that the program ended; it may also close its output and go on, or
  // end and leave its output open to another.
  bool open = true, timedOut = false;
  int status = 0, signalSent = 0;
  pollfd wait{pipeEnds[0], POLLIN, 0};
  char chunk[1 << 14];
  auto readSome = [&] {
    const ssize_t n = read(pipeEnds[0], chunk, sizeof chunk);
    if (n > 0)
      result.printed.append(chunk, n);
    return n > 0 || (n < 0 && errno == EINTR);
  };
  for (bool ended = false; !ended;) {
    if (open && poll(&wait, 1, 20) > 0)
      open = readSome();
    else if (!open)
      usleep(1000);
    if (!open || wait.revents == 0)
      ended = waitpid(child, &status, WNOHANG) == child;
    if (ended)
      break;
    if (caughtSignal && !signalSent) {
      signalSent = caughtSignal;
      kill(-child, signalSent);
    }
    if (seconds && !timedOut && Clock::now() >= deadline) {
      timedOut = true;
      kill(-child, SIGKILL);
    }
  }
  while (open && poll(&wait, 1, 0) > 0)
    open = readSome();
  close(pipeEnds[0]);
  kill(-child, SIGKILL); // what it left running

  if (signalSent) {
    result.end = ProgramEnd::Interrupted;
    result.detail = signalSent;
  } else if (timedOut) {
    result.end = ProgramEnd::TimedOut;
  } else if (WIFSIGNALED(status)) {
    result.end = ProgramEnd::Killed;
    result.detail = WTERMSIG(status);
  } else {
    result.end = ProgramEnd::Exited;
    result.detail = WEXITSTATUS(status);
  }
  return result;
}

} // namespace ptxray
