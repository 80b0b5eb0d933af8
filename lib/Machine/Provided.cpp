#include "Machine/Provided.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Machine/Printf.h"
#include "Machine/Undefined.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <cstring>

namespace ptxray::machine {

namespace {

/// The call in one lane.
class LaneCall {
public:
  LaneCall(Warp &warp, const CallSite &site, unsigned lane) : warp(warp), site(site), lane(lane) {}

  uint64_t argument(unsigned number) const {
    uint64_t value = 0;
    if (number >= site.arguments.size())
      return 0;
    const Passed &one = site.arguments[number];
    const Frame &frame = *warp.now.frame;
    if (one.place.bits)
      std::memcpy(&value, frame.registers + one.place.slot + size_t(lane) * (one.place.bits / 8),
                  std::min<size_t>(8, one.place.bits / 8));
    else
      std::memcpy(&value, warp.localOf(lane) + frame.base + one.offset, std::min<uint64_t>(8, one.bytes));
    return value;
  }
  void answer(uint64_t value) const {
    if (site.results.empty())
      return;
    const Passed &one = site.results[0];
    Frame &frame = *warp.now.frame;
    if (one.place.bits)
      std::memcpy(frame.registers + one.place.slot + size_t(lane) * (one.place.bits / 8), &value, one.place.bits / 8);
    else {
      const uint64_t bytes = std::min<uint64_t>(8, one.bytes);
      std::memcpy(warp.localOf(lane) + frame.base + one.offset, &value, bytes);
      observersOf(warp).notify(events::Writes, [&](Observer &observer) {
        observer.writes(warp, nullptr, frame.base + one.offset, bytes, lane);
      });
    }
  }
  template <class T> std::optional<T> read(uint64_t address) const {
    const Lookup found = look(warp, Space::Generic, address, sizeof(T), lane, false);
    if (!found.bytes)
      return {};
    T value;
    std::memcpy(&value, found.bytes, sizeof value);
    return value;
  }
  /// Writes a value. Returns whether the memory is writable.
  bool write(uint64_t address, uint32_t value) const {
    const Lookup found = look(warp, Space::Generic, address, sizeof value, lane, true);
    if (found.bytes)
      std::memcpy(found.bytes, &value, sizeof value);
    return found.bytes;
  }
  std::string text(uint64_t address) const {
    constexpr size_t most = 4096;
    std::string result;
    for (std::optional<char> one; result.size() < most && (one = read<char>(address)) && *one; ++address)
      result += *one;
    return result;
  }

private:
  Warp &warp;
  const CallSite &site;
  const unsigned lane;
};

/// The arguments of a printf in memory, in order, each aligned to its size.
class PrintedArguments {
public:
  PrintedArguments(const LaneCall &call, uint64_t address) : call(call), address(address) {}

  uint64_t next(unsigned bytes) {
    address = (address + bytes - 1) / bytes * bytes;
    const uint64_t from = std::exchange(address, address + bytes);
    ++count;
    std::optional<uint64_t> value = call.read<uint32_t>(from);
    if (bytes == 8)
      value = call.read<uint64_t>(from);
    if (!value && !unreadable)
      unreadable = from;
    return value.value_or(0);
  }

  unsigned count = 0;
  std::optional<uint64_t> unreadable; // the first invalid address

private:
  const LaneCall &call;
  uint64_t address;
};

} // namespace

static std::string printedPart(FormatPart part, const LaneCall &call, PrintedArguments &arguments) {
  using Kind = FormatPart::Kind;
  if (part.kind == Kind::Text || arguments.count + part.takesWidth >= mostArguments)
    return part.text.str();
  if (part.takesWidth)
    setWidth(part, static_cast<int32_t>(arguments.next(4)));
  const uint64_t value = arguments.next(part.isWide ? 8 : 4);
  switch (part.kind) {
  case Kind::Real: return printedReal(part, std::bit_cast<double>(value));
  case Kind::Character: return printedText(part, std::string(1, static_cast<char>(value)));
  case Kind::String: return printedText(part, value ? call.text(value) : "(null)");
  default: return printedInteger(part, value);
  }
}

/// Reports that the function reads invalid memory.
static void raiseUnreadable(Warp &warp, uint32_t instruction, unsigned lane, uint64_t address, uint32_t bytes) {
  Fault *fault = raise(warp, instruction, lane);
  if (!fault)
    return;
  fault->access = AccessFault::OutOfBounds;
  fault->address = address;
  fault->bytes = bytes;
}

/// Executes a printf in one lane. As on an H100, it returns the number of its arguments, or -1 without a format.
static void print(Warp &warp, const LaneCall &call, uint32_t instruction, unsigned lane) {
  const uint64_t format = call.argument(0);
  if (!format)
    return call.answer(UINT64_MAX);
  if (!call.read<char>(format))
    return raiseUnreadable(warp, instruction, lane, format, 1);
  const std::string text = call.text(format);
  PrintedArguments arguments(call, call.argument(1));
  std::string printed;
  for (const FormatPart &part : formatPartsOf(text))
    printed += printedPart(part, call, arguments);
  if (arguments.unreadable)
    return raiseUnreadable(warp, instruction, lane, *arguments.unreadable, 4);
  warp.block->grid->printed.add(printed);
  call.answer(arguments.count);
}

/// Executes a `free` in one lane.
static void release(Warp &warp, uint64_t address, uint32_t instruction, unsigned lane) {
  if (!address)
    return;
  const auto report = [&](const char *why) { raiseUndefined(warp, instruction, lane, why); };
  switch (warp.block->grid->memory.freeHeap(address)) {
  case HeapAddress::Allocated: return;
  case HeapAddress::Freed: return report("`free` of memory that was already freed");
  case HeapAddress::Inside: return report("`free` of an address inside an allocation");
  case HeapAddress::Foreign: return report("`free` of an address that `malloc` did not return");
  }
}

bool isProvided(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Case("vprintf", true)
      .Case("malloc", true)
      .Case("free", true)
      .Case("__assertfail", true)
      .Case("cudaGraphSetConditional", true)
      .Default(false);
}

bool callProvided(Warp &warp, const CallSite &site, uint32_t mask, uint32_t instruction) {
  GridState &grid = *warp.block->grid;
  settleAll(warp);
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const LaneCall call(warp, site, lane);
    if (site.provided == "vprintf") {
      print(warp, call, instruction, lane);
      if (warp.fault)
        return true;
    } else if (site.provided == "malloc") {
      call.answer(grid.memory.addHeap(call.argument(0)));
    } else if (site.provided == "free") {
      release(warp, call.argument(0), instruction, lane);
      if (warp.fault)
        return true;
    } else if (site.provided == "__assertfail") {
      grid.printed.add(call.text(call.argument(1)) + ":" + std::to_string(static_cast<uint32_t>(call.argument(2))) +
                       ": " + call.text(call.argument(3)) + ": assertion `" + call.text(call.argument(0)) +
                       "` failed\n");
      if (Fault *fault = raise(warp, instruction, lane))
        fault->kind = Fault::Kind::Assertion;
      return true;
    } else if (site.provided == "cudaGraphSetConditional") { // a handle is the address of the value
      const uint64_t handle = call.argument(0);
      if (call.write(handle, static_cast<uint32_t>(call.argument(1))))
        continue;
      if (Fault *fault = raise(warp, instruction, lane)) {
        fault->access = AccessFault::OutOfBounds;
        fault->address = handle;
        fault->bytes = 4;
        fault->isWrite = true;
        fault->text = "it is not the handle of a condition";
      }
      return true;
    } else
      return false;
  }
  return true;
}

} // namespace ptxray::machine
