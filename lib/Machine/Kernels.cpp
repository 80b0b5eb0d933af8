#include "Machine/Kernels.h"
#include "Isa/Isa.h"
#include "Module/KernelHead.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray::machine {

std::vector<KernelEntry> kernelsOf(const Ast &ast) {
  std::vector<KernelEntry> kernels;
  for (const Function &function : ast.functions) {
    if (function.kind != FunctionKind::Entry || !function.hasBody)
      continue;
    KernelEntry &kernel = kernels.emplace_back();
    kernel.name = ast.text(function.name).str();
    for (uint32_t i = function.parameters.first; i < function.parameters.end(); ++i) {
      const Declaration &declared = ast.declarations[i];
      KernelEntry::Parameter parameter{ast.text(declared.name).str(), ast.text(declared.type).str(),
                                       !declared.dims.empty(), 1};
      if (const isa::WordId type = isa::findWord(parameter.type))
        parameter.bytes = std::max(1, isa::word(type).bits / 8);
      parameter.alignment = std::max(static_cast<int64_t>(parameter.bytes), declared.align);
      for (uint32_t d = declared.dims.first; d < declared.dims.end(); ++d)
        parameter.bytes *= ast.dims[d];
      kernel.parameters.push_back(std::move(parameter));
    }
    const KernelHead head = headOf(ast, function);
    kernel.requiredBlock = head.requiredBlock;
    kernel.mostThreads = head.threads.value_or(kernel.mostThreads);
  }
  return kernels;
}

std::vector<uint8_t> laidOut(const KernelEntry &kernel, llvm::ArrayRef<std::vector<uint8_t>> arguments) {
  std::vector<uint8_t> all;
  for (const auto &[argument, parameter] : llvm::zip(arguments, kernel.parameters)) {
    assert(argument.size() == parameter.bytes && "the arguments have the sizes of the parameters");
    all.resize(llvm::alignTo(all.size(), parameter.alignment));
    llvm::append_range(all, argument);
  }
  return all;
}

} // namespace ptxray::machine
