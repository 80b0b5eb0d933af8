#include "Server.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray::launcher {

// A request consists of the number of bytes that follow, sent together with both outputs of the client, then its
// folder, and its words. The folder and each word end with a zero. The answer is one byte, the status.
using Size = uint64_t;
static constexpr std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
using Files = std::array<int, outputs.size()>;

static bool isSent(int socket, const char *bytes, size_t count) {
  while (count) {
    const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    bytes += sent;
    count -= static_cast<size_t>(sent);
  }
  return true;
}

static bool isReceived(int socket, char *bytes, size_t count) {
  while (count) {
    const ssize_t received = recv(socket, bytes, count, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return false;
    bytes += received;
    count -= static_cast<size_t>(received);
  }
  return true;
}

namespace {
/// The message that opens a request. It holds pointers into itself.
struct Opening {
  Size size = 0;
  iovec part = {&size, sizeof size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(Files))] = {};
  msghdr message = {};

  Opening() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  Opening(const Opening &) = delete;
  Opening &operator=(const Opening &) = delete;
};
} // namespace

/// Returns a word in which files of this process have names that another process can open.
static std::string fromOutside(std::string word) {
  static constexpr char own[] = "/proc/self/";
  const std::string named = "/proc/" + std::to_string(getpid()) + "/";
  for (size_t at = 0; (at = word.find(own, at)) != std::string::npos; at += named.size())
    word.replace(at, sizeof own - 1, named);
  return word;
}

std::optional<int> askServer(const std::vector<std::string> &words, Handler handler) {
  const char *const path = std::getenv("PTXRAY_RUN_SERVER");
  sockaddr_un address = {};
  if (!path || !*path || std::strlen(path) >= sizeof address.sun_path)
    return std::nullopt;
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path);
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0 || connect(server, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    return std::nullopt;
  std::error_code unknown;
  std::string text = std::filesystem::current_path(unknown).string() + '\0';
  for (const std::string &word : words)
    text += fromOutside(word) + '\0';
  Opening opening;
  opening.size = text.size();
  cmsghdr *const header = CMSG_FIRSTHDR(&opening.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(Files));
  std::memcpy(CMSG_DATA(header), outputs.data(), sizeof(Files));
  char status = 0;
  // A missing answer means that the launch has crashed the server.
  const bool isAnswered = sendmsg(server, &opening.message, MSG_NOSIGNAL) == sizeof(Size) &&
                          isSent(server, text.data(), text.size()) && isReceived(server, &status, 1);
  return isAnswered ? status : handler.lastStatus;
}

/// Reads a request, and replaces the outputs of this process by those of the client. Returns whether the request is
/// complete.
static bool isTaken(int client, std::vector<std::string> &words) {
  Opening opening;
  Files files;
  const bool hasBegun = recvmsg(client, &opening.message, MSG_CMSG_CLOEXEC) == sizeof(Size);
  const cmsghdr *const header = CMSG_FIRSTHDR(&opening.message);
  if (!hasBegun || !header || header->cmsg_len != CMSG_LEN(sizeof(Files)))
    return false;
  std::memcpy(files.data(), CMSG_DATA(header), sizeof files);
  for (size_t i = 0; i < files.size(); ++i) {
    dup2(files[i], outputs[i]);
    close(files[i]);
  }
  std::string text(opening.size, 0);
  if (!isReceived(client, text.data(), text.size()))
    return false;
  for (auto at = text.begin(); at != text.end(); ++at) {
    const auto end = std::find(at, text.end(), '\0');
    words.emplace_back(at, end);
    at = end;
  }
  if (words.empty() || chdir(words.front().c_str()) != 0)
    return false;
  words.erase(words.begin());
  return true;
}

/// Answers one request after another, as long as the context is usable.
[[noreturn]] static void work(Handler handler) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (;;) {
    const int client = accept4(STDIN_FILENO, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
      _exit(handler.lastStatus);
    std::vector<std::string> words;
    const int status = isTaken(client, words) ? handler.run(words) : handler.lastStatus;
    std::fflush(stdout);
    std::cout.flush();
    for (const int output : outputs) // the client's reader waits until both outputs are closed
      dup2(nowhere, output);
    const char answer = static_cast<char>(status);
    isSent(client, &answer, 1);
    close(client);
    if (status == handler.lastStatus)
      _exit(status);
  }
}

int serve(unsigned processes, Handler handler) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (unsigned working = 0;;) {
    while (working < processes) {
      const pid_t worker = fork();
      if (worker < 0)
        return handler.lastStatus;
      if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(handler);
      }
      ++working;
    }
    if (wait(nullptr) > 0)
      --working;
  }
}

} // namespace ptxray::launcher
