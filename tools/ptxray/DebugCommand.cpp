// `ptxray debug`: steps through a launch on the emulated machine.
#include "../launcher/LaunchOptions.h"
#include "BinaryOptions.h"
#include "Emulate.h"
#include "debug/Console.h"
#include "llvm/Support/Process.h"

namespace ptxray {

static int runDebug(const Arguments &arguments) {
  PreparedLaunch prepared;
  if (const int status = prepareEmulation(arguments, prepared))
    return status;
  int status = Clean;
  const std::unique_ptr<Emulation> emulation = laidOut(prepared, arguments, status);
  if (!emulation)
    return status;
  machine::debug::Debugger debugger(emulation->module(), emulation->request(), emulation->buffers());
  Console console(debugger, prepared.input.report, llvm::outs());
  console.run(stdin, llvm::sys::Process::StandardInIsUserInput());
  return Clean;
}

Command debugCommand() {
  static const std::string debugNotes =
      std::string(argumentHelp) + "Without arguments, `debug` shows the parameters and a command that runs.\n\n"
                                  "Example: ptxray debug vadd.ptx f32:1,2,3,4 f32:5,6,7,8 zeros:f32:4 4 --block=4\n"
                                  "The debugger reads commands: `b 25` stops at line 25, `c` continues, `s` executes "
                                  "an instruction, `rs` goes back,\n"
                                  "`p %r1` shows a register, `help` lists all.";
  std::vector<Option> options = launchOptions();
  const std::vector<Option> emulation = emulationOptions();
  options.insert(options.begin(), emulation.begin(), emulation.end());
  options.insert(options.end(), {entryOption(), colorOption()});
  return {.name = "debug",
          .summary = "step through a kernel without a GPU, forwards and backwards",
          .syntax = {.operands = "FILE ARGUMENT...", .fewest = 1, .most = anyNumber, .options = std::move(options)},
          .run = runDebug,
          .notes = debugNotes};
}

} // namespace ptxray
