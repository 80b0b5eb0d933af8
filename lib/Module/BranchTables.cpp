// Checks the jump table of a branch through a label list (codegen-branch-table).
#include "Diagnostics/Diagnostic.h"
#include "Module/ProgramRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns the functions that are compiled: all of them for a linker, otherwise those that kernels reach.
static std::vector<bool> compiled(const ProgramSummary &program, const ProgramContext &context) {
  if (context.options.linking == Linking::Separate)
    return std::vector<bool>(program.functions.size(), true);
  std::vector<bool> found(program.functions.size());
  Reaches reaches(program, /*isSeparate=*/false);
  for (uint32_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].kind == FunctionKind::Entry)
      for (const uint32_t reached : reaches.executedBy(i).functions)
        found[reached] = true;
  return found;
}

void checkBranchTables(const ProgramSummary &program, const ProgramContext &context) {
  const auto isTooLarge = [](const FunctionSummary &function) { return function.table.targets > 0; };
  if (llvm::none_of(program.functions, isTooLarge))
    return;
  const std::vector<bool> isCompiled = compiled(program, context);
  for (uint32_t i = 0; i < program.functions.size(); ++i)
    if (const BranchTable &table = program.functions[i].table; table.targets && isCompiled[i])
      context.sink
          .report(DiagId::CodegenBranchTable, table.use, context.ast.text(table.name), table.targets,
                  context.limit(isa::LimitId::BranchTargets))
          .notes.push_back({"declared here", table.declared});
}

} // namespace ptxray
