#pragma once
// Looks up directives, features and limits by their names in grammar/isa/directives.isa.
#include "Isa/Availability.h"
#include "IsaNames.h"

namespace ptxray::isa {

inline const Directive &directive(DirectiveId id) { return tables().directives[static_cast<size_t>(id)]; }
inline const Directive &pragma(PragmaId id) { return tables().pragmas[static_cast<size_t>(id)]; }
inline const Feature &feature(FeatureId id) { return tables().features[static_cast<size_t>(id)]; }
/// Returns whether a directive has that id.
inline bool is(const Directive &one, DirectiveId id) { return &one == &directive(id); }

/// Returns the value of a limit for a module.
inline uint64_t limit(LimitId id, const Availability &availability) {
  const llvm::ArrayRef<LimitValue> values = run(tables().limitValues, tables().limits[static_cast<size_t>(id)].values);
  for (const LimitValue &value : values)
    if (availability.holds(value.gate))
      return value.value;
  return values.back().value;
}

} // namespace ptxray::isa
