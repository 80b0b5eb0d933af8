#include "Command.h"

namespace ptxray {

std::vector<Command> allCommands() {
  return {asCommand(),       checkCommand(),   dapCommand(),     debugCommand(),   descCommand(),    diffCommand(),
          dumpCommand(),     emulateCommand(), equalCommand(),   explainCommand(), extractCommand(), fmtCommand(),
          generateCommand(), graphCommand(),   hazardsCommand(), isaCommand(),     judgeCommand(),   layoutCommand(),
          lspCommand(),      proveCommand(),   ptxasCommand(),   recordCommand(),  reduceCommand(),  replayCommand(),
          rulesCommand(),    runCommand(),     targetsCommand(), versionCommand()};
}

} // namespace ptxray
