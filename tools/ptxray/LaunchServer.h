#pragma once
// ptxray-run, which launches kernels on a GPU: its path, and a server for launches. While an object exists, each
// `ptxray run` that this program starts uses a persistent ptxray-run, whose GPU context already exists.
#include <string>
#include <sys/types.h>

namespace ptxray {

/// Returns the path of ptxray-run: $PTXRAY_RUN, or else next to this program, or else in the build folder. Empty if it
/// is missing.
std::string launcherPath();

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
