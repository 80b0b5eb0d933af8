#pragma once
// Launches with certificates. Where the contents of a buffer matter, the launch is repeated on terms, to find
// conditions on the elements under which they do not matter, and with contents at the ends of these conditions.
#include "Emulate/Launch.h"

namespace ptxray::equal {

/// Launches a kernel with `Launch::certifies`. Memory is left as by one launch. Conditions are found for launches of at
/// most `most` instructions of lanes, because terms take a hundred times as long.
machine::Outcome launchCertified(machine::LoadedModule &module, const machine::Launch &asked,
                                 uint64_t most = uint64_t(1) << 15);

} // namespace ptxray::equal
