// Reports instructions that need more registers than a kernel's head permits for a thread.
#include "Diagnostics/Diagnostic.h"
#include "Module/KernelHead.h"
#include "Module/ProgramRules.h"

namespace ptxray {

static RegisterBound boundOf(const FunctionSummary &kernel, const isa::Target &arch, const ProgramContext &context) {
  return registerBound(withOptions(kernel.head, context.options, context.availability), arch, context.availability);
}

/// Adds a note about the directive that sets the bound, or about the kernel if options of ptxas set it.
static void noteCause(Diagnostic &d, const RegisterBound &bound, const FunctionSummary &kernel) {
  if (bound.cause.size())
    d.notes.push_back({"because of this", bound.cause});
  else
    d.notes.push_back({"because of the options for ptxas", kernel.nameRange});
}

void checkRegisters(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  const isa::Target *arch = context.arch();
  if (!arch || !arch->threads)
    return;
  const FunctionSummary &kernel = program.functions[reach.kernel()];
  const RegisterBound bound = boundOf(kernel, *arch, context);
  RegisterUse greatest;
  for (const uint32_t index : reach.functions) {
    const FunctionSummary &function = program.functions[index];
    for (const RegisterUse &use : {function.occupied, bound.isSet ? function.bounded : RegisterUse()})
      if (use.registers > greatest.registers)
        greatest = use;
  }
  if (greatest.registers <= bound.registers)
    return;
  noteCause(context.sink.report(DiagId::CodegenRegisters, greatest.range, context.ast.text(greatest.instruction),
                                greatest.registers, context.ast.text(kernel.name), bound.registers),
            bound, kernel);
}

void checkRegisterChanges(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  const isa::Target *arch = context.arch();
  if (!arch || !arch->threads)
    return;
  const FunctionSummary &kernel = program.functions[reach.kernel()];
  uint64_t grown = 0;
  RegisterUse shrunk;
  for (const uint32_t index : reach.functions) {
    const FunctionSummary &function = program.functions[index];
    grown = std::max<uint64_t>(grown, function.grows.registers);
    if (function.shrinks.registers > shrunk.registers)
      shrunk = function.shrinks;
  }
  // The new number of registers matters, not the initial one.
  const RegisterBound bound = boundOf(kernel, *arch, context);
  const uint64_t most = grown ? grown : bound.registers;
  if (std::min<uint64_t>(shrunk.registers, context.limit(isa::LimitId::ThreadRegisters)) <= most)
    return;
  Diagnostic &d = context.sink.report(DiagId::CodegenRegisterChange, shrunk.range, context.ast.text(shrunk.instruction),
                                      context.ast.text(kernel.name), most);
  if (!grown && bound.registers < context.limit(isa::LimitId::ThreadRegisters))
    noteCause(d, bound, kernel);
}

} // namespace ptxray
