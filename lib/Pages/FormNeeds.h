#pragma once
// Determines the versions and targets that a form always requires.
#include "Isa/Availability.h"
#include "Isa/Isa.h"
#include "Targets/Needs.h"

namespace ptxray {

/// Returns an availability with the newest version, in which every gate of a target is open.
Availability newestAvailability();

/// Returns the gates of the form, and those of its words and table rows, of which at least one must be open. Ignores
/// what only ptxas accepts.
Demands demandsOf(const isa::Form &form);

} // namespace ptxray
