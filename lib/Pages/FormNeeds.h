#pragma once
// The versions and targets that a form needs in any case.
#include "Isa/Availability.h"
#include "Isa/Isa.h"
#include "Targets/Needs.h"

namespace ptxray {

/// Returns the newest version, for which every gate of a target is open.
Availability newestAvailability();

/// Returns the gates of the form itself, and those of its words and of the rows of its tables, of which one must be
/// open. What only ptxas accepts is left out.
Demands demandsOf(const isa::Form &form);

} // namespace ptxray
