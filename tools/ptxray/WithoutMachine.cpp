// Replaces Run.cpp and the debugger on systems where the emulator was never tested: Windows and macOS.
#include "Run.h"

namespace ptxray {

Command dapCommand() {
  return {.name = "dap",
          .summary = "run as the debug adapter of an editor (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray dap` runs on Linux only"); }};
}

Command debugCommand() {
  return {.name = "debug",
          .summary = "run a kernel step by step without a GPU (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray debug` runs on Linux only"); }};
}

Command equalCommand() {
  return {.name = "equal",
          .summary = "find out whether two kernels leave the same in memory (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray equal` runs on Linux only"); }};
}

Command runCommand() {
  return {.name = "run",
          .summary = "check a PTX file, have ptxas assemble it, and run its kernel (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = runOnGpu};
}

} // namespace ptxray
