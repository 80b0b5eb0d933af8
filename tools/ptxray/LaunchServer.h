#pragma once
// While one lives, each `ptxray run` that this program starts launches by a ptxray-run that stays: with a context of
// the GPU that is there already.
#include <string>
#include <sys/types.h>

namespace ptxray {

class LaunchServer {
public:
  /// `socket` is a path where there is nothing. Where no server can be started, launches go on without it.
  LaunchServer(const std::string &socket, unsigned launchesAtOnce);
  ~LaunchServer();
  LaunchServer(const LaunchServer &) = delete;
  LaunchServer &operator=(const LaunchServer &) = delete;

private:
  const std::string socket;
  pid_t process = 0;
};

} // namespace ptxray
