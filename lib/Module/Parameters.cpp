#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "Module/Program.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

void checkParameter(const Declaration &declaration, Site site, ModuleState &module) {
  const std::string name =
      declaration.name == NameId::None ? std::string("_") : module.ast.text(declaration.name).str();
  const llvm::StringRef space = module.text(declaration.space);
  const bool isOpen = declaration.dims.count && module.ast.dims[declaration.dims.first] < 0;
  if (site == Site::EntryParameter) {
    const isa::Directive *directive = module.directiveOf(declaration.space);
    if (!directive || !(directive->places & isa::OnParameter))
      module.sink.report(DiagId::ParameterSpace, declaration.spaceRange, name, ".param");
    if (isOpen)
      module.sink.report(DiagId::OpenParameter, declaration.nameRange, name);
    if (declaration.dims.count && module.ast.dims[declaration.dims.first] == 0)
      module.sink.report(DiagId::OpenParameter, declaration.nameRange, name);
    const llvm::StringRef pointed = module.text(declaration.ptrSpace);
    const bool isOpaque = pointed == ".texref" || pointed == ".samplerref" || pointed == ".surfref"; // types of OpenCL
    const bool isSpace =
        pointed == ".const" || pointed == ".global" || pointed == ".local" || pointed.starts_with(".shared");
    if (!pointed.empty() && !isOpaque && (!isSpace || pointed.contains('[')))
      module.sink.report(DiagId::SyntaxError, declaration.range, pointed, "`.const`, `.global`, `.local` or `.shared`");
    const isa::Directive &pointer = isa::directive(isa::DirectiveId::Ptr);
    if (declaration.isPtr && !module.availability.holds(pointer.gate))
      module.sink
          .report(DiagId::RequiresPtx, declaration.range, "`" + std::string(pointer.name()) + "`",
                  versionOf(pointer.gate), module.header.summary().ptx)
          .kind = Kind::Directive;
    return;
  }
  if (space != ".param" && space != ".reg")
    module.sink.report(DiagId::ParameterSpace, declaration.spaceRange, name, ".param or .reg");
  if (space == ".param")
    requireFeature(isa::FeatureId::FunctionParam, declaration.spaceRange, module);
  const bool isEmpty = declaration.dims.count && module.ast.dims[declaration.dims.first] <= 0;
  if (isEmpty && site == Site::FunctionReturn)
    module.sink.report(DiagId::OpenParameter, declaration.nameRange, name);
  else if (isOpen)
    requireFeature(isa::FeatureId::OpenParameter, "`" + name + "[]`", declaration.nameRange, module);
}

/// Checks `.ptr`, and the alignment of a kernel's pointer parameter itself: `.param .u32 .align 8 a`.
void checkPointer(const Function &function, const Declaration &declaration, ModuleState &module) {
  const bool isFunction = function.kind == FunctionKind::Func;
  const bool mayPoint = isa::directive(isa::DirectiveId::Ptr).places & isa::OnParameter;
  if (declaration.isPtr && (isFunction || (function.kind == FunctionKind::Entry && !mayPoint)))
    module.sink.report(DiagId::PtrPlace, declaration.range,
                       declaration.name == NameId::None ? std::string("_") : module.ast.text(declaration.name).str());
  if (isFunction && declaration.isAlignedBehind)
    module.sink.report(DiagId::DirectivePlace, declaration.range, ".align",
                       "parameters of entries, when it comes after the type");
}

void checkParameterSize(const Function &function, const Signature &signature, ModuleState &module) {
  Layout layout;
  for (const Formal &formal : signature.parameters)
    layout.add(formal.extent);
  const uint64_t bytes = layout.end;
  const uint64_t most = isa::limit(isa::LimitId::ParameterBytes, module.availability);
  if (bytes <= most)
    return;
  Diagnostic &d = module.sink.report(DiagId::ParameterSize, function.nameRange, bytes, most);
  if (static_cast<uint32_t>(bytes) <= most) // ptxas uses 32-bit sizes
    d.severity = Severity::Warning;
}

} // namespace ptxray
