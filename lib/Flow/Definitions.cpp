#include "Flow/Definitions.h"

namespace ptxray {

Definitions::Definitions(const Body &body) : last(body.locals.size(), none), readFirst(body.locals.size()) {
  writes.reserve(body.size());
  for (uint32_t number = 0; number < body.size(); ++number) {
    const PlainUses &plain = body.verdicts[number]->plain;
    if (!plain.known) {
      body.eachUse(number, [&](NamedUse use) { note(use.local, use.uses, number); });
      continue;
    }
    const llvm::ArrayRef<LocalId> names = body.namesOf(number);
    for (uint32_t i = 0; i < names.size(); ++i)
      note(names[i], plain.uses[i], number);
  }
}

} // namespace ptxray
