#include "Module/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

void Layout::add(const Extent &extent) { end = llvm::alignTo(end, std::max<uint64_t>(1, extent.align)) + extent.bytes; }

std::optional<uint32_t> ProgramSummary::bodyOf(NameId name) const {
  if (const DeclaredFunction *known = function(name); known && known->aliasOf != NameId::None)
    name = known->aliasOf;
  const auto found = functionOf.find(static_cast<uint32_t>(name));
  return found == functionOf.end() ? std::nullopt : std::optional(found->second);
}

Reaches::Reaches(const ProgramSummary &program, bool isSeparate)
    : program(program), isSeparate(isSeparate), visits(program.functions.size()) {
  for (const FunctionSummary &function : program.functions)
    for (const Reference &reference : function.functions)
      if (!reference.isCall)
        addressed.push_back(reference.name);
  for (const ModuleVariable &variable : program.variables)
    for (const Reference &reference : variable.initial)
      addressed.push_back(reference.name);
}

void Reaches::add(NameId name, Reach &reach) {
  const std::optional<uint32_t> function = program.bodyOf(name);
  if (!function || visits[*function] == visit)
    return;
  visits[*function] = visit;
  reach.functions.push_back(*function);
}

void Reaches::addNamed(const FunctionSummary &function, bool onlyExecuted, Reach &reach) {
  for (const Reference &reference : function.functions)
    if ((reference.isCall || !isSeparate) && (reference.isExecuted || !onlyExecuted))
      add(reference.name, reach);
  if (isSeparate)
    return;
  for (const NameId name : function.variables)
    if (const ModuleVariable *variable = program.variable(name))
      for (const Reference &reference : variable->initial)
        add(reference.name, reach);
}

Reach Reaches::of(uint32_t kernel, bool onlyExecuted) {
  ++visit;
  visits[kernel] = visit;
  Reach reach{{kernel}};
  bool isIndirect = isSeparate;
  for (size_t i = 0; i < reach.functions.size(); ++i) {
    const FunctionSummary &function = program.functions[reach.functions[i]];
    addNamed(function, onlyExecuted, reach);
    if (!function.indirectCall.size() || std::exchange(isIndirect, true))
      continue;
    for (const NameId name : addressed)
      add(name, reach);
  }
  return reach;
}

std::vector<bool> Reaches::called() const {
  std::vector<bool> called(program.functions.size());
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].kind == FunctionKind::Entry)
      open.push_back(i);
  while (!open.empty()) {
    const FunctionSummary &function = program.functions[open.back()];
    open.pop_back();
    for (const Reference &reference : function.functions) {
      const auto found = program.functionOf.find(static_cast<uint32_t>(reference.name));
      if (!reference.isCall || found == program.functionOf.end() || called[found->second])
        continue;
      called[found->second] = true;
      open.push_back(found->second);
    }
  }
  return called;
}

} // namespace ptxray
