#include "Operate/Registers.h"
#include <cstring>

namespace ptxray::machine {

static uint32_t rounded(uint32_t bytes) { return (bytes + 63) / 64 * 64; }

static uint8_t widthOf(unsigned bits) { return bits == 1 ? 1 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128; }

Place RegisterFile::add(unsigned bits) {
  const uint8_t width = widthOf(bits);
  const Slot slot = end;
  end += width == 1 ? 4 : rounded(bytesOf(width));
  if (width != 1) // lanes begin where a vector register may be loaded
    return {slot % 64 == 0 ? slot : (end = rounded(slot) + rounded(bytesOf(width)), rounded(slot)), width};
  return {slot, width};
}

Place RegisterFile::constant(unsigned bits, Bits value) {
  const uint8_t width = widthOf(bits);
  const auto [found, isNew] = constants.try_emplace({width, lowBits(value, width)}, noSlot);
  if (isNew)
    found->second = add(width).slot;
  return {found->second, width};
}

Place RegisterFile::temporary(unsigned bits) {
  const uint8_t width = widthOf(bits);
  const Slot slot = temporaries + free;
  free += rounded(bytesOf(width));
  most = std::max(most, free);
  return {slot, width};
}

uint32_t RegisterFile::finish() {
  begin = rounded(end);
  return begin + most;
}

void RegisterFile::writeConstants(char *registers) const {
  for (const auto &[key, slot] : constants) {
    const auto &[bits, value] = key;
    if (bits == 1) {
      const uint32_t lanes = value ? allLanes : 0;
      std::memcpy(registers + slot, &lanes, 4);
      continue;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(registers + slot + lane * (bits / 8), &value, bits / 8);
  }
}

} // namespace ptxray::machine
