#include "Emulate/FlightWords.h"
#include "Machine/Grid.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::machine {

DiagnosticList unfreedMemory(const BlockState &block) {
  DiagnosticSink sink;
  const Instruction &instruction = *block.allocation;
  sink.report(DiagId::UnfreedTensorMemory, instruction.range,
              block.grid->program.module->ast().text(instruction.opcode).str())
      .severity = Severity::Error;
  return sink.take();
}

void reportAsyncRace(const Fault &fault, const Instruction &instruction, const std::string &thread,
                     const ReadModule &module, DiagnosticSink &sink) {
  const Race &race = fault.race;
  const std::string now = module.ast().text(instruction.opcode).str();
  if (!race.earlier.at) {
    Diagnostic &diagnostic = sink.add(*race.rule, instruction.range);
    diagnostic.severity = Severity::Error;
    diagnostic.args = {now};
    if (*race.rule == DiagId::UnfencedRegisters)
      diagnostic.args = {race.registerName, now};
    diagnostic.notes.push_back({thread + " executes it", instruction.range});
    return;
  }
  const std::string before = module.ast().text(race.earlier.at->opcode).str();
  Range at = instruction.range;
  const std::string *first = &now, *second = &before;
  std::string wait;
  if (race.wait) {
    at = race.wait->range;
    wait = module.ast().text(race.wait->opcode).str();
    first = &wait;
  }
  Diagnostic &diagnostic = sink.add(*race.rule, at);
  diagnostic.severity = Severity::Error;
  diagnostic.args = {*first, *second};
  if (*race.rule == DiagId::RegisterInFlight)
    diagnostic.args = {now, race.registerName, before};
  diagnostic.notes.push_back({"`" + before + "` is here", race.earlier.at->range});
  if (*race.rule == DiagId::UnorderedInit || *race.rule == DiagId::RegisterInFlight ||
      *race.rule == DiagId::AllocationAfterRelinquish)
    return;
  const std::string what = fault.isWrite ? " writes " : " reads ";
  const std::string place = race.isTensor ? "column " + std::to_string(fault.address) + " of tensor memory"
                                          : std::string(race.isGlobal ? "global" : "shared") + " memory at 0x" +
                                                llvm::utohexstr(fault.address, /*LowerCase=*/true);
  diagnostic.notes.push_back({thread + what + place, instruction.range});
}

} // namespace ptxray::machine
