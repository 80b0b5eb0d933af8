#pragma once
// Options of launches that `ptxray run` and ptxray-run share.
#include "CommandLine.h"

namespace ptxray {

/// How the arguments of a kernel are written, for the help of the commands that launch one.
inline constexpr std::string_view argumentHelp =
    "An ARGUMENT for each parameter of the kernel, in their order:\n"
    "  7, -1, 2.5                a number, of the parameter's type\n"
    "  f32:1,2,3                 the address of a buffer with these elements\n"
    "  zeros:f32:1024            of a buffer of 1024 zeros; also fill:f32:1024:1.5, iota:u32:1024, random:f32:1024\n"
    "  file:PATH, file:f32:PATH  of a buffer with the contents of a file, raw or .npy\n"
    "  &0, &0+16, &NAME          the address of the buffer of argument 0, or of --buffer NAME=...\n"
    "  {u32=7,&0}                a structure; hex=00ff: its bytes\n"
    "  tma=f32:64x64:box=8x8:&0  a tensor map, the innermost dimension first\n";

inline std::vector<Option> launchOptions() {
  return {{"--kernel", "NAME", "the kernel (default: the only one)"},
          {"--grid", "X[,Y,Z]", "blocks (default: 1)"},
          {"--block", "X[,Y,Z]", "threads of a block (default: 1)"},
          {"--cluster", "X[,Y,Z]", "blocks of a cluster"},
          {"--shared", "BYTES", "dynamic shared memory"},
          {"--cooperative", "", "launch so that all blocks run at once"},
          {"--buffer", "NAME=BUFFER", "a buffer that arguments refer to by `&NAME`: `x=zeros:f32:64`"},
          {"--variable", "NAME=BUFFER", "what a variable of the module holds before the launch"},
          {"--out", "N=HOW",
           "show the buffer of argument N, from 0: `2=f32`, `2=hex`, or in a file: `2=file:PATH`, `2=npy:PATH`"},
          {"--expect", "N=BUFFER", "what the buffer of argument N must hold afterwards: `2=f32:3,5`"},
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
