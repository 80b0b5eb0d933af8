// A frame holds what a warp has of a function while it executes it: registers and local memory.
#include "Machine/Grid.h"
#include "Machine/Unwritten.h"
#include "Machine/Warp.h"
#include <cstring>

namespace ptxray::machine {

Frame::Frame(const FunctionCode &code, Frame *caller, uint32_t base, const std::vector<char> &image)
    : code(code), caller(caller), base(base), room(new char[image.size() + 64]) {
  registers = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(room.get()) + 63) / 64 * 64);
  std::memcpy(registers, image.data(), image.size());
}

void growLocal(Warp &warp, uint64_t bytes) {
  if (bytes <= warp.localBytes)
    return;
  std::vector<uint8_t> larger(warpSize * bytes);
  for (unsigned lane = 0; lane < warpSize && warp.localBytes; ++lane)
    std::memcpy(larger.data() + lane * bytes, warp.localOf(lane), warp.localBytes);
  warp.local = std::move(larger);
  if (warp.block->grid->launch.checks) {
    std::vector<uint8_t> written(warpSize * bytes);
    for (unsigned lane = 0; lane < warpSize && warp.localBytes; ++lane)
      std::memcpy(written.data() + lane * bytes, warp.localWritten.data() + size_t(lane) * warp.localBytes,
                  warp.localBytes);
    warp.localWritten = std::move(written);
  }
  warp.localBytes = static_cast<uint32_t>(bytes);
}

void fill(char *registers, Place place, uint64_t number) {
  if (place.bits == 1)
    *lanesOf<uint32_t>(registers, place.slot) = number ? allLanes : 0;
  else if (place.bits == 32)
    std::fill_n(lanesOf<uint32_t>(registers, place.slot), warpSize, static_cast<uint32_t>(number));
  else
    std::fill_n(lanesOf<uint64_t>(registers, place.slot), warpSize, number);
}

/// The registers of a function when a warp of this number enters it, but for what the block says.
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

/// The addresses of variables that depend on where the frame and the block are.
static void fillAddresses(const Warp &warp, Frame &frame) {
  for (const auto &[place, offset] : frame.code.frameAddresses)
    fill(frame.registers, place, frame.base + offset);
  for (const auto &[place, offset] : frame.code.sharedAddresses)
    fill(frame.registers, place, uint64_t(warp.block->rank) << sharedRankShift | offset);
}

Frame &enter(Warp &warp, const FunctionCode &code, Frame *caller) {
  constexpr uint32_t alignment = 16;
  const uint32_t base = caller ? (endOf(*caller) + alignment - 1) / alignment * alignment : 0;
  Frame &frame = warp.frames.emplace_back(code, caller, base, imageOf(warp, code));
  growLocal(warp, base + code.frameBytes);
  if (warp.block->grid->launch.checks) {
    for (unsigned lane = 0; caller && code.frameBytes && lane < warpSize; ++lane)
      std::memset(warp.localWritten.data() + size_t(lane) * warp.localBytes + base, 0, code.frameBytes);
    setUnwritten(frame);
  }
  fillBlockSpecials(warp, frame);
  fillAddresses(warp, frame);
  return frame;
}

Frame &enterAgain(Warp &warp) {
  while (warp.frames.size() > 1)
    warp.frames.pop_back();
  Frame &frame = warp.frames.front();
  const FunctionCode &code = frame.code;
  frame.stack.clear();
  if (!code.isReadFirstComplete || !warp.isPlain) {
    const std::vector<char> &image = imageOf(warp, code);
    std::memcpy(frame.registers, image.data(), image.size());
    fillAddresses(warp, frame);
  }
  for (const Place &place : code.readFirst) // what a thread reads is the same each time
    std::memset(frame.registers + place.slot, 0, bytesOf(place));
  std::memset(frame.registers + code.carry.slot, 0, bytesOf(code.carry));
  warp.localBytes = 0;
  growLocal(warp, code.frameBytes);
  if (warp.block->grid->launch.checks)
    setUnwritten(frame);
  fillBlockSpecials(warp, frame, /*isAgain=*/warp.isPlain && code.isReadFirstComplete);
  return frame;
}

} // namespace ptxray::machine
