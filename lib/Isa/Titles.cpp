#include "Isa/Titles.h"

namespace ptxray::isa {

Text titleOf(const Mnemonic &mnemonic, const Entry &entry) {
  const std::optional<Meaning> own = findMeaning("itself", mnemonic.text());
  return own && own->mnemonic == mnemonic.text() ? own->text : entry.title();
}

} // namespace ptxray::isa
