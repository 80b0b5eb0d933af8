// The commands that the page loads when a kernel is to be run.
#include "Command.h"

namespace ptxray {

std::vector<Command> allCommands() { return {debugCommand(), runCommand(), versionCommand()}; }

} // namespace ptxray
