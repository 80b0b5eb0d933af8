#include "Operate/Registers.h"
#include <bit>
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
  const Slot slot = (end + 63) / 64 * 64; // aligned for loads of whole vector registers
  end = slot + warpSize * width / 8;
  return {slot, width};
}

Place RegisterFile::ask(unsigned bits, bool isConstant, Bits value) {
  const Place place = add(bits);
  asked.push_back({place, isConstant, value});
  return place;
}

Place RegisterFile::constant(unsigned bits, Bits number) {
  const uint8_t width = widthOf(bits);
  const Bits value = lowBits(number, width);
  const std::pair halves(static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64));
  const auto [found, isNew] = constants.try_emplace({halves, width}, noSlot);
  if (isNew)
    found->second = ask(width, /*isConstant=*/true, value).slot;
  return {found->second, width};
}

/// Maps the widths 1, 16, 32, 64 and 128 to 0 to 4.
static size_t indexOf(uint8_t width) { return width == 1 ? 0 : static_cast<size_t>(std::countr_zero(width)) - 3; }

Place RegisterFile::temporary(unsigned bits) {
  const uint8_t width = widthOf(bits);
  llvm::SmallVector<Slot, 4> &slots = temporaries[indexOf(width)];
  uint32_t &count = taken[indexOf(width)];
  if (count == slots.size())
    slots.push_back(ask(width, /*isConstant=*/false, 0).slot);
  return {slots[count++], width};
}

void RegisterFile::writeConstants(char *registers) const {
  for (const Request &one : asked) {
    if (!one.isConstant)
      continue;
    const Place place = one.place;
    if (place.bits == 1) {
      const uint32_t lanes = one.value ? allLanes : 0;
      std::memcpy(registers + place.slot, &lanes, 4);
      continue;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(registers + place.slot + size_t(lane) * (place.bits / 8), &one.value, place.bits / 8);
  }
}

} // namespace ptxray::machine
