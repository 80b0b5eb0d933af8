#include "Pages/Sources.h"
#include "Embedded/Embedded.h"

namespace ptxray {

namespace sources {
#include "PackedSources.inc"
}

std::string sourceOf(const isa::Entry &entry) {
  return unpackEmbedded(sources::packed, sources::unpackedBytes).substr(entry.source.first, entry.source.count);
}

} // namespace ptxray
