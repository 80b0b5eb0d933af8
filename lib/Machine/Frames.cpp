// Frames: registers and local memory of a function while a warp executes it.
#include "Machine/Grid.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

Frame::Frame(const FunctionCode &code, Frame *caller, uint32_t base, const std::vector<char> &image)
    : code(code), caller(caller), base(base), room(new char[image.size() + 64]) {
  registers = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(room.get()) + 63) / 64 * 64);
  std::memcpy(registers, image.data(), image.size());
}

void growLocal(Warp &warp, uint64_t bytes) {
  if (bytes <= warp.local.perLane)
    return;
  warp.block->grid->allocated += warpSize * bytes * (warp.block->grid->launch.checks ? 2 : 1);
  std::vector<uint8_t> larger(warpSize * bytes, warp.block->grid->launch.unwritten);
  for (unsigned lane = 0; lane < warpSize && warp.local.perLane; ++lane)
    std::memcpy(larger.data() + lane * bytes, warp.localOf(lane), warp.local.perLane);
  warp.local.bytes = std::move(larger);
  warp.local.perLane = static_cast<uint32_t>(bytes);
}

void fill(char *registers, Place place, uint64_t number) {
  if (place.bits == 1)
    *lanesOf<uint32_t>(registers, place.slot) = number ? allLanes : 0;
  else if (place.bits == 32)
    std::fill_n(lanesOf<uint32_t>(registers, place.slot), warpSize, static_cast<uint32_t>(number));
  else
    std::fill_n(lanesOf<uint64_t>(registers, place.slot), warpSize, number);
}

/// Returns the initial registers of a function for a warp with this number, without values that depend on the block.
static const std::vector<char> &imageOf(Warp &warp, const FunctionCode &code) {
  std::vector<char> &image = warp.block->grid->images[{&code, warp.number}];
  if (image.empty()) {
    image.resize(code.file.bytes());
    code.file.writeConstants(image.data());
    fillThreadSpecials(warp, code, image.data());
    for (const auto &[place, offset] : code.givenNumbers) {
      uint64_t number = 0;
      std::memcpy(&number, warp.block->grid->parameters.data() + offset, place.bits / 8);
      fill(image.data(), place, number);
    }
  }
  return image;
}

/// Sets registers with addresses that depend on the frame and the block.
static void fillAddresses(const Warp &warp, Frame &frame) {
  for (const auto &[place, offset] : frame.code.frameAddresses)
    fill(frame.registers, place, frame.base + offset);
  for (const auto &[place, offset] : frame.code.sharedAddresses)
    fill(frame.registers, place, uint64_t(warp.block->rank) << sharedRankShift | offset);
}

Frame &enter(Warp &warp, const FunctionCode &code, Frame *caller, uint32_t lanes) {
  constexpr uint32_t alignment = 16;
  const uint32_t base = caller ? (endOf(*caller) + alignment - 1) / alignment * alignment : 0;
  Frame &frame = warp.frames.emplace_back(code, caller, base, imageOf(warp, code));
  warp.block->grid->allocated += code.file.bytes();
  growLocal(warp, base + code.frameBytes);
  observersOf(warp).notify(events::Frames, [&](Observer &one) { one.enterFrame(warp, frame, lanes); });
  for (const Place &place : code.readFirst)
    std::memset(frame.registers + place.slot, warp.block->grid->launch.unwritten, bytesOf(place));
  fillBlockSpecials(warp, frame);
  fillAddresses(warp, frame);
  return frame;
}

Frame &enterAgain(Warp &warp) {
  Frame &frame = warp.frames.front();
  while (&warp.frames.back() != &frame)
    warp.frames.pop_back();
  const FunctionCode &code = frame.code;
  frame.stack.clear();
  if (!code.isReadFirstComplete || !warp.isPlain) {
    const std::vector<char> &image = imageOf(warp, code);
    std::memcpy(frame.registers, image.data(), image.size());
    fillAddresses(warp, frame);
  }
  for (const Place &place : code.readFirst) // makes uninitialised reads deterministic
    std::memset(frame.registers + place.slot, warp.block->grid->launch.unwritten, bytesOf(place));
  fill(frame.registers, code.carry, 0);
  if (std::exchange(warp.local.perLane, 0) || code.frameBytes)
    growLocal(warp, code.frameBytes);
  observersOf(warp).notify(events::Frames, [&](Observer &one) { one.enterFrame(warp, frame, allLanes); });
  fillBlockSpecials(warp, frame, /*isAgain=*/warp.isPlain && code.isReadFirstComplete);
  return frame;
}

static void copyOne(Warp &warp, const Passed &from, const Frame &source, const Passed &to, Frame &target,
                    uint32_t mask) {
  if (!from.bytes || !to.bytes) // the value is discarded, or the function does not use it
    return;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint8_t bytes[16] = {};
    const uint8_t *begin = bytes;
    uint64_t count = std::min(from.bytes, to.bytes);
    if (from.place.bits == 1)
      bytes[0] = predicateAt(source.registers, from.place.slot) >> lane & 1;
    else if (from.place.bits)
      std::memcpy(bytes, source.registers + from.place.slot + size_t(lane) * (from.place.bits / 8),
                  from.place.bits / 8);
    else
      begin = warp.localOf(lane) + source.base + from.offset;
    if (to.place.bits == 1) {
      uint32_t &lanes = *lanesOf<uint32_t>(target.registers, to.place.slot);
      lanes = (lanes & ~(1u << lane)) | uint32_t(begin[0] & 1) << lane;
    } else if (to.place.bits) {
      count = std::min<uint64_t>(count, to.place.bits / 8);
      std::memcpy(target.registers + to.place.slot + size_t(lane) * (to.place.bits / 8), begin, count);
    } else {
      std::memmove(warp.localOf(lane) + target.base + to.offset, begin, count);
      const auto origin = begin == bytes ? std::nullopt : std::optional(source.base + from.offset);
      observersOf(warp).notify(events::Frames, [&](Observer &one) {
        one.passes(warp, lane, origin, target.base + to.offset, count, to.bytes);
      });
    }
  }
}

void copyPassed(Warp &warp, const Passed &from, Frame &source, const Passed &to, Frame &target, uint32_t mask) {
  observersOf(warp).notify(events::Frames, [&](Observer &one) { one.hands(warp, from, source, to, target, mask); });
  copyOne(warp, from, source, to, target, mask);
  for (const auto &[part, other] : llvm::zip(from.parts, to.parts))
    copyOne(warp, {part, 0, from.bytes, {}}, source, {other, 0, to.bytes, {}}, target, mask);
}

} // namespace ptxray::machine
