#include "Observe/OriginBytes.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

namespace ptxray::machine {

namespace {

/// A kernel argument that is an address.
struct Pointer {
  uint64_t address;
  std::string name;
};

} // namespace

/// Returns the parameters that point to allocations. If one is in a structure, its name includes the offset.
static std::vector<Pointer> pointersOf(const GridState &grid) {
  std::vector<Pointer> found;
  const auto &parameters = grid.program.parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    for (uint64_t offset = 0; offset + sizeof(uint64_t) <= parameters[i].bytes; offset += sizeof(uint64_t)) {
      const uint64_t at = parameters[i].offset + offset;
      if (at + sizeof(uint64_t) > grid.parameters.size())
        break;
      uint64_t address = 0;
      std::memcpy(&address, grid.parameters.data() + at, sizeof address);
      if (grid.memory.find(address))
        found.push_back({address, std::to_string(i) + (offset ? "." + std::to_string(offset) : "")});
    }
  llvm::stable_sort(found, [](const Pointer &a, const Pointer &b) { return a.address < b.address; });
  return found;
}

void OriginBytes::findBuffers(const GridState &grid) {
  const std::vector<Pointer> pointers = pointersOf(grid);
  std::vector<OriginBuffer> unnamed; // buffers that get bits after those of arguments
  for (const Allocation &one : grid.memory.all()) {
    if (!one.bytes || one.begin == one.end)
      continue;
    OriginBuffer buffer{.begin = one.bytes, .name = one.name};
    bool isNamed = false;
    for (const Pointer &pointer : pointers) {
      if (pointer.address < one.begin || pointer.address >= one.end)
        continue;
      uint8_t *const at = one.at(pointer.address);
      if (isNamed && at == buffer.begin)
        continue;
      if (std::exchange(isNamed, true)) {
        buffer.end = at;
        buffer.isArgument = true;
        all.push_back(buffer);
        buffer.begin = at;
      }
      buffer.name = pointer.name;
    }
    buffer.isArgument = isNamed;
    buffer.end = one.at(one.end);
    (isNamed ? all : unnamed).push_back(buffer);
  }
  all.insert(all.end(), unnamed.begin(), unnamed.end());
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].bit = static_cast<unsigned>(std::min<size_t>(i, OriginSets::others));
    all[i].origin = sets.only(all[i].bit);
  }
  llvm::sort(all, [](const OriginBuffer &a, const OriginBuffer &b) { return a.begin < b.begin; });
}

const OriginBuffer *OriginBytes::bufferAt(const uint8_t *byte) {
  if (last < all.size() && byte >= all[last].begin && byte < all[last].end)
    return &all[last];
  const auto after = llvm::partition_point(all, [byte](const OriginBuffer &one) { return one.begin <= byte; });
  if (after == all.begin() || byte >= std::prev(after)->end)
    return nullptr;
  last = static_cast<size_t>(std::prev(after) - all.begin());
  return &all[last];
}

/// Returns the origin of a byte to which nothing was stored.
OriginId OriginBytes::firstOf(const uint8_t *byte) {
  const OriginBuffer *buffer = bufferAt(byte);
  return buffer ? buffer->origin : OriginId(0);
}

OriginBytes::Page *OriginBytes::find(uint64_t page) {
  if (page == lastNumber)
    return lastPage;
  const auto found = pages.find(page);
  if (found == pages.end())
    return nullptr;
  lastNumber = page;
  return lastPage = found->second.get();
}

/// Returns a page. A new page holds the origins of bytes to which nothing was stored.
OriginBytes::Page &OriginBytes::at(uint64_t page) {
  if (Page *known = find(page))
    return *known;
  auto made = std::make_unique<Page>();
  const auto *byte = reinterpret_cast<const uint8_t *>(page * pageBytes);
  for (size_t i = 0; i < pageBytes;) {
    const OriginBuffer *buffer = bufferAt(byte + i);
    size_t count = 1;
    if (buffer)
      count = std::min<size_t>(pageBytes - i, static_cast<size_t>(buffer->end - (byte + i)));
    std::memset(made->of.data() + i, firstOf(byte + i), count);
    i += count;
  }
  lastNumber = page;
  lastPage = made.get();
  pages[page] = std::move(made);
  return *lastPage;
}

