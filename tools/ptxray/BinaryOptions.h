#pragma once
#include "Command.h"

namespace ptxray {

/// Options of all commands that read binaries.
Option entryOption();
Option maxSizeOption();

} // namespace ptxray
