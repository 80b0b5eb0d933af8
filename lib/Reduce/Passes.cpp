#include "Reduce/Passes.h"

namespace ptxray {

llvm::ArrayRef<ReductionPass> coarsePasses() {
  static constexpr ReductionPass passes[] = {{"comments", commentChanges},
                                             {"debug information", debugChanges},
                                             {"functions and variables", itemChanges},
                                             {"statements", statementChanges}};
  return passes;
}

llvm::ArrayRef<ReductionPass> finePasses() {
  static constexpr ReductionPass passes[] = {{"lines", lineChanges},     {"blocks", blockChanges},
                                             {"ends", endChanges},       {"guards", guardChanges},
                                             {"copies", bypassChanges},  {"operands", operandChanges},
                                             {"vectors", vectorChanges}, {"parameters", parameterChanges},
                                             {"head", headChanges},      {"declarations", declaratorChanges},
                                             {"words", wordChanges},     {"numbers", numberChanges},
                                             {"names", nameChanges},     {"registers", registerChanges}};
  return passes;
}

} // namespace ptxray
