#pragma once
// Describes races between accesses and asynchronous operations as text.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Reports the fault at the instruction of the later access.
void reportAsyncRace(const Fault &fault, const Instruction &instruction, const std::string &thread,
                     const ReadModule &module, DiagnosticSink &sink);

/// Reports that a block has ended without freeing all of its tensor memory.
DiagnosticList unfreedMemory(const BlockState &block);

} // namespace ptxray::machine
