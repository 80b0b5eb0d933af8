#include "Operate/Registers.h"
#include <cstring>

namespace ptxray::machine {

static uint8_t widthOf(unsigned bits) {
  return bits == 1 ? 1 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
}

Place RegisterFile::add(unsigned bits) {
  const uint8_t width = widthOf(bits);
  if (width == 1) {
    end += 4;
    return {end - 4, width};
  }
  const Slot slot = (end + 63) / 64 * 64; // aligned, so that a whole vector register can be loaded
  end = slot + warpSize * width / 8;
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
  std::vector<Slot> &slots = temporaries[width];
  size_t &count = taken[width];
  if (count == slots.size())
    slots.push_back(add(width).slot);
  return {slots[count++], width};
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
      std::memcpy(registers + slot + size_t(lane) * (bits / 8), &value, bits / 8);
  }
}

} // namespace ptxray::machine
