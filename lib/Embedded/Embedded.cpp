#include "Embedded/Embedded.h"
#include "Binary/Binary.h"

namespace ptxray {

std::string unpackEmbedded(llvm::ArrayRef<unsigned char> packed, size_t unpackedBytes) {
  Entry entry;
  entry.packing = Packing::Zstd;
  entry.data = {reinterpret_cast<const char *>(packed.data()), packed.size()};
  entry.unpackedBytes = unpackedBytes;
  const auto text = Unpacker(ReadLimits()).unpack(entry, "");
  return text ? (*text)->text().str() : text.problem();
}

} // namespace ptxray
