#include "Equal/TermMemory.h"

namespace ptxray::equal {

static uint64_t numberOf(const uint8_t *byte) { return reinterpret_cast<uintptr_t>(byte); }

size_t TermMemory::bufferOf(const uint8_t *byte) const {
  size_t i = 0;
  while (i < buffers.size() && (byte < buffers[i].begin() || byte >= buffers[i].end()))
    ++i;
  return i;
}

Ref TermMemory::firstOf(const uint8_t *byte) {
  const size_t i = bufferOf(byte);
  return i == buffers.size()
             ? Ref()
             : Ref{terms.leaf(static_cast<uint32_t>(i), static_cast<uint64_t>(byte - buffers[i].begin())), 0};
}

TermMemory::Page *TermMemory::find(const uint8_t *byte) {
  const auto found = pages.find(numberOf(byte) / pageBytes);
  return found == pages.end() ? nullptr : found->second.get();
}

TermMemory::Page &TermMemory::make(const uint8_t *byte) {
  std::unique_ptr<Page> &page = pages[numberOf(byte) / pageBytes];
  if (page)
    return *page;
  page = std::make_unique<Page>();
  const uint8_t *const first = byte - numberOf(byte) % pageBytes;
  for (size_t i = 0; i < pageBytes; ++i)
    (*page)[i] = firstOf(first + i);
  return *page;
}

Ref TermMemory::at(const uint8_t *byte) {
  if (const Page *page = find(byte))
    return (*page)[numberOf(byte) % pageBytes];
  return firstOf(byte);
}

void TermMemory::put(const uint8_t *byte, const Ref &ref) {
  if (const size_t buffer = bufferOf(byte); buffer < buffers.size())
    isWritten[buffer] = true;
  if (ref.term == none && !find(byte) && firstOf(byte).term == none)
    return;
  make(byte)[numberOf(byte) % pageBytes] = ref;
}

void TermMemory::copy(const uint8_t *to, const uint8_t *from, size_t count) {
  std::vector<Ref> moved(count);
  for (size_t i = 0; i < count; ++i)
    moved[i] = at(from + i);
  for (size_t i = 0; i < count; ++i)
    put(to + i, moved[i]);
}

void TermMemory::fill(const uint8_t *bytes, size_t count, const Ref &ref) {
  for (size_t i = 0; i < count; ++i)
    put(bytes + i, ref);
}

void TermMemory::clear(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (Page *page = find(bytes + i))
      (*page)[numberOf(bytes + i) % pageBytes] = {};
}

std::vector<Ref> TermMemory::bytesOf(size_t buffer) {
  std::vector<Ref> all;
  for (const uint8_t &byte : buffers[buffer])
    all.push_back(at(&byte));
  return all;
}

} // namespace ptxray::equal
