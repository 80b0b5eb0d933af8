#include "Watch.h"
#include "Command.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <thread>

namespace ptxray {

/// Returns a text that changes when an input does.
static std::string stateOf(llvm::ArrayRef<Input> inputs) {
  std::string state;
  for (const Input &input : inputs) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(input.path, status))
      state += std::to_string(status.getLastModificationTime().time_since_epoch().count()) + " " +
               std::to_string(status.getSize()) + " ";
    state += input.path + "\n";
  }
  return state;
}

int watch(llvm::function_ref<std::vector<Input>()> inputs, llvm::function_ref<int()> check) {
  const bool isTerminal = llvm::sys::Process::StandardOutIsDisplayed();
  constexpr std::chrono::milliseconds pause(200);
  for (std::string seen;; std::this_thread::sleep_for(pause)) {
    const std::string now = stateOf(inputs());
    if (now == seen)
      continue;
    seen = now;
    if (isTerminal)
      llvm::outs() << "\x1b[H\x1b[2J"; // clears the screen
    check();
    llvm::outs() << "watching; Ctrl-C ends\n";
    llvm::outs().flush();
    if (llvm::outs().has_error())
      return BadUsage;
  }
}

} // namespace ptxray
