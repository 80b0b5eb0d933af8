#pragma once
// Options of launches that `ptxray run` and ptxray-run share.
#include "CommandLine.h"

namespace ptxray {

inline std::vector<Option> launchOptions() {
  return {{"--kernel", "NAME", "the kernel (default: the only one)"},
          {"--grid", "X[,Y,Z]", "blocks (default: 1)"},
          {"--block", "X[,Y,Z]", "threads of a block (default: 1)"},
          {"--cluster", "X[,Y,Z]", "blocks of a cluster"},
          {"--shared", "BYTES", "dynamic shared memory"},
          {"--cooperative", "", "launch so that all blocks run at once"},
          {"--buffer", "NAME=BUFFER", "a buffer that arguments refer to by `&NAME`"},
          {"--variable", "NAME=BUFFER", "what a variable of the module holds before the launch"},
          {"--out", "N=HOW",
           "print the buffer of argument N, from 0, as `hex` or a type, or write it to `file:` or `npy:PATH`"},
          {"--expect", "N=BUFFER", "what the buffer of argument N must hold afterwards"},
          {"--type", "TYPE", "type of the elements of buffers that do not name one"},
          {"--tolerance", "T", "how far elements may differ, relative and absolute"},
          {"--repeat", "N", "launch N times more and print the times"},
          {"--fresh", "", "fill the buffers anew before each of these"},
          {"--time-limit", "SECONDS", "stop a launch that takes longer (default: 60; 0: no limit)"},
          {"--no-guard", "", "leave out the zones around buffers that reveal writes outside"},
          {"--device", "N", "the GPU (default: 0)"},
          {"--jit", "", "let the driver compile, instead of ptxas"}};
}

} // namespace ptxray
