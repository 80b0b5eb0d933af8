#pragma once
// The sets of handlers for different processors.
#include "Operate/Codes.h"

namespace ptxray::machine {

/// Returns a handler that runs on any processor.
Handler baseHandlerOf(Code code, Lane type, Lane from);
Handler baseFoldOf(Code code, Lane type);
void baseKeepSome(char *registers, const Op &op, uint32_t mask);
/// Returns a handler for x86 with 256-bit vectors and FMA.
Handler wideHandlerOf(Code code, Lane type, Lane from);
Handler wideFoldOf(Code code, Lane type);
void wideKeepSome(char *registers, const Op &op, uint32_t mask);

/// Returns whether the wide handlers are used, as a reference that tests can change. Initially true if the processor
/// supports them.
bool &usesWideHandlers();

} // namespace ptxray::machine
