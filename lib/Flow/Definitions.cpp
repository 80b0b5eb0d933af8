#include "Flow/Definitions.h"

namespace ptxray {

Definitions::Definitions(const Body &body) : last(body.locals.size(), none), readFirst(body.locals.size()) {
  writes.reserve(body.size());
  for (uint32_t number = 0; number < body.size(); ++number) {
    const llvm::ArrayRef<LocalId> names = body.namesOf(number);
    const llvm::ArrayRef<uint8_t> uses = body.usesOf(number);
    for (size_t i = 0; i < names.size(); ++i)
      note(names[i], uses[i], number);
  }
}

} // namespace ptxray
