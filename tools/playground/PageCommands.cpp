// The commands that the page loads at its start: all queries about a text.
#include "Command.h"

namespace ptxray {

std::vector<Command> allCommands() {
  return {checkCommand(),   descCommand(),   explainCommand(), extractCommand(), fmtCommand(),    graphCommand(),
          hazardsCommand(), layoutCommand(), rulesCommand(),   targetsCommand(), versionCommand()};
}

} // namespace ptxray
