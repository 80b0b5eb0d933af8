// Replaces all other commands in `ptxray-check`, a smaller program that only checks and so gives the first answer
// sooner.
#include "Command.h"
#include "Reports.h"

namespace ptxray {

std::vector<Command> allCommands() { return {checkCommand(), versionCommand()}; }

static int refuse(const std::string &what) {
  usageError(what + " needs all of ptxray (`tools/dev build` makes it)");
  return NoPtxas;
}

int actAsPtxas(llvm::StringRef, llvm::ArrayRef<llvm::StringRef>) { return refuse("`ptxas`"); }
int addVerdict(FileReport &, llvm::StringRef, const CheckOptions &) { return refuse("`--with-ptxas`"); }

} // namespace ptxray
