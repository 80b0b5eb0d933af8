// What is said of accesses that come too early or too late beside an asynchronous operation.
#include "Machine/Flight.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::machine {

void reportAsyncRace(const Fault &fault, const Instruction &instruction, const std::string &thread,
                     const ReadModule &module, DiagnosticSink &sink) {
  const Race &race = fault.race;
  const std::string now = module.ast().text(instruction.opcode).str();
  if (!race.earlier.at) {
    Diagnostic &diagnostic = sink.add(*race.rule, instruction.range);
    diagnostic.severity = Severity::Error;
    diagnostic.args = {now};
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
  diagnostic.notes.push_back({"`" + before + "` is here", race.earlier.at->range});
  const std::string what = fault.isWrite ? " writes shared memory at 0x" : " reads shared memory at 0x";
  if (*race.rule != DiagId::UnorderedInit)
    diagnostic.notes.push_back({thread + what + llvm::utohexstr(fault.address, /*LowerCase=*/true), instruction.range});
}

} // namespace ptxray::machine
