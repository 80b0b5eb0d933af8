#include "Machine/Provided.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdio>
#include <cstring>

namespace ptxray::machine {

namespace {

/// The call as one lane sees it.
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
  /// Returns whether there is memory that can be written.
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

/// One `%...` of a format.
struct Conversion {
  std::string spec; // without the sizes of types
  char letter = 0;
};

} // namespace

static Conversion readConversion(llvm::StringRef &format) {
  Conversion result;
  result.spec = "%";
  format = format.drop_front();
  while (!format.empty()) {
    const char one = format.front();
    format = format.drop_front();
    if (llvm::StringRef("hlLqjzt").contains(one))
      continue;
    if (llvm::StringRef("-+ #0123456789.*").contains(one)) {
      result.spec += one;
      continue;
    }
    result.letter = one;
    break;
  }
  return result;
}

template <class... Values> static std::string formatted(const std::string &spec, Values... values) {
  char room[512];
  const int length = std::snprintf(room, sizeof room, spec.c_str(), values...);
  return std::string(room, static_cast<size_t>(std::clamp<int>(length, 0, sizeof room - 1)));
}

/// Returns the text that printf prints. The arguments lie one after the other, aligned to their sizes; the letters
/// before the type tell integers of C's type long and longer.
static std::string printed(const LaneCall &call) {
  const std::string all = call.text(call.argument(0));
  uint64_t at = call.argument(1);
  std::string result;
  for (llvm::StringRef format = all; !format.empty();) {
    if (format.front() != '%') {
      result += format.front();
      format = format.drop_front();
      continue;
    }
    const llvm::StringRef before = format;
    const Conversion one = readConversion(format);
    const llvm::StringRef whole = before.take_front(before.size() - format.size());
    const bool isWide = whole.contains('l') || whole.contains('j') || whole.contains('z') || whole.contains('t');
    const auto next = [&](unsigned bytes) -> uint64_t {
      at = (at + bytes - 1) / bytes * bytes;
      const uint64_t from = std::exchange(at, at + bytes);
      return bytes == 8 ? call.read<uint64_t>(from).value_or(0) : call.read<uint32_t>(from).value_or(0);
    };
    switch (one.letter) {
    case '%': result += '%'; break;
    case 'd':
    case 'i': {
      const auto value = isWide ? static_cast<int64_t>(next(8)) : static_cast<int32_t>(next(4));
      result += formatted(one.spec + "lld", static_cast<long long>(value));
      break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      result += formatted(one.spec + "ll" + one.letter, static_cast<unsigned long long>(next(isWide ? 8 : 4)));
      break;
    case 'c': result += static_cast<char>(next(4)); break;
    case 's': result += formatted(one.spec + "s", call.text(next(8)).c_str()); break;
    case 'p': result += formatted("0x%llx", static_cast<unsigned long long>(next(8))); break;
    case 0: break;
    default: {
      const uint64_t bits = next(8);
      double value;
      std::memcpy(&value, &bits, sizeof value);
      result += formatted(one.spec + one.letter, value);
    }
    }
  }
  return result;
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
    const LaneCall call(warp, site, static_cast<unsigned>(__builtin_ctz(left)));
    if (site.provided == "vprintf") {
      grid.printed += printed(call);
      call.answer(1);
    } else if (site.provided == "malloc") {
      const uint64_t bytes = call.argument(0);
      if (bytes > (64 << 20)) {
        call.answer(0);
        continue;
      }
      call.answer(grid.memory.addHeap(bytes));
    } else if (site.provided == "free") {
      if (const uint64_t address = call.argument(0))
        grid.memory.free(address);
    } else if (site.provided == "__assertfail") {
      grid.printed += call.text(call.argument(1)) + ":" + std::to_string(static_cast<uint32_t>(call.argument(2))) +
                      ": " + call.text(call.argument(3)) + ": assertion `" + call.text(call.argument(0)) + "` failed\n";
      if (Fault *fault = raise(warp, instruction, static_cast<unsigned>(__builtin_ctz(left))))
        fault->kind = Fault::Kind::Assertion;
      return true;
    } else if (site.provided == "cudaGraphSetConditional") { // a handle is the address of the number
      const uint64_t handle = call.argument(0);
      if (call.write(handle, static_cast<uint32_t>(call.argument(1))))
        continue;
      if (Fault *fault = raise(warp, instruction, static_cast<unsigned>(__builtin_ctz(left)))) {
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
