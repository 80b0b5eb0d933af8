#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns a list as text: "`.a` and `.b`".
static std::string listText(llvm::ArrayRef<uint16_t> list, llvm::StringRef between) {
  std::string out;
  for (uint16_t index : list)
    out += (out.empty() ? "`" : between.str() + "`") + std::string(isa::tables().directives[index].name()) + "`";
  return out;
}

/// Checks which directives of one head exclude or require each other.
static void checkTogether(llvm::ArrayRef<std::pair<const Directive *, const isa::Directive *>> head,
                          ModuleState &module) {
  const isa::Tables &tables = isa::tables();
  auto written = [&](uint16_t index) -> const Directive * {
    auto found = llvm::find_if(head, [&](auto &one) { return one.second == &tables.directives[index]; });
    return found == head.end() ? nullptr : found->first;
  };
  for (const auto &[directive, known] : head) {
    const std::string name(known->name());
    for (uint16_t index : isa::run(tables.directiveLists, known->excludes))
      if (const Directive *other = written(index))
        module.sink.report(DiagId::DirectiveConflict, directive->nameRange, name, module.ast.text(other->name))
            .notes.push_back({"the other is here", other->nameRange});
    const auto needed = isa::run(tables.directiveLists, known->needs);
    if (!llvm::all_of(needed, written))
      module.sink.report(DiagId::DirectiveMissing, directive->nameRange, name, listText(needed, " and "));
    const auto useful = isa::run(tables.directiveLists, known->idleWithout);
    const bool isIdle = known->idleSince && module.context().ptx >= known->idleSince;
    if (isIdle && module.availability.holds(known->gate)) // otherwise, the directive was removed
      module.sink.report(DiagId::DirectiveIgnored, directive->nameRange, name,
                         "a `.version` below " + isa::versionText(known->idleSince));
    else if (!isIdle && !useful.empty() && llvm::none_of(useful, written))
      module.sink.report(DiagId::DirectiveIgnored, directive->nameRange, name, listText(useful, " or "));
  }
}

void checkHeadDirectives(const Function &function, ModuleState &module) {
  llvm::SmallVector<std::pair<const Directive *, const isa::Directive *>, 8> head;
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i) {
    const Directive &directive = module.ast.directives[i];
    if (module.ast.text(directive.name) == ".attribute")
      continue;
    const isa::Directive *known = requireDirective(directive.name, directive.nameRange, headPlace(function), module);
    if (!known)
      continue;
    if (isa::is(*known, isa::DirectiveId::Pragma)) {
      checkPragma(directive, isa::OnEntry, module);
      continue;
    }
    if (isa::is(*known, isa::DirectiveId::Noreturn) && !function.returns.empty())
      module.sink.report(DiagId::DirectivePlace, directive.nameRange, known->name(),
                         "a function that returns no value");
    auto before = llvm::find_if(head, [&](auto &one) { return one.second == known; });
    if (before != head.end() && known->once)
      module.sink.report(DiagId::DirectiveConflict, directive.nameRange, known->name(), known->name());
    checkValues(directive, *known, module);
    if (before != head.end())
      head.erase(before); // the last one takes precedence
    head.push_back({&directive, known});
  }
  checkTogether(head, module);
}

} // namespace ptxray
