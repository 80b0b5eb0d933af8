#pragma once
// Evaluates which features a module's `.version` and `.target` permit.
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
  std::optional<uint16_t> arch; // target of code generation, if it differs from `target`
  bool pedantic = false;
  bool independent = false; // `texmode_independent`: textures and samplers are separate
  Range version;            // the number after `.version`, for fixes; empty if unknown
  Range targetName;         // the architecture after `.target`, for fixes; empty if unknown
};

/// Returns a copy of the context for the target of code generation.
ModuleContext ofArch(ModuleContext context);
/// Evaluates a single gate.
bool isMet(isa::ExprId gate, const ModuleContext &context);
/// Returns the name of the module's target, such as `sm_90a`.
std::string targetName(const ModuleContext &context);

/// Evaluates and caches expressions that depend only on version and target.
class Availability {
public:
  explicit Availability(const ModuleContext &context);
  bool holds(isa::ExprId gate) const;
  const ModuleContext &module() const { return context; }
  /// Returns the availability for the target of code generation.
  const Availability &ofCode() const;
  /// Collects every evaluated gate, if set.
  mutable std::vector<isa::ExprId> *asked = nullptr;
  /// Measures work in units of about 1 us. Matching the words of a form counts as 1, and binding its operands as
  /// `trialsOfBinding`.
  mutable uint64_t trials = 0;
  static constexpr uint64_t trialsOfBinding = 10;
  /// Limits the number of bindings that are tried for an instruction that no form accepts.
  mutable bool isFrugal = false;

private:
  bool known(isa::ExprId gate) const;
  ModuleContext context;
  mutable std::vector<int8_t> memo; // -1 if not evaluated yet
  mutable std::unique_ptr<Availability> code;
};

/// One way to satisfy a gate.
struct GateAlternative {
  uint16_t least = 0;                     // minimum PTX version; 0 for any
  uint16_t below = 0;                     // PTX version that removed the feature; 0 if none did
  llvm::SmallVector<uint16_t, 2> targets; // indices into targetSets; the target must be in all of them
  llvm::SmallVector<uint16_t, 2> others;  // indices into targetSets; the target must be in none of them
};
using GateAlternatives = llvm::SmallVector<GateAlternative, 4>;

bool targetFits(const GateAlternative &alternative, const ModuleContext &context);
bool versionFits(const GateAlternative &alternative, const ModuleContext &context);

/// Returns the alternatives as text: "sm_100a, sm_100f or higher in that family (PTX 8.8), or sm_110a".
std::string wording(llvm::ArrayRef<GateAlternative> alternatives);
/// Returns a gate as text: "PTX 7.8 and sm_90 or higher".
std::string gateText(isa::ExprId gate);
/// Returns the version, such as "2.2", of a gate that requires only a version; empty for other gates.
std::string versionOf(isa::ExprId gate);
bool inTargetSet(uint16_t set, uint16_t target);

} // namespace ptxray
