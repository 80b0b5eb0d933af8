// Reads any bytes as a binary. Reading it and unpacking its contents must end without a fault, whatever sizes and
// offsets it states.
#include "Binary/Binary.h"
#include <algorithm>
#include <cstdlib>

using namespace ptxray;

/// Reads the bytes that an entry refers to. They must lie in valid memory; the sanitizer checks that when they are
/// read.
static uint64_t sumOf(llvm::StringRef bytes) {
  uint64_t sum = 0;
  for (unsigned char byte : bytes.take_front(4096))
    sum += byte;
  return sum + (bytes.empty() ? 0 : static_cast<unsigned char>(bytes.back()));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t mostUnpacked = 64;
  const ReadLimits limits{.largestImage = 1 << 20};
  const Binary binary = readBinary({reinterpret_cast<const char *>(data), size}, limits);
  Unpacker unpacker(limits);
  uint64_t sum = 0;
  for (const Container &container : binary.containers) {
    sum += sumOf(container.section) + binary.entriesOf(container).size();
    if (container.object >= binary.objects.size())
      std::abort();
  }
  size_t unpacked = 0;
  for (const Entry &entry : binary.entries) {
    sum += sumOf(entry.data) + sumOf(entry.identifier) + sumOf(entry.options) + entry.target().size();
    if (++unpacked > mostUnpacked)
      break;
    sum += namesCode(unpacker.beginning(entry, 1 << 14));
    const auto unpackedText = unpacker.unpack(entry, "entry");
    if (!unpackedText != !unpackedText.problem().empty())
      std::abort();
    if (!unpackedText)
      continue;
    const std::unique_ptr<SourceBuffer> &text = *unpackedText;
    sum += whyNoText(text->text()).size() + codeOf(text->text()).size();
    if (text->text().size() > limits.largestImage && entry.packing != Packing::Plain)
      std::abort();
  }
  return sum == UINT64_MAX;
}
