#pragma once
// A persistent launcher. A program that launches often starts a server, and later instances of ptxray-run forward their
// command lines to it. All launches then share one context of the GPU.
#include <optional>
#include <string>
#include <vector>

namespace ptxray::launcher {

/// Executes a command line and returns an exit status. After the status `lastStatus`, the context is unusable.
struct Handler {
  int (*run)(const std::vector<std::string> &words) = nullptr;
  int lastStatus = 0;
};

/// Answers requests from the socket on standard input in `processes` processes, each with its own context. Ends when
/// the program that started it ends.
int serve(unsigned processes, Handler handler);

/// Forwards the words to the server whose socket is in $PTXRAY_RUN_SERVER. Returns nothing if there is no server.
std::optional<int> askServer(const std::vector<std::string> &words, Handler handler);

} // namespace ptxray::launcher
