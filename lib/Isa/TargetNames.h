#pragma once
#include "Isa/Isa.h"
#include <string>

namespace ptxray {

/// `sm_101a` has become `sm_110a`.
std::string nameToday(const isa::Target &target);

} // namespace ptxray
