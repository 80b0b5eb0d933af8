// Replaces Assemble.cpp, DropIn.cpp, Reduce.cpp, and RunOnGpu.cpp on systems where ptxray calls no other program: all
// systems but Linux.
#include "Run.h"

namespace ptxray {

static int refuse(const std::string &what) {
  usageError(what + " needs ptxas, which ptxray calls on Linux only");
  return NoPtxas;
}

int actAsPtxas(llvm::StringRef, llvm::ArrayRef<llvm::StringRef>) { return refuse("`ptxas`"); }
int addVerdict(FileReport &, llvm::StringRef, const CheckOptions &) { return refuse("`--with-ptxas`"); }

Command asCommand() {
  return {.name = "as",
          .summary = "check a PTX file, then have ptxas assemble it (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return refuse("`ptxray as`"); }};
}

Command ptxasCommand() {
  return {.name = "ptxas",
          .summary = "run as ptxas, after a check of the inputs (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return refuse("`ptxray ptxas`"); }};
}

Command emulateCommand() {
  return {.name = "emulate",
          .summary = "run a command whose CUDA driver is the emulated GPU (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray emulate` runs on Linux only"); }};
}

Command judgeCommand() {
  return {.name = "judge",
          .summary = "decide whether a generated kernel is right, for a task in Python (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray judge` runs on Linux only"); }};
}

Command proveCommand() {
  return {.name = "prove",
          .summary = "prove that a kernel never races, for all sizes and contents (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray prove` runs on Linux only"); }};
}

Command recordCommand() {
  return {.name = "record",
          .summary = "run a command on a GPU and store what its kernels are given and leave (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray record` runs on Linux only"); }};
}

Command replayCommand() {
  return {.name = "replay",
          .summary = "launch again what `record` stored, and compare what it leaves (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return usageError("`ptxray replay` runs on Linux only"); }};
}

Command reduceCommand() {
  return {.name = "reduce",
          .summary = "make a PTX file smaller as long as a test finds it interesting (on Linux)",
          .syntax = {.operands = "ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = [](const Arguments &) { return refuse("`ptxray reduce`"); }};
}

int runOnGpu(const Arguments &) { return refuse("`ptxray run` without `--emulate`"); }

} // namespace ptxray
