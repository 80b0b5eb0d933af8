#include "Editor/Descriptors.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// What the manual calls operands that are descriptors.
static constexpr llvm::StringLiteral instructionDescriptor = "idesc", zeroMask = "zero-column-mask-desc";
static constexpr llvm::StringLiteral operandNames[] = {instructionDescriptor, "a-desc", "b-desc", "s-desc", zeroMask};

bool mayHaveDescriptors(const isa::Mnemonic &mnemonic) {
  const isa::Tables &tables = isa::tables();
  return llvm::any_of(isa::run(tables.mnemonicForms, mnemonic.forms), [&](uint32_t form) {
    return llvm::any_of(isa::run(tables.operands, tables.forms[form].operands), [](const isa::OperandDecl &operand) {
      return llvm::is_contained(operandNames, llvm::StringRef(operand.name));
    });
  });
}

static const descriptor::Format *formatOf(llvm::StringRef operand, const FormMatch &match,
                                          const ModuleContext &module) {
  const auto family = module.target == anyTarget ? descriptor::Family::Unknown
                                                 : descriptor::familyOf(isa::targets()[module.target].number);
  llvm::StringRef kind = match.slotText(".kind");
  kind.consume_front(".kind::");
  if (operand == instructionDescriptor)
    return descriptor::findFormat("idesc", kind, family);
  if (operand == zeroMask)
    return descriptor::findFormat("zero-mask", "");
  // Beside a descriptor of the instruction, or as the only one, it is of the fifth generation.
  const bool isLater = match.findOperand(instructionDescriptor) || operand == "s-desc";
  return descriptor::findFormat(isLater ? "smem" : "wgmma-smem", "", family);
}

/// The number that an operand is, or that its register holds all along.
static std::optional<uint64_t> numberAt(const Body &body, uint32_t number, size_t node, Constants &constants) {
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  const Operand &operand = nodes[node];
  if (operand.kind == OperandKind::Integer && !(operand.flags & AnyValue))
    return static_cast<uint64_t>(operand.value);
  if (operand.kind != OperandKind::Name || operand.flags || operand.suffix != SpellingId::None)
    return std::nullopt;
  const auto before =
      llvm::count_if(nodes.take_front(node), [](const Operand &one) { return one.kind == OperandKind::Name; });
  return constants.valueOf(body.namesOf(number)[static_cast<size_t>(before)]);
}

std::vector<ShownDescriptor> descriptorsOf(const Body &body, uint32_t number, const Judged &judged,
                                           const ModuleContext &module, Constants &constants) {
  std::vector<ShownDescriptor> found;
  if (!judged.match)
    return found;
  const FormMatch &match = *judged.match;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  for (const llvm::StringRef name : operandNames) {
    const auto index = match.findOperand(name);
    if (!index || match.nodeOf[*index] < 0)
      continue;
    const auto node = static_cast<size_t>(match.nodeOf[*index]);
    const descriptor::Format *format = formatOf(name, match, module);
    const auto value = format ? numberAt(body, number, node, constants) : std::nullopt;
    if (value)
      found.push_back({nodes[node].range, format, *value});
  }
  return found;
}

} // namespace ptxray
