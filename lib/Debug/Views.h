#pragma once
// Describes a halted launch as plain values.
#include "Emulate/Halted.h"

namespace ptxray::machine::debug {

/// Lanes of a warp at the same instruction.
struct LaneGroup {
  enum class State : uint8_t { Running, Ready, Waiting };
  State state = State::Ready;
  uint32_t lanes = 0;
  machine::CodePlace at;
  machine::Frame *frame = nullptr;
  std::string waitsFor;          // description
  std::optional<uint64_t> since; // start of the wait, if known
};
std::vector<LaneGroup> groupsOf(machine::HaltedLaunch &launch, machine::Warp &warp);

/// A live warp of a block. Warps are listed in the order in which they run.
struct WarpView {
  machine::WarpName name;
  uint32_t alive = 0; // lane mask
  std::vector<LaneGroup> groups;
};
std::vector<WarpView> warpsOf(machine::HaltedLaunch &launch);

/// Returns the value of a register in the notation that fits its type: `5 (0x5)`, `true`, `1.5 (0x3fc00000)`.
std::string registerText(const machine::Frame &frame, LocalId local, unsigned lane);
struct RegisterView {
  LocalId local = LocalId::None;
  std::string name, type, text;
};
/// Returns the registers that a function uses, in the order of their declaration.
std::vector<RegisterView> registersOf(const machine::Frame &frame, unsigned lane);

/// A barrier with arrived threads, or an mbarrier object.
struct BarrierView {
  std::array<uint32_t, 3> block{};
  std::string name;  // `barrier 0`, `object at 0x40`
  std::string state; // description
  uint32_t missing = 0,
           expected = 0;     // numbers of arrivals: threads, or the count of the object; `expected` is 0 if unknown
  int64_t came = 0, due = 0; // transaction bytes of the object's phase: arrived, and expected
  std::optional<uint32_t> phase = {}; // set for an mbarrier object
  std::string variable = {};          // name and offset of the object: `full`, `full+8`
  struct Waiter {
    machine::WarpName warp;
    uint32_t lanes = 0;
    std::optional<uint64_t> since; // start of the wait, if known
  };
  std::vector<Waiter> waiters = {};
};
std::vector<BarrierView> barriersOf(machine::HaltedLaunch &launch);

/// A pending asynchronous operation.
struct OperationView {
  machine::WarpName warp;
  machine::CodePlace at;
  uint32_t lanes = 0;
  std::string waiting; // its proxy, and what it signals on completion
};
std::vector<OperationView> operationsOf(machine::GridState &grid);

/// The instructions and asynchronous operations before the launch was halted, oldest first.
struct HistoryView {
  struct Operation {
    machine::WarpName warp;
    machine::CodePlace at;
    uint64_t begin = 0;
    std::optional<uint64_t> end; // empty if in flight
  };
  std::vector<machine::Stretch> stretches;
  std::vector<Operation> operations;
};
HistoryView historyOf(machine::HaltedLaunch &launch);

/// Allocated columns of tensor memory.
struct TensorView {
  std::array<uint32_t, 3> block{};
  uint32_t first = 0, count = 0;
};
std::vector<TensorView> tensorMemoryOf(machine::GridState &grid);

/// The notation for the bytes of a memory view.
struct ByteFormat {
  enum class How : uint8_t { Hex, Unsigned, Signed, Float };
  How how = How::Hex;
  unsigned bits = 32;
  const numbers::Format *format = nullptr; // the type of floating-point numbers
};
/// Returns a format by its name: `x`, `u`, `d`, `x8`, `u16`, `d64`, or a type such as `f32`, `bf16`, `e4m3`,
/// or `f16x2`, which means `f16`.
std::optional<ByteFormat> formatNamed(llvm::StringRef name);
/// Returns the usual notation for the values of a register.
ByteFormat formatOf(const Symbol &symbol);
/// Returns a number of at most 64 bits as text.
std::string numberText(uint64_t bits, const ByteFormat &format);
/// Returns the numbers in the bytes as text.
std::vector<std::string> numbersIn(llvm::ArrayRef<uint8_t> bytes, const ByteFormat &format);
/// Parses comma-separated numbers. Returns their bytes, or nothing if one of them does not fit the format.
std::optional<std::vector<uint8_t>> bytesOfNumbers(llvm::StringRef text, const ByteFormat &format);

} // namespace ptxray::machine::debug
