// The handlers for x86 with AVX2 and FMA; lib/CMakeLists.txt passes the compiler flags. Every function that they call
// from a header must be inlined. Otherwise the linker could use this copy, compiled for AVX2, in other files as well.
#if defined(__AVX2__)
#include "Operate/HandlerSet.inc"

namespace ptxray::machine {

Handler wideHandlerOf(Code code, Lane type, Lane from) { return handlerFor(code, type, from); }
Handler wideFoldOf(Code code, Lane type) { return foldFor(code, type); }
void wideKeepSome(char *registers, const Op &op, uint32_t mask) { keepFor(registers, op, mask); }

} // namespace ptxray::machine
#endif
