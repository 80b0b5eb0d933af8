#pragma once
// An availability says what a module's `.version` and `.target` allow.
#include "Isa/Isa.h"
#include "Source/Range.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <optional>
#include <string>

namespace ptxray {

/// The target of a module whose header names no known target: everything is available.
inline constexpr uint16_t anyTarget = 0xFFFF;

struct ModuleContext {
  uint16_t ptx = 0;             // 8.6 is 806
  uint16_t target = 0;          // index into isa::tables().targets, or anyTarget
  std::optional<uint16_t> arch; // what code is made for, where that is another
  bool pedantic = false;
  bool independent = false; // `texmode_independent`: textures and samplers are separate
  Range version;            // of the number after `.version`, for fixes; empty: unknown
  Range targetName;         // of the architecture after `.target`, likewise
};

/// Returns the context with the target that code is made for, in place of the module's.
ModuleContext ofArch(ModuleContext context);
/// Evaluates a single gate.
bool isMet(isa::ExprId gate, const ModuleContext &context);
/// Returns the name of the module's target, such as `sm_90a`.
std::string targetName(const ModuleContext &context);

/// Expressions about version and target alone, each evaluated once.
class Availability {
public:
  explicit Availability(const ModuleContext &context);
  bool holds(isa::ExprId gate) const;
  const ModuleContext &module() const { return context; }
  /// Returns the same for the target that code is generated for.
  const Availability &ofCode() const;
  /// If set, receives every gate that is evaluated.
  mutable std::vector<isa::ExprId> *asked = nullptr;
  /// Counts the work of judgements: 1 for the words of a form, more for a binding of operands, each about 1 us.
  mutable uint64_t trials = 0;
  static constexpr uint64_t trialsOfBinding = 10;
  /// If set, few bindings are tried of an instruction that no form accepts.
  mutable bool isFrugal = false;

private:
  bool known(isa::ExprId gate) const;
  ModuleContext context;
  mutable std::vector<int8_t> memo; // -1: not asked for yet
  mutable std::unique_ptr<Availability> code;
};

/// One way to satisfy a gate.
struct GateAlternative {
  uint16_t least = 0;                     // PTX version; 0: any
  uint16_t below = 0;                     // what was removed in this version; 0: never
  llvm::SmallVector<uint16_t, 2> targets; // into targetSets, all of them needed
  llvm::SmallVector<uint16_t, 2> others;  // into targetSets, none of them allowed
};
using GateAlternatives = llvm::SmallVector<GateAlternative, 4>;

bool targetFits(const GateAlternative &alternative, const ModuleContext &context);
bool versionFits(const GateAlternative &alternative, const ModuleContext &context);

/// Returns the alternatives in words: "sm_100a, sm_100f or higher in that family (PTX 8.8), or sm_110a".
std::string wording(llvm::ArrayRef<GateAlternative> alternatives);
/// Returns a gate in its own words: "PTX 7.8 and sm_90 or higher".
std::string gateText(isa::ExprId gate);
/// Returns the version, such as "2.2", of a gate that requires nothing but a version.
std::string versionOf(isa::ExprId gate);
bool inTargetSet(uint16_t set, uint16_t target);

} // namespace ptxray
