// Reports names that the module uses without a definition.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Words.h"
#include "Module/ProgramRules.h"
#include "llvm/ADT/DenseSet.h"

namespace ptxray {

bool isOfCompiler(llvm::StringRef function) {
  return function == "vprintf" || function == "malloc" || function == "free" || function == "__assertfail" ||
         function.starts_with("__cuda_syscall") || function.starts_with("__nv_ptx_builtin_ocg_");
}

namespace {

class Unresolved {
public:
  Unresolved(const ProgramSummary &program, const ProgramContext &context) : program(program), context(context) {}

  void declarations();
  void uses();

private:
  void use(const Reference &reference);
  void alias(NameId name, Range place, bool isUse);

  const ProgramSummary &program;
  const ProgramContext &context;
  llvm::DenseSet<uint32_t> reported; // NameIds
};

} // namespace

/// Reports declarations that are neither `.extern` nor followed by a definition. ptxas rejects them, regardless of
/// linking. They are warnings unless `--link` is given.
void Unresolved::declarations() {
  for (const auto &[name, one] : program.declared) {
    alias(static_cast<NameId>(name), one.range, /*isUse=*/false);
    if (one.isDefined || one.isExtern || one.aliasOf != NameId::None || !reported.insert(name).second)
      continue;
    Diagnostic &d =
        context.sink.report(DiagId::CodegenUnresolved, one.range, context.ast.text(static_cast<NameId>(name)).str());
    if (context.options.linking == Linking::Unknown)
      d.severity = Severity::Warning;
  }
  if (context.options.linking != Linking::Whole)
    return;
  for (const ModuleVariable &variable : program.variables)
    // ptxas itself defines an `.extern` with a known size, and ignores shared memory.
    if (variable.isExtern && variable.isOpen() &&
        (variable.space == isa::words::global || variable.space == isa::words::const_))
      context.sink.report(DiagId::CodegenUnresolved, variable.nameRange, context.ast.text(variable.name));
}

void Unresolved::use(const Reference &reference) {
  const DeclaredFunction *function = program.function(reference.name);
  if (!function || function->isDefined || !function->isExtern ||
      !reported.insert(static_cast<uint32_t>(reference.name)).second)
    return;
  const std::string name = context.ast.text(reference.name).str();
  if (isOfCompiler(name)) {
    if (!reference.isCall)
      context.sink.report(DiagId::CodegenFunctionAddress, reference.range, name);
    else
      reported.erase(static_cast<uint32_t>(reference.name)); // its address may be taken later
    return;
  }
  if (context.options.linking == Linking::Separate)
    return;
  Diagnostic &d = context.sink.report(DiagId::CodegenUnresolved, reference.range, name);
  d.notes.push_back({"declared here", function->range});
  if (context.options.linking == Linking::Unknown)
    d.severity = Severity::Pedantic;
}

/// Checks an alias of an alias, at its declaration and at its uses. When ptxas compiles for a linker, it drops such an
/// alias, unless it is the only exported one. In a whole program, it drops an exported alias at its uses.
void Unresolved::alias(NameId name, Range place, bool isUse) {
  const DeclaredFunction *one = program.function(name);
  const DeclaredFunction *other = !one || one->aliasOf == NameId::None ? nullptr : program.function(one->aliasOf);
  if (!other || other->aliasOf == NameId::None)
    return;
  const bool isLostToLinker = !one->isExported || other->isExported, isLostInProgram = isUse && one->isExported;
  const Linking linking = context.options.linking;
  if (linking == Linking::Separate ? isLostToLinker && !isUse
                                   : isLostInProgram && (isLostToLinker || linking == Linking::Whole))
    context.sink.report(DiagId::CodegenAlias, place, context.ast.text(name), context.ast.text(one->aliasOf));
}

void Unresolved::uses() {
  for (const FunctionSummary &summary : program.functions)
    for (const Reference &reference : summary.functions) {
      use(reference);
      alias(reference.name, reference.range, /*isUse=*/true);
    }
  for (const ModuleVariable &variable : program.variables)
    for (const Reference &reference : variable.initial)
      use(reference);
}

void checkUnresolved(const ProgramSummary &program, const ProgramContext &context) {
  Unresolved unresolved(program, context);
  unresolved.declarations();
  unresolved.uses();
}

} // namespace ptxray
