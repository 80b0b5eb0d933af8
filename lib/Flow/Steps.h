#pragma once
// Decodes the operands of one instruction: its operation and sources. Flow and Hazards decode operands only here.
//|  add.s32 %r2, %r1, 16;         %r2 = Add of %r1 and 16
//|  mov.u32 %r3, %tid.x;          %r3 = Mov of %tid, with the suffix `.x`
//|  mov.b64 %rd1, {%r1, 0};       %rd1 = Mov of %r1 and 0
//|  shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;      %r4 = Mov of %r3, as lane 0 has it
#include "Flow/Body.h"
#include <array>

namespace ptxray {

/// A source operand of a computation.
struct Source {
  enum Kind : uint8_t { Unknown, Number, Name };
  Kind kind = Unknown;
  uint16_t flags = 0;                   // the flags of the operand
  LocalId local = LocalId::None;        // a register, a variable or a special register
  SpellingId suffix = SpellingId::None; // `.x` of a special register
  int64_t number = 0;                   // the number, or the offset from a name

  /// Returns whether this is a name plus an optional offset.
  bool isSum() const { return kind == Name && !(flags & ~HasOffset) && suffix == SpellingId::None; }
  int64_t offset() const { return flags & HasOffset ? number : 0; }
};

Source sourceOf(const Operand &operand, LocalId local);
/// Returns the operand at a node, looking through brackets. Operands other than numbers and names are unknown, as is
/// node -1.
Source sourceAt(const Body &body, uint32_t instruction, int node);

/// The computation of an instruction's first operand, if that operand is one register.
struct Step {
  static constexpr unsigned mostSources = 4;

  const Computation *computation = nullptr; // null if unknown
  LocalId result = LocalId::None;
  bool isGuarded = false;
  int8_t lane = -1; // -1, or the only lane whose source all lanes of the warp receive
  uint8_t count = 0;
  std::array<Source, mostSources> list;

  llvm::ArrayRef<Source> sources() const { return llvm::ArrayRef(list.data(), count); }
  bool isKnown() const { return computation; }
  bool isBroadcast() const { return lane >= 0; }
  bool is(isa::Operation operation, size_t sources) const {
    return computation && computation->operation == operation && count == sources;
  }
};

Step stepOf(const Body &body, uint32_t instruction);
/// Returns the step of the only instruction that writes a register. The step is unknown if several instructions write
/// it.
Step onlyStepOf(const Body &body, LocalId local);
/// Adds the registers and variables that may be sources of the instruction's step.
void addComputedWith(const Body &body, uint32_t instruction, llvm::SmallVectorImpl<LocalId> &sources);

/// The result of a step as a name plus a number, and optionally a second name. Masks that preserve all valid
/// shared-memory addresses, such as those for descriptors, are ignored.
struct Sum {
  LocalId source = LocalId::None; // None if the step is not such a sum
  LocalId index = LocalId::None;
  int64_t added = 0;
  bool isCut = false; // truncated by an ignored mask, or by a conversion to another size
};
Sum sumOf(const Step &step);

/// Returns a number as an operand of the computation's result type interprets it.
int64_t asResult(const Computation &computation, int64_t number);

/// Returns whether the instruction reads memory that may differ between threads. Constants and kernel parameters do not
/// count.
bool readsMemory(const Body &body, uint32_t instruction);

} // namespace ptxray
