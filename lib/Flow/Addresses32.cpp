// codegen-address-32: new targets have no addresses of 32 bits.
#include "Flow/BodyRules.h"

namespace ptxray {

void checkAddresses32(const Body &body, const BodyContext &context) {
  if (context.rules.has(isa::FeatureId::Address32))
    return;
  for (const uint32_t number : body.notable)
    if (body.facts(number).hasAddress32) {
      const Instruction &instruction = body.instruction(number);
      context.sink.report(DiagId::CodegenAddress32, instruction.opcodeRange,
                          {body.ast->text(instruction.opcode).str(), targetName(context.module)});
    }
}

} // namespace ptxray
