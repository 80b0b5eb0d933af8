#pragma once
// Faults of accesses that come too early or too late beside an asynchronous operation, in words.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Reports the fault at the instruction of the later access.
void reportAsyncRace(const Fault &fault, const Instruction &instruction, const std::string &thread,
                     const ReadModule &module, DiagnosticSink &sink);

/// Reports that a block has ended, and some of its tensor memory is not free.
DiagnosticList unfreedMemory(const BlockState &block);

} // namespace ptxray::machine
