#include "Module/Gates.h"
#include "Module/ModuleRules.h"

namespace ptxray {

/// Checks explicit banks, such as `.const[3]`, which exist only in some versions. Banks 1 to 10 contain `.extern`
/// arrays of unknown size.
void checkConstantBank(const Declaration &declaration, ModuleState &module) {
  llvm::StringRef space = module.text(declaration.space);
  if (!space.consume_front(".const"))
    return;
  const bool isOpenExtern = module.text(declaration.linkage) == ".extern" && declaration.dims.count &&
                            module.ast.dims[declaration.dims.first] < 0;
  unsigned bank = 0;
  const bool isWritten = space.consume_front("[");
  if (isWritten) {
    space.consumeInteger(10, bank);
    requireFeature(bank ? isa::FeatureId::ConstBank : isa::FeatureId::ConstBank0,
                   "`" + module.text(declaration.space) + "`", declaration.spaceRange, module);
    if (const uint64_t last = isa::limit(isa::LimitId::ConstBanks, module.availability); bank > last) {
      module.sink.report(DiagId::ConstantBank, declaration.spaceRange, bank,
                         "there are banks 0 to " + std::to_string(last));
      return;
    }
  }
  if (!module.has(isa::FeatureId::OpenConstants) && isOpenExtern != (bank > 0))
    module.sink.report(DiagId::ConstantBank, declaration.spaceRange, bank,
                       bank ? "it holds only `.extern` arrays of open size"
                            : "it holds no `.extern` array of open size");
}

} // namespace ptxray
