// Instructions that write to the trace, which the module's metadata describe.
#include "Flow/BodyRules.h"
#include "Module/ModuleRules.h"

namespace ptxray {

void checkTraces(const Body &body, const BodyContext &context) {
  for (const uint32_t number : body.notable)
    if (body.facts(number).has(isa::FactKind::Traces)) {
      const Instruction &instruction = body.instruction(number);
      checkTrace(instruction.opcodeRange, body.ast->text(instruction.opcode), context.module);
    }
}

} // namespace ptxray
