#pragma once
// The operands of one instruction, decoded: what it computes, and from what. Nothing else in Flow and Hazards walks the
// nodes of operands to find that out.
//   add.s32 %r2, %r1, 16;         %r2 = Add of %r1 and 16
//   mov.u32 %r3, %tid.x;          %r3 = Mov of %tid, with the suffix `.x`
//   mov.b64 %rd1, {%r1, 0};       %rd1 = Mov of %r1 and 0
//   shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;      %r4 = Mov of %r3, as lane 0 has it
#include "Flow/Body.h"
#include <array>

namespace ptxray {

/// One operand that an instruction computes with.
struct Source {
  enum Kind : uint8_t { Unknown, Number, Name };
  Kind kind = Unknown;
  uint16_t flags = 0;                   // the flags of the operand
  LocalId local = LocalId::None;        // a register, a variable or a special register
  SpellingId suffix = SpellingId::None; // `.x` of a special register
  int64_t number = 0;                   // the number itself, or what is added to a name

  /// A name to which at most a number is added.
  bool isSum() const { return kind == Name && !(flags & ~HasOffset) && suffix == SpellingId::None; }
  int64_t offset() const { return flags & HasOffset ? number : 0; }
};

Source sourceOf(const Operand &operand, LocalId local);
/// Returns the operand at a node, which may be the brackets around it. A node of -1 is unknown, as are all that are
/// neither a number nor a name.
Source sourceAt(const Body &body, uint32_t instruction, int node);

/// Describes what an instruction writes to its first operand, if that is one register.
struct Step {
  static constexpr unsigned mostSources = 4;

  const Computation *computation = nullptr; // null: it is not known
  LocalId result = LocalId::None;
  bool isGuarded = false;
  int8_t lane = -1; // not -1: all lanes of the warp receive the source of this one
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
/// Returns the step of the one instruction that writes a register; not known if there are several.
Step onlyStepOf(const Body &body, LocalId local);
/// Adds the registers and variables that the step of an instruction may have as sources.
void addComputedWith(const Body &body, uint32_t instruction, llvm::SmallVectorImpl<LocalId> &sources);

/// A name and a number, which together are what a step computes; or with another name besides. Masks that only cut what
/// cannot be in an address of shared memory, as those for descriptors do, leave the name as it is.
struct Sum {
  LocalId source = LocalId::None; // None: it is something else
  LocalId index = LocalId::None;
  int64_t added = 0;
  bool isCut = false; // such a mask or another size cuts it
};
Sum sumOf(const Step &step);

/// Returns a number as an operand of the computation's result type reads it.
int64_t asResult(const Computation &computation, int64_t number);

/// Memory may hold something else for each thread, but constants and the parameters of a kernel do not.
bool readsMemory(const Body &body, uint32_t instruction);

} // namespace ptxray
