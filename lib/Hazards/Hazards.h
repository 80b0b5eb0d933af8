#pragma once
// Faults of asynchronous operations: legal line by line, and a wrong number once in a thousand runs. docs/hazards.md
// says what each rule asks and where it is silent. Each rule is in the file of its subject; `checkHazards` calls them.
#include "Flow/Analyses.h"
#include "Flow/BodyContext.h"
#include "Hazards/InFlight.h"

namespace ptxray {

class SourceBuffer;

/// A body with asynchronous operations, and what all rules ask of it.
struct HazardContext {
  const Body &body;
  DiagnosticSink &sink;
  Analyses &analyses;
  const SourceBuffer &source;
  Places places;
  bool isWhole; // a kernel that calls nothing unknown, so that nothing else uses its barriers and tensor memory
  // Instructions that have to do with asynchronous operations, or with memory that they use.
  std::vector<uint32_t> events;

  bool areOtherThreads(uint32_t a, uint32_t b) const {
    return ptxray::areOtherThreads(analyses.graph().blockOf(a), analyses.graph().blockOf(b), analyses);
  }
  /// Returns the place of an access; it has no base if a descriptor says where it is.
  MemoryPlace placeOf(uint32_t number, const Access &access) {
    return access.isDescribed ? MemoryPlace() : places.at(number, access.node, access.bytes);
  }
  llvm::StringRef opcode(uint32_t number) const { return body.opcode(number); }
  Range range(uint32_t number) const { return body.instruction(number).range; }
  Range opcodeRange(uint32_t number) const { return body.instruction(number).opcodeRange; }
  /// Returns the innermost loop around an instruction.
  BlockId loopAround(uint32_t number) const {
    return analyses.loops().header[indexOf(analyses.graph().blockOf(number))];
  }
  bool isInLoop(uint32_t number, BlockId header) const {
    return analyses.loops().contains(header, analyses.graph().blockOf(number));
  }
  /// Reports an instruction, which the message names, and another one that it names next, with a note there.
  Diagnostic &report(IdTakingTexts<2> id, uint32_t number, uint32_t other, const char *note) {
    Diagnostic &diagnostic = sink.report(id, opcodeRange(number), opcode(number), opcode(other));
    diagnostic.notes.push_back({note, range(other)});
    return diagnostic;
  }
};

/// Returns nothing if the body has no asynchronous operations.
std::optional<HazardContext> hazardContext(const Body &body, DiagnosticSink &sink, Analyses &analyses,
                                           const SourceBuffer &source);
void checkHazards(HazardContext &context);
void checkHazards(const Body &body, const BodyContext &context, Analyses &analyses, const SourceBuffer &source);

/// Reports accesses to global memory before the wait for a preceding grid.
void checkGridDependency(const Body &body, const BodyContext &context, Analyses &analyses);
/// Reports accesses to shared memory of blocks of the cluster that may not run at that time.
void checkPeers(const Body &body, const BodyContext &context, Analyses &analyses);

/// Returns whether the function accesses global memory by instructions that name it.
bool accessesGlobal(const Body &body);
/// Nothing in the function starts, orders or waits for anything asynchronous: a call of it changes nothing of that.
bool isQuiet(const Body &body);

/// Operations of which something was reported, by instruction.
struct ReportedOperations {
  std::vector<uint32_t> uncommitted; // no wait covers them since nothing commits them
  std::vector<uint32_t> unawaited;   // their barrier object was not waited for
};
/// Reports memory that is used before copies are complete.
ReportedOperations checkCopies(HazardContext &context);
/// Reports operations in flight. `reported`: what was said of these already.
void checkHeldRegisters(HazardContext &context, llvm::ArrayRef<uint32_t> reported);
void checkProxies(HazardContext &context); // memory written through one proxy and read through another
/// `reported`: copies that were reported because nothing waits for them.
void checkBarrierObjects(HazardContext &context, llvm::ArrayRef<uint32_t> reported);
void checkTensorMemory(HazardContext &context);
void checkLaunchControl(HazardContext &context);
void checkHandovers(HazardContext &context); // what one thread has, and others read

/// Returns the groups of the operations that the instruction starts.
uint16_t asyncGroups(const Facts &facts);
/// The instruction waits for one of the groups.
bool waitsFor(const Facts &facts, uint16_t groups);
/// The last wait for the operation's groups before the instruction, in the order of the text.
std::optional<uint32_t> waitBefore(const HazardContext &context, const Operation &operation, uint32_t number);
/// Notes where the operation began, and the wait that does not cover it. `level`: how far away its end is at the
/// instruction.
void addNotes(Diagnostic &diagnostic, const HazardContext &context, const Operation &operation, uint32_t number,
              uint8_t level);

/// The instruction orders what comes before it for somebody, or for two proxies.
bool orders(const Facts &facts, isa::Ordered first, isa::Ordered second = isa::Ordered::Nothing);

/// Does one of the facts hold? Asked of every instruction, so the sum of their bits is made by the compiler.
template <FactKind... kinds> bool hasAny(const Facts &facts) { return facts.kinds & (bitOf(kinds) | ...); }

} // namespace ptxray
