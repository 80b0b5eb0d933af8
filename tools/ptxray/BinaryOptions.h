#pragma once
#include "Command.h"

namespace ptxray {

/// Options that the commands share that read binaries.
Option entryOption();
Option maxSizeOption();

} // namespace ptxray
