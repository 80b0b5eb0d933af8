#pragma once
// Caches lowering results. Most instructions of a module differ from others only in registers, variables and constants,
// so everything else is computed once.
#include "Machine/Fidelity.h"
#include "Machine/Reduction.h"
#include "Operate/Pattern.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace ptxray::machine {

struct WarpgroupLayouts;

/// The common properties of all instructions with one verdict.
struct InstructionKind {
  Recipe recipe; // with the constants of the last requested instruction
  std::optional<Reduction> reduction;
  Fidelity fidelity = Fidelity::Exact; // does not apply to instructions that read a register that depends on the chip
  bool isStrict = false;               // the result is undefined if a source is
  bool isOfBlock = false;              // the scope of the instruction is the block
  bool hasVectors = false;             // uses a whole vector register
  std::shared_ptr<const WarpgroupLayouts> layouts; // layouts of the last lowered warpgroup product

  /// Returns the result of `compile` for the kind's recipe.
  Compiled compiled(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

private:
  friend class InstructionKinds;
  /// The constants, and which registers are equal.
  using Key = llvm::SmallVector<uint64_t, 8>;
  struct Hash {
    size_t operator()(const Key &key) const { return llvm::hash_combine_range(key.begin(), key.end()); }
  };
  llvm::SmallVector<uint64_t, 2> constants; // constants of the last requested instruction
  std::optional<Recipe> global;             // see `inGlobal`
  bool isGlobalKnown = false;
  std::unordered_map<Key, Pattern, Hash> patterns;
};

/// The instruction kinds of one module.
class InstructionKinds {
public:
  explicit InstructionKinds(const ReadModule &module) : module(module) {}
  /// Returns the kind of an accepted instruction, with that instruction's constants.
  InstructionKind &of(const Verdict &verdict, llvm::ArrayRef<Operand> nodes);
  /// Returns the recipe of the instruction's variant with `.global` instead of no state space. Returns null if its
  /// result is the same, or if it does not exist.
  const Recipe *inGlobal(InstructionKind &kind, const Verdict &verdict, llvm::ArrayRef<Operand> nodes) const;
  /// Returns the number in the name of the code-generation target: 90 for `sm_90a`.
  unsigned architecture() const;

private:
  const Availability &availability() const { return module.state().availability; }

  const ReadModule &module; // the module may have no function bodies
  llvm::DenseMap<const Verdict *, std::unique_ptr<InstructionKind>> kinds;
};

/// Returns the shapes of the operands, with the constants and offsets of the instruction itself.
llvm::SmallVector<Shape, 16> shapesOf(const Verdict &verdict, llvm::ArrayRef<Operand> nodes);
/// Returns whether the opcode contains the qualifier `text`.
bool hasWord(const Opcode &opcode, llvm::StringRef text);

} // namespace ptxray::machine
