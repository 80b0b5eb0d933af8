// `ptxray replay` repeats launches that `ptxray record` has stored, in the same way as `ptxray run` launches a kernel
// of a file.
#include "../launcher/Recording.h"
#include "LaunchServer.h"
#include "Ptxas/Program.h"
#include "Run.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

static bool hasGpu(const Arguments &arguments) {
  const std::string launcher = launcherPath();
  if (launcher.empty())
    return false;
  std::vector<std::string> words{"--probe"};
  if (const std::optional<StringRef> device = arguments.value("--device"))
    words.insert(words.end(), {"--device", device->str()});
  constexpr unsigned patience = 60;
  const ProgramResult answer = runProgram(launcher, words, patience);
  return answer.end == ProgramEnd::Exited && answer.detail == Clean;
}

static int runReplay(const Arguments &arguments) {
  const std::string path = arguments.operands.front().str();
  if (!launcher::isRecording(path))
    return usageError("`" + path + "` is not a recording of `ptxray record`");
  if (arguments.has("--emulate") || arguments.has("--certify"))
    return runEmulated(arguments);
  if (hasGpu(arguments))
    return runOnGpu(arguments);
  usageError("this machine has no GPU: the launch is emulated");
  return runEmulated(arguments);
}

Command replayCommand() {
  std::vector<Option> options = runOptions();
  llvm::erase_if(options, [](const Option &one) {
    return llvm::is_contained({"--kernel", "--entry", "--buffer", "--variable", "--expect"}, StringRef(one.name));
  });
  options.insert(options.begin(), {"--ptx", "FILE", "launch the kernel of this file instead of the recorded one"});
  return {.name = "replay",
          .summary = "repeat a launch that `record` saved, and compare the results",
          .syntax = {.operands = "FILE [-- PTXAS OPTION...]",
                     .fewest = 1,
                     .most = 1,
                     .options = std::move(options),
                     .words = Words::PassedOn},
          .run = runReplay,
          .notes =
              "Example: ptxray replay --emulate ptxray-recorded/FILE\n\n"
              "The launch runs on a GPU if there is one, otherwise on the emulator. The exit status is 6 when memory "
              "is not as it\nwas recorded; `--type f32 --tolerance 1e-6` compares numbers, not bits. `run` and "
              "`debug` read recordings too."};
}

} // namespace ptxray
