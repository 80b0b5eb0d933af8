#include "Flow/Definitions.h"

namespace ptxray {

Definitions::Definitions(const Body &body) : last(body.locals.size(), none) {
  writes.reserve(body.size());
  for (uint32_t number = 0; number < body.size(); ++number) {
    const PlainUses &plain = body.verdicts[number]->plain;
    if (!plain.known) {
      body.eachUse(number, [&](NamedUse use) {
        if (use.uses & Writes)
          add(use.local, number);
      });
      continue;
    }
    const llvm::ArrayRef<LocalId> names = body.namesOf(number);
    for (uint32_t i = 0; i < names.size(); ++i)
      if (plain.uses[i] & Writes)
        add(names[i], number);
  }
}

} // namespace ptxray
