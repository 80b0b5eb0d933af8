#pragma once
// The actual driver. This library depends on it (CMakeLists.txt), so that programs find functions that this library
// does not define in the driver.
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

/// Returns the functions of the driver. Functions that it lacks are null.
const Real &real();
/// Returns this library's replacement for a function of the driver, or the function itself.
void *ours(void *found);

} // namespace ptxray::recorder
