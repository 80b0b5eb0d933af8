#include "Module/ModuleState.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

Formal ModuleState::formalOf(const Declaration &declaration) const {
  Formal formal;
  formal.type = resolver.word(declaration.type);
  formal.extent = resolver.extentOf(declaration);
  formal.isRegister = ast.text(declaration.space) == ".reg";
  if (declaration.name != NameId::None)
    formal.name = ast.text(declaration.name).str();
  return formal;
}

bool ModuleState::isQuiet(NameId function) const {
  const auto known = functions.find(static_cast<uint32_t>(function));
  const bool isDefined = known != functions.end() && known->second.isDefined;
  return isDefined ? quietFunctions.contains(static_cast<uint32_t>(function))
                   : isa::findRuntimeFunction(ast.text(function)) != nullptr;
}

bool ModuleState::neverReturns(NameId function) const {
  const auto known = functions.find(static_cast<uint32_t>(function));
  if (known == functions.end() || known->second.isDefined)
    return known != functions.end() && known->second.noReturn;
  const isa::RuntimeFunction *ofDriver = isa::findRuntimeFunction(ast.text(function));
  return known->second.noReturn || (ofDriver && ofDriver->neverReturns);
}

llvm::StringRef difference(llvm::ArrayRef<Formal> a, llvm::ArrayRef<Formal> b) {
  if (a.size() != b.size())
    return "number of parameters";
  for (auto [x, y] : llvm::zip(a, b)) {
    if (x.isRegister != y.isRegister)
      return "parameter state space";
    if (x.type != y.type || x.extent.bytes != y.extent.bytes || x.extent.isArray != y.extent.isArray)
      return "parameter type";
    if (x.extent.align != y.extent.align)
      return "parameter alignment";
  }
  return "";
}

} // namespace ptxray
