#pragma once
// A launcher that stays. A program that launches often starts one, and each ptxray-run that is started afterwards
// passes its words on to it, so that all of them use one context of the GPU.
#include <optional>
#include <string>
#include <vector>

namespace ptxray::launcher {

/// Does what the words of a command line ask for, and returns an exit status. After the status `lastStatus` the context
/// is of no use any more.
struct Handler {
  int (*run)(const std::vector<std::string> &words) = nullptr;
  int lastStatus = 0;
};

/// Answers what comes to the socket that is the standard input, in this many processes, each with its own context. Ends
/// when the program does that has started it.
int serve(unsigned processes, Handler handler);

/// Lets the server answer whose socket is named by $PTXRAY_RUN_SERVER. Returns nothing if there is none.
std::optional<int> askServer(const std::vector<std::string> &words, Handler handler);

} // namespace ptxray::launcher
