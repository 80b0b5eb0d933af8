// The handlers for x86 with AVX2 and FMA: lib/CMakeLists.txt says so to the compiler. All functions of headers that
// they call must be inlined, or the linker would take these for those of other files.
#if defined(__AVX2__)
#include "Operate/HandlerSet.inc"

namespace ptxray::machine {

Handler wideHandlerOf(Code code, Lane type, Lane from) { return handlerFor(code, type, from); }
Handler wideFoldOf(Code code, Lane type) { return foldFor(code, type); }
void wideKeepSome(char *registers, const Op &op, uint32_t mask) { keepFor(registers, op, mask); }

} // namespace ptxray::machine
#endif
