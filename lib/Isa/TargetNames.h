#pragma once
#include "Isa/Isa.h"
#include <string>

namespace ptxray {

/// Returns the current name of a target: `sm_110a` for `sm_101a`.
std::string nameToday(const isa::Target &target);

} // namespace ptxray
