#pragma once
// A server for launches. While an object exists, each `ptxray run` that this program starts uses a persistent
// ptxray-run, whose GPU context already exists.
#include <string>
#include <sys/types.h>

namespace ptxray {

class LaunchServer {
public:
  /// Starts a server. `socket` must be an unused path. If no server can be started, launches work without it.
  LaunchServer(const std::string &socket, unsigned launchesAtOnce);
  ~LaunchServer();
  LaunchServer(const LaunchServer &) = delete;
  LaunchServer &operator=(const LaunchServer &) = delete;

private:
  const std::string socket;
  pid_t process = 0;
};

} // namespace ptxray
