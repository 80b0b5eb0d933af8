#include "Editor/Descriptors.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

bool mayHaveDescriptors(const isa::Mnemonic &mnemonic) {
  const isa::Tables &tables = isa::tables();
  return llvm::any_of(isa::run(tables.mnemonicForms, mnemonic.forms), [&](uint32_t form) {
    return llvm::any_of(isa::run(tables.operands, tables.forms[form].operands),
                        [](const isa::OperandDecl &operand) { return !operand.format().empty(); });
  });
}

static const descriptor::Format *formatOf(const isa::OperandDecl &operand, const FormMatch &match,
                                          const ModuleContext &module) {
  const auto family = module.target == anyTarget ? descriptor::Family::Unknown
                                                 : descriptor::familyOf(isa::targets()[module.target].number);
  if (const descriptor::Format *format = descriptor::findFormat(operand.format(), "", family))
    return format;
  llvm::StringRef kind = match.slotText(".kind"); // instruction descriptors have a format for each kind
  kind.consume_front(".kind::");
  return descriptor::findFormat(operand.format(), kind, family);
}

std::vector<ShownDescriptor> descriptorsOf(const Body &body, uint32_t number, const ModuleContext &module,
                                           Values &values) {
  std::vector<ShownDescriptor> found;
  if (!body.verdicts[number]->match)
    return found;
  const FormMatch &match = *body.verdicts[number]->match;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  for (const auto &[operand, at] : llvm::zip(match.operands, match.nodeOf)) {
    if (operand.format().empty() || at < 0)
      continue;
    const auto node = static_cast<size_t>(at);
    const descriptor::Format *format = formatOf(operand, match, module);
    const auto value = format ? values.numberAt(number, at) : std::nullopt;
    if (value)
      found.push_back({nodes[node].range, format, static_cast<uint64_t>(*value)});
  }
  return found;
}

} // namespace ptxray
