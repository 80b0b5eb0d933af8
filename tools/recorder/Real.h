#pragma once
// The driver that does the work. This library depends on it (CMakeLists.txt), so that a program which looks here for a
// function that is not one of ours finds the driver's.
#include "../cuda/Attributes.h"
#include "../cuda/DriverApi.h"

namespace ptxray::recorder {

using namespace ptxray::driver;

struct Real {
#define PTXRAY_CALL(name) signature::name *name = nullptr;
#include "Calls.def"
#undef PTXRAY_CALL
#define PTXRAY_NEEDED(name) signature::name *name = nullptr;
#include "Needed.def"
#undef PTXRAY_NEEDED
};

/// Its functions; null are those that it lacks.
const Real &real();
/// Returns our function in the place of one of the driver, or that one itself.
void *ours(void *found);

} // namespace ptxray::recorder
