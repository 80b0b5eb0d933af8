#include "Observe/Conflicts.h"
#include "Traffic/Remedies.h"

namespace ptxray::machine {

DiagnosticList bankConflicts(const Program &program, llvm::ArrayRef<FunctionCounts> counts,
                             const std::map<std::pair<uint32_t, uint32_t>, WorstAccess> &worst) {
  DiagnosticSink sink;
  for (const FunctionCode &code : program.functions)
    for (uint32_t number = 0; number < counts[code.number].instructions.size(); ++number) {
      const InstructionCounts &one = counts[code.number].instructions[number];
      const auto found = worst.find({code.number, number});
      if (one.sharedWavefronts <= 2 * one.sharedIdeal || found == worst.end())
        continue;
      const Instruction &instruction = code.instruction(number);
      Diagnostic &diagnostic =
          sink.report(DiagId::BankConflict, instruction.range, program.module->ast().text(instruction.opcode).str(),
                      one.sharedWavefronts, one.sharedIdeal);
      diagnostic.notes.push_back({found->second.advice(), std::nullopt});
    }
  return sink.take();
}

} // namespace ptxray::machine
