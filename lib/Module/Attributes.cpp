#include "Module/Gates.h"
#include "Module/ModuleRules.h"

namespace ptxray {

void checkAttributes(const Declaration &declaration, ModuleState &module) {
  for (uint32_t i = declaration.attributes.first; i < declaration.attributes.end(); ++i) {
    const Directive &attribute = module.ast.directives[i];
    requireDirective(attribute.name, attribute.nameRange, isa::OnVariable, module);
    for (const Operand &operand : module.ast.operandsOf(attribute.operands)) {
      if (operand.suffix == SpellingId::None)
        continue;
      const llvm::StringRef word = module.ast.text(operand.suffix);
      const bool isUnified = word == ".unified";
      requireDirective(operand.suffix, operand.range, isa::InDirective, module);
      if ((word != ".managed" && !isUnified) || operand.extent != (isUnified ? 3 : 1))
        module.sink.report(DiagId::SyntaxError, operand.range, word, "`.managed` or `.unified` with two numbers");
      else if (module.text(declaration.space) != ".global")
        module.sink.report(DiagId::LinkageSpace, operand.range, word, ".global");
    }
  }
}

void checkFunctionAttributes(const Function &function, Signature &signature, ModuleState &module) {
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i) {
    if (module.ast.text(module.ast.directives[i].name) != ".attribute")
      continue;
    requireDirective(module.ast.directives[i].name, module.ast.directives[i].nameRange, headPlace(function), module);
    llvm::ArrayRef<Operand> values = module.ast.operandsOf(module.ast.directives[i].operands);
    if (values.size() != 3 || module.ast.text(values.front().suffix) != ".unified") {
      module.sink.report(DiagId::SyntaxError, module.ast.directives[i].range, ".attribute",
                         "`.unified` with two numbers");
      continue;
    }
    requireDirective(values.front().suffix, values.front().range, isa::InDirective, module);
    signature.unified = {values[1].value, values[2].value};
  }
}

} // namespace ptxray