/// Calls `use` for each page that contains some of the bytes, with the page, the first byte, and the number of bytes.
template <class Use> void OriginBytes::eachPart(const uint8_t *bytes, size_t count, Use use) {
  while (count) {
    const size_t here = std::min(count, pageBytes - placeIn(bytes));
    use(pageOf(bytes), bytes, here);
    bytes += here;
    count -= here;
  }
}

OriginId OriginBytes::read(const uint8_t *bytes, size_t count) {
  OriginId result = 0;
  eachPart(bytes, count, [&](uint64_t number, const uint8_t *first, size_t here) {
    const Page *page = find(number);
    if (!page) {
      for (size_t i = 0; i < here;) {
        result = sets.join(result, firstOf(first + i));
        const OriginBuffer *buffer = bufferAt(first + i);
        i += buffer ? std::min<size_t>(here - i, static_cast<size_t>(buffer->end - (first + i))) : 1;
      }
      return;
    }
    const OriginId *of = page->of.data() + placeIn(first);
    for (size_t i = 0; i < here; ++i)
      if (of[i] != result)
        result = sets.join(result, of[i]);
  });
  return result;
}

std::optional<OriginId> OriginBytes::alike(const uint8_t *bytes, size_t count) {
  std::optional<OriginId> found;
  const auto agrees = [&](OriginId origin) { return found.value_or(origin) == origin && (found = origin, true); };
  while (count) {
    const size_t here = std::min(count, pageBytes - placeIn(bytes));
    if (const Page *page = find(pageOf(bytes))) {
      const OriginId *const of = page->of.data() + placeIn(bytes);
      if (!agrees(*of) || std::memcmp(of, of + 1, here - 1) != 0)
        return std::nullopt;
    } else if (const OriginBuffer *buffer = bufferAt(bytes); buffer && buffer->end < bytes + here)
      return std::nullopt;
    else if (!agrees(firstOf(bytes)) || (!buffer && bufferAt(bytes + here - 1)))
      return std::nullopt;
    bytes += here;
    count -= here;
  }
  return found;
}

void OriginBytes::write(const uint8_t *bytes, size_t count, OriginId origin) {
  eachPart(bytes, count, [&](uint64_t number, const uint8_t *first, size_t here) {
    const bool isElsewhere = !bufferAt(first);
    if (isElsewhere)
      stored = sets.join(stored, origin);
    if (!find(number) && isElsewhere && !origin)
      return; // bytes still have no origin
    std::memset(at(number).of.data() + placeIn(first), origin, here);
  });
}

void OriginBytes::add(const uint8_t *bytes, size_t count, OriginId origin) {
  for (size_t i = 0; i < count && origin; ++i)
    write(bytes + i, 1, sets.join(read(bytes + i, 1), origin));
}

void OriginBytes::copy(const uint8_t *to, const uint8_t *from, size_t count, bool isReduced) {
  for (size_t i = 0; i < count;) {
    const OriginId origin = read(from + i, 1);
    size_t run = 1;
    while (i + run < count && read(from + i + run, 1) == origin)
      ++run;
    if (isReduced)
      add(to + i, run, origin);
    else
      write(to + i, run, origin);
    i += run;
  }
}

void OriginBytes::clear(const uint8_t *bytes, size_t count) {
  eachPart(bytes, count, [&](uint64_t number, const uint8_t *first, size_t here) {
    if (Page *page = find(number))
      std::memset(page->of.data() + placeIn(first), 0, here);
  });
}

} // namespace ptxray::machine
