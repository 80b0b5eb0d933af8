// The handlers for any processor.
#include "Operate/HandlerSet.inc"

namespace ptxray::machine {

Handler baseHandlerOf(Code code, Lane type, Lane from) { return handlerFor(code, type, from); }
Handler baseFoldOf(Code code, Lane type) { return foldFor(code, type); }
void baseKeepSome(char *registers, const Op &op, uint32_t mask) { keepFor(registers, op, mask); }

} // namespace ptxray::machine
