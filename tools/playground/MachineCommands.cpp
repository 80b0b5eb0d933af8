// The commands that the page loads when it first runs a kernel.
#include "Command.h"

namespace ptxray {

std::vector<Command> allCommands() { return {debugCommand(), runCommand(), versionCommand()}; }

} // namespace ptxray
