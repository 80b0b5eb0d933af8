// codegen-address-32: new targets have no addresses of 32 bits.
#include "Flow/BodyRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

void checkAddresses32(const Body &body, const BodyContext &context) {
  if (context.module.codeHas(isa::FeatureId::Address32) && !context.options.wideAddresses)
    return;
  for (const uint32_t number : body.notable)
    if (body.facts(number).hasAddress32) {
      const Instruction &instruction = body.instruction(number);
      const auto nodes = body.ast->operandsOf(instruction.operands);
      const auto *address = llvm::find_if(nodes, [](const Operand &node) { return node.kind == OperandKind::Address; });
      const bool isNamed = address != nodes.end() && address->extent > 1 && address[1].kind == OperandKind::Name;
      context.sink.report(DiagId::CodegenAddress32, isNamed ? address[1].range : instruction.opcodeRange,
                          (isNamed ? body.ast->text(address[1].name) : body.ast->text(instruction.opcode)).str(),
                          targetName(ofArch(context.module.context())));
    }
}

} // namespace ptxray
