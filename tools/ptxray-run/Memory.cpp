// Allocates memory, sets its contents, and checks its guards.
#include "Memory.h"
#include <algorithm>

namespace ptxray::launcher {

Memory::~Memory() {
  for (const Block &block : blocks)
    driver.cuMemFree_v2(block.begin);
}

CuResult Memory::allocate(const NamedBuffer &buffer) {
  CuPointer begin = 0;
  const CuResult result = driver.cuMemAlloc_v2(&begin, std::max<size_t>(1, buffer.buffer.bytes.size() + 2 * guard));
  if (result == 0)
    blocks.push_back({&buffer, begin});
  return result;
}

CuResult Memory::fill() const {
  for (const Block &block : blocks) {
    const Bytes &bytes = block.buffer->buffer.bytes;
    if (guard) {
      if (const CuResult result = driver.cuMemsetD8_v2(block.begin, guardByte, guard))
        return result;
      if (const CuResult result = driver.cuMemsetD8_v2(block.begin + guard + bytes.size(), guardByte, guard))
        return result;
    }
    if (!bytes.empty())
      if (const CuResult result = driver.cuMemcpyHtoD_v2(block.begin + guard, bytes.data(), bytes.size()))
        return result;
  }
  return 0;
}

bool Memory::find(const std::string &name, CuHandle module, CuPointer &pointer, size_t &bytes) const {
  for (const Block &block : blocks)
    if (block.buffer->name == name) {
      pointer = block.begin + guard;
      bytes = block.buffer->buffer.bytes.size();
      return true;
    }
  return driver.cuModuleGetGlobal_v2(&pointer, &bytes, module, name.c_str()) == 0;
}

CuResult Memory::read(CuPointer pointer, Bytes &bytes) const {
  return bytes.empty() ? 0 : driver.cuMemcpyDtoH_v2(bytes.data(), pointer, bytes.size());
}

std::string Memory::writesIn(CuPointer zone, const std::string &where, bool isBefore) const {
  Bytes bytes(guard);
  if (read(zone, bytes) != 0)
    return "";
  size_t written = 0, nearest = 0;
  for (size_t i = 0; i < guard; ++i)
    if (bytes[i] != guardByte) {
      if (isBefore || written == 0)
        nearest = isBefore ? guard - i : i;
      ++written;
    }
  if (written == 0)
    return "";
  return counted(written, "byte") + " written " + where + " it, the nearest " + std::to_string(nearest) +
         (isBefore ? " before its beginning" : " after its end");
}

std::vector<std::string> Memory::writesOutside() const {
  std::vector<std::string> lines;
  if (guard)
    for (const Block &block : blocks) {
      const size_t size = block.buffer->buffer.bytes.size();
      for (const std::string &found :
           {writesIn(block.begin, "before", true), writesIn(block.begin + guard + size, "after", false)})
        if (!found.empty())
          lines.push_back("buffer " + block.buffer->name + " (" + counted(size, "byte") + "): " + found);
    }
  return lines;
}

} // namespace ptxray::launcher
