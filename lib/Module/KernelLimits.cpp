// Limits for a kernel and everything that it reaches: shared memory, textures, and a consistent CTA group for tensor
// memory.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Words.h"
#include "Module/ProgramRules.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

/// Returns the indices of the used variables of the module.
static std::vector<uint32_t> namedVariables(const ProgramSummary &program, const Reach &reach) {
  std::vector<uint32_t> named;
  for (const uint32_t function : reach.functions)
    for (const NameId name : program.functions[function].variables)
      if (const auto found = program.variableOf.find(static_cast<uint32_t>(name)); found != program.variableOf.end())
        named.push_back(found->second);
  llvm::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

/// Returns whether a variable takes memory in this module. In a whole program, ptxas also allocates an `.extern` of
/// known size.
static bool isHere(const ModuleVariable &variable, const ProgramContext &context) {
  return !variable.isOpen() && (!variable.isExtern || context.options.linking == Linking::Whole);
}

/// Returns the size of a kernel's shared memory in the layout of ptxas. First come the used variables of the module,
/// those with linkage before others. Then come the variables of the kernel, and those of functions, sorted by name.
static uint64_t sharedBytes(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  const Ast &ast = context.ast;
  Layout layout;
  const std::vector<uint32_t> named = namedVariables(program, reach);
  for (const bool isExported : {true, false})
    for (const uint32_t index : named)
      if (const ModuleVariable &variable = program.variables[index];
          variable.space == isa::words::shared && variable.isExported == isExported && isHere(variable, context))
        layout.add(variable.extent);
  std::vector<const FunctionSummary *> functions;
  for (const uint32_t index : reach.functions)
    if (const FunctionSummary &function = program.functions[index]; !function.shared.empty())
      functions.push_back(&function);
  llvm::sort(functions, [&](const FunctionSummary *a, const FunctionSummary *b) {
    const bool aIsKernel = a->kind == FunctionKind::Entry, bIsKernel = b->kind == FunctionKind::Entry;
    return aIsKernel != bIsKernel ? aIsKernel : ast.text(a->name) < ast.text(b->name);
  });
  for (const FunctionSummary *function : functions)
    for (const Extent &extent : function->shared)
      layout.add(extent);
  // Memory whose size the launch determines follows.
  uint64_t align = 1;
  for (const ModuleVariable &variable : program.variables)
    if (variable.space == isa::words::shared && variable.isOpen())
      align = std::max(align, variable.extent.align);
  layout.add({0, align});
  return layout.end;
}

void checkSharedSize(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  const isa::Target *arch = context.arch();
  if (!arch || context.options.linking == Linking::Separate)
    return;
  const FunctionSummary &kernel = program.functions[reach.kernel()];
  if (const uint64_t bytes = sharedBytes(program, reach, context); bytes > arch->sharedBytes)
    context.sink.report(DiagId::CodegenSharedSize, kernel.nameRange, context.ast.text(kernel.name), bytes, arch->name(),
                        arch->sharedBytes);
}

void checkConstantSize(const ProgramSummary &program, const ProgramContext &context) {
  if (program.variables.empty() && program.constantsOfBodies.empty())
    return;
  const uint64_t most = context.limit(isa::LimitId::ConstBytes);
  Layout layout;
  const ModuleVariable *last = nullptr; // the first variable that does not fit
  const auto add = [&](const ModuleVariable &variable) {
    layout.add(variable.extent);
    if (layout.end > most && !last)
      last = &variable;
  };
  for (const bool isExported : {true, false})
    for (const ModuleVariable &variable : program.variables)
      if (variable.space == isa::words::const_ && variable.isExported == isExported && isHere(variable, context))
        add(variable);
  llvm::for_each(program.constantsOfBodies, add);
  if (last)
    context.sink.report(DiagId::CodegenConstantSize, last->nameRange, context.ast.text(last->name), layout.end, most);
}

void checkOpaqueCount(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  if (context.options.linking == Linking::Separate)
    return;
  const FunctionSummary &kernel = program.functions[reach.kernel()];
  const std::vector<uint32_t> named = namedVariables(program, reach);
  if (named.empty())
    return;
  for (const auto &[type, limit] : {std::pair(isa::words::texref, isa::LimitId::KernelTextures),
                                    std::pair(isa::words::surfref, isa::LimitId::KernelSurfaces),
                                    std::pair(isa::words::samplerref, isa::LimitId::KernelSamplers)}) {
    const uint64_t most = context.limit(limit);
    const auto count = static_cast<uint64_t>(
        llvm::count_if(named, [&, type = type](uint32_t index) { return program.variables[index].type == type; }));
    if (count > most)
      context.sink.report(DiagId::CodegenOpaqueCount, kernel.nameRange, context.ast.text(kernel.name), count,
                          isa::word(type).text(), most);
  }
}

static void reportCtaGroups(Range oneCta, Range ctaPair, const FunctionSummary &function,
                            const ProgramContext &context) {
  if (!oneCta.size() || !ctaPair.size())
    return;
  const bool pairIsLast = ctaPair.begin > oneCta.begin;
  context.sink.report(DiagId::CodegenCtaGroup, pairIsLast ? ctaPair : oneCta, context.ast.text(function.name))
      .notes.push_back({"the other `.cta_group` is used here", pairIsLast ? oneCta : ctaPair});
}

void checkCtaGroups(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  if (context.options.linking == Linking::Separate)
    return; // each function separately
  Range oneCta, ctaPair;
  for (const uint32_t index : reach.functions) {
    const FunctionSummary &function = program.functions[index];
    oneCta = oneCta.size() ? oneCta : function.oneCta;
    ctaPair = ctaPair.size() ? ctaPair : function.ctaPair;
  }
  reportCtaGroups(oneCta, ctaPair, program.functions[reach.kernel()], context);
}

void checkCtaGroupsAlone(const ProgramSummary &program, const ProgramContext &context) {
  if (context.options.linking == Linking::Separate)
    for (const FunctionSummary &function : program.functions)
      reportCtaGroups(function.oneCta, function.ctaPair, function, context);
}

void checkSpilling(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  const Range pragma = program.functions[reach.kernel()].spilling;
  if (!pragma.size())
    return;
  if (context.options.linking == Linking::Separate) {
    context.sink.report(DiagId::CodegenSeparate, pragma, "`enable_smem_spilling`");
    return;
  }
  for (const uint32_t index : namedVariables(program, reach)) {
    const ModuleVariable &variable = program.variables[index];
    if (variable.space != isa::words::shared || !variable.isOpen())
      continue;
    context.sink.report(DiagId::CodegenSpilling, pragma, context.ast.text(variable.name))
        .notes.push_back({"declared here", variable.nameRange});
    return;
  }
}

} // namespace ptxray
