#pragma once
// Most instructions of a module are equal but for their registers, variables and constants. What is made of these alike
// is made once.
#include "Machine/Fidelity.h"
#include "Machine/Reduction.h"
#include "Operate/Pattern.h"
#include "Read/ReadModule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace ptxray::machine {

struct WarpgroupLayouts;

/// All that instructions with one verdict have in common.
struct InstructionKind {
  Recipe recipe; // with the constants of the instruction that was asked for last
  std::optional<Reduction> reduction;
  Fidelity fidelity = Fidelity::Exact;             // unless it reads something of the chip
  bool isStrict = false;                           // no result is defined if a source is not
  bool isOfBlock = false;                          // its scope is the block alone
  bool hasVectors = false;                         // it names a register of vector type as a whole
  std::shared_ptr<const WarpgroupLayouts> layouts; // of a product of a warpgroup that was lowered

  /// Returns what `compile` would return for its recipe.
  Compiled compiled(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

private:
  friend class InstructionKinds;
  /// Constants, and the likeness of the places.
  using Key = llvm::SmallVector<uint64_t, 8>;
  struct Hash {
    size_t operator()(const Key &key) const { return llvm::hash_combine_range(key.begin(), key.end()); }
  };
  llvm::SmallVector<uint64_t, 2> constants; // of the instruction that was asked for last
  std::optional<Recipe> global;             // see `inGlobal`
  bool isGlobalKnown = false;
  std::unordered_map<Key, Pattern, Hash> patterns;
};

/// Instructions of one module.
class InstructionKinds {
public:
  explicit InstructionKinds(const ReadModule &module) : module(module) {}
  /// Returns the kind of an accepted instruction, with the constants of this one.
  InstructionKind &of(const Verdict &verdict, llvm::ArrayRef<Operand> nodes);
  /// Returns the recipe that an instruction of the kind, which has no state space, would have with `.global`; null: it
  /// would compute the same, or is not there.
  const Recipe *inGlobal(InstructionKind &kind, const Verdict &verdict, llvm::ArrayRef<Operand> nodes) const;
  /// Returns the number of the target that code is made for: 90 of `sm_90a`.
  unsigned architecture() const;

private:
  const Availability &availability() const { return module.state().availability; }

  const ReadModule &module; // it may have no body, and then there is nothing to ask
  llvm::DenseMap<const Verdict *, std::unique_ptr<InstructionKind>> kinds;
};

/// Returns the shapes of an instruction with its own constants and offsets.
llvm::SmallVector<Shape, 16> shapesOf(const Verdict &verdict, llvm::ArrayRef<Operand> nodes);
/// Returns whether a word of the opcode has this text.
bool hasWord(const Opcode &opcode, llvm::StringRef text);

} // namespace ptxray::machine
