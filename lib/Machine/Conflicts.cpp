#include "Machine/Conflicts.h"
#include "Traffic/Remedies.h"

namespace ptxray::machine {

DiagnosticList bankConflicts(const GridState &grid) {
  DiagnosticSink sink;
  for (const FunctionCode &code : grid.program.functions)
    for (uint32_t number = 0; number < (grid.counts.empty() ? 0 : grid.counts[code.number].instructions.size());
         ++number) {
      const InstructionCounts &counts = grid.counts[code.number].instructions[number];
      const auto worst = grid.worst.find({code.number, number});
      if (counts.sharedWavefronts <= 2 * counts.sharedIdeal || worst == grid.worst.end())
        continue;
      const Instruction &instruction = code.instruction(number);
      Diagnostic &diagnostic = sink.report(DiagId::BankConflict, instruction.range,
                                           grid.program.module->ast().text(instruction.opcode).str(),
                                           counts.sharedWavefronts, counts.sharedIdeal);
      diagnostic.notes.push_back({worst->second.advice(), std::nullopt});
    }
  return sink.take();
}

} // namespace ptxray::machine
