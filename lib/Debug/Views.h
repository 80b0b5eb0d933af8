#pragma once
// These functions show a halted launch as plain values.
#include "Emulate/Halted.h"

namespace ptxray::machine::debug {

/// Lanes of a warp that are at one place.
struct LaneGroup {
  enum class State : uint8_t { Running, Ready, Waiting };
  State state = State::Ready;
  uint32_t lanes = 0;
  machine::CodePlace at;
  machine::Frame *frame = nullptr;
  std::string waitsFor;          // in words
  std::optional<uint64_t> since; // the time from which it has waited, if that is known
};
std::vector<LaneGroup> groupsOf(machine::HaltedLaunch &launch, machine::Warp &warp);

/// A warp of a block that is alive, in the order in which they run.
struct WarpView {
  machine::WarpName name;
  uint32_t alive = 0; // lanes
  std::vector<LaneGroup> groups;
};
std::vector<WarpView> warpsOf(machine::HaltedLaunch &launch);

/// Returns the number in a register as people read it: `5 (0x5)`, `true`, `1.5 (0x3fc00000)`.
std::string registerText(const machine::Frame &frame, LocalId local, unsigned lane);
struct RegisterView {
  LocalId local = LocalId::None;
  std::string name, type, text;
};
/// Returns the registers of a function that it uses, in the order of their declaration.
std::vector<RegisterView> registersOf(const machine::Frame &frame, unsigned lane);

/// A barrier that somebody has come to, or a barrier object.
struct BarrierView {
  std::array<uint32_t, 3> block{};
  std::string name;                   // `barrier 0`, `object at 0x40`
  std::string state;                  // in words
  uint32_t missing = 0, expected = 0; // arrivals: of threads, or counted by the object; expected 0: not known
  int64_t came = 0, due = 0;          // bytes of the phase of an object
  std::optional<uint32_t> phase = {}; // of an object
  std::string variable = {};          // where it lies: `full`, `full+8`
  struct Waiter {
    machine::WarpName warp;
    uint32_t lanes = 0;
    std::optional<uint64_t> since; // a time, if it is known
  };
  std::vector<Waiter> waiters = {};
};
std::vector<BarrierView> barriersOf(machine::HaltedLaunch &launch);

/// An asynchronous operation that has begun and not ended.
struct OperationView {
  machine::WarpName warp;
  machine::CodePlace at;
  uint32_t lanes = 0;
  std::string waiting; // its proxy, and who is told of its end
};
std::vector<OperationView> operationsOf(machine::GridState &grid);

/// Holds what warps executed, and asynchronous operations, in the time before the launch was halted; the oldest first.
struct HistoryView {
  struct Operation {
    machine::WarpName warp;
    machine::CodePlace at;
    uint64_t begin = 0;
    std::optional<uint64_t> end; // none: it is in flight
  };
  std::vector<machine::Stretch> stretches;
  std::vector<Operation> operations;
};
HistoryView historyOf(machine::HaltedLaunch &launch);

/// Columns of tensor memory that are allocated.
struct TensorView {
  std::array<uint32_t, 3> block{};
  uint32_t first = 0, count = 0;
};
std::vector<TensorView> tensorMemoryOf(machine::GridState &grid);

/// The way in which bytes are shown.
struct ByteFormat {
  enum class How : uint8_t { Hex, Unsigned, Signed, Float };
  How how = How::Hex;
  unsigned bits = 32;
  const numbers::Format *format = nullptr; // of floats
};
/// Returns a format by its name: `x`, `u`, `d`, `x8`, `u16`, `d64`, or a type such as `f32`, `bf16`, `e4m3`,
/// or `f16x2`, which means `f16`.
std::optional<ByteFormat> formatNamed(llvm::StringRef name);
/// Returns the format in which people write the numbers of a register.
ByteFormat formatOf(const Symbol &symbol);
/// Returns one number, whose bits are at most 64.
std::string numberText(uint64_t bits, const ByteFormat &format);
/// Returns the numbers in the bytes, one after the other.
std::vector<std::string> numbersIn(llvm::ArrayRef<uint8_t> bytes, const ByteFormat &format);
/// Returns the bytes of numbers with commas between them, or nothing if one of them cannot be read in the format.
std::optional<std::vector<uint8_t>> bytesOfNumbers(llvm::StringRef text, const ByteFormat &format);

} // namespace ptxray::machine::debug
