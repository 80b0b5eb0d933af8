#include "Pages/Sources.h"
#include "Binary/Binary.h"

namespace ptxray {

namespace {
#include "Sources.inc"
}

std::string sourceOf(const isa::Entry &entry) {
  Entry image;
  image.packing = Packing::Zstd;
  image.data = {reinterpret_cast<const char *>(packed), sizeof packed};
  image.unpackedBytes = unpackedBytes;
  const auto all = Unpacker(ReadLimits()).unpack(image, "grammar/isa");
  return all ? (*all)->text().substr(entry.source.first, entry.source.count).str() : all.problem();
}

} // namespace ptxray
