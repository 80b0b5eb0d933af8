#pragma once
// The sets of handlers that there are.
#include "Operate/Codes.h"

namespace ptxray::machine {

/// These run on any processor.
Handler baseHandlerOf(Code code, Lane type, Lane from);
Handler baseFoldOf(Code code, Lane type);
void baseKeepSome(char *registers, const Op &op, uint32_t mask);
/// These run on x86 with vectors of 256 bits, and with an fma.
Handler wideHandlerOf(Code code, Lane type, Lane from);
Handler wideFoldOf(Code code, Lane type);
void wideKeepSome(char *registers, const Op &op, uint32_t mask);

/// Says if the wide handlers are taken: they are if the processor can run them, unless a test says otherwise.
bool &usesWideHandlers();

} // namespace ptxray::machine
