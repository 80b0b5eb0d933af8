#include "LaunchServer.h"
#include "Files.h"
#include "llvm/ADT/StringRef.h"
#include <csignal>
#include <cstdlib>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

static constexpr const char *variable = "PTXRAY_RUN_SERVER";

std::string launcherPath() {
  if (const char *named = std::getenv("PTXRAY_RUN"); named && *named)
    return named;
  const std::string folder = llvm::StringRef(ownPath()).rsplit('/').first.str();
  for (const char *place : {"/ptxray-run", "/../libexec/ptxray-run", "/../ptxray-run/ptxray-run"})
    if (access((folder + place).c_str(), X_OK) == 0)
      return folder + place;
  return "";
}

/// Returns a listening socket, so that clients may connect before the server runs, or -1 if there is none.
static int listening(const std::string &path, unsigned clients) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return -1;
  path.copy(address.sun_path, path.size());
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file >= 0 && bind(file, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
      listen(file, static_cast<int>(clients)) == 0)
    return file;
  close(file);
  return -1;
}

LaunchServer::LaunchServer(const std::string &socket, unsigned launchesAtOnce) : socket(socket) {
  std::string path = launcherPath(), count = "--serve=" + std::to_string(launchesAtOnce);
  const int file = path.empty() ? -1 : listening(socket, launchesAtOnce);
  if (file < 0)
    return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, file, STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0); // Ctrl-C does not end the server
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  char *const words[] = {path.data(), count.data(), nullptr};
  if (posix_spawn(&process, path.c_str(), &files, &attributes, words, environ) == 0)
    setenv(variable, socket.c_str(), 1);
  else
    process = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(file);
}

LaunchServer::~LaunchServer() {
  unlink(socket.c_str());
  if (!process)
    return;
  unsetenv(variable);
  kill(-process, SIGKILL);
  waitpid(process, nullptr, 0);
}

} // namespace ptxray
