#include "Flow/Sources.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

bool readsMemory(const Body &body, uint32_t number) {
  const Facts &facts = body.facts(number);
  return (facts.uses & Calls) || !facts.known || llvm::any_of(facts.accesses, [&](const Access &access) {
           if (access.kind == isa::Access::Names || access.kind == isa::Access::Writes)
             return false;
           const isa::WordId space = isa::wholeSpace(access.space);
           const bool isOfKernel = space == isa::words::param && body.function->kind == FunctionKind::Entry;
           return space != isa::words::const_ && !isOfKernel;
         });
}

} // namespace ptxray
