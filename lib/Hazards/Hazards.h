#pragma once
// The rules about asynchronous operations. They report kernels in which each line is valid, but results are
// occasionally wrong. docs/hazards.md describes what each rule checks and what it does not report. Each rule is in a
// file of its subject, and `checkHazards` calls it.
#include "Flow/Analyses.h"
#include "Flow/BodyContext.h"
#include "Hazards/InFlight.h"

namespace ptxray {

class SourceBuffer;

/// A body with asynchronous operations, and the data that all rules need.
struct HazardContext {
  const Body &body;
  DiagnosticSink &sink;
  Analyses &analyses;
  const SourceBuffer &source;
  Places places;
  bool isWhole; // the kernel calls no unknown functions, so no other code uses its barriers and tensor memory
  // Asynchronous operations, and instructions that access memory used by them.
  std::vector<uint32_t> events;

  bool areOtherThreads(uint32_t a, uint32_t b) const {
    return ptxray::areOtherThreads(analyses.graph().blockOf(a), analyses.graph().blockOf(b), analyses);
  }
  /// Returns the place of an access. The place has no base if a descriptor determines it.
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
  /// Reports an instruction and another one. The message names both, and a note marks the other one.
  Diagnostic &report(IdTakingTexts<2> id, uint32_t number, uint32_t other, const char *note) {
    Diagnostic &diagnostic = sink.report(id, opcodeRange(number), opcode(number), opcode(other));
    diagnostic.notes.push_back({note, range(other)});
    return diagnostic;
  }
};

/// Collects the data for the rules. Returns nothing if the body has no asynchronous operations.
std::optional<HazardContext> hazardContext(const Body &body, DiagnosticSink &sink, Analyses &analyses,
                                           const SourceBuffer &source);
void checkHazards(HazardContext &context);
void checkHazards(const Body &body, const BodyContext &context, Analyses &analyses, const SourceBuffer &source);

/// Reports accesses to global memory before the wait for a preceding grid.
void checkGridDependency(const Body &body, const BodyContext &context, Analyses &analyses);
/// Reports accesses to shared memory of other blocks in the cluster that may not have started, or may have ended.
void checkPeers(const Body &body, const BodyContext &context, Analyses &analyses);

/// Returns whether instructions of the function access global memory explicitly.
bool accessesGlobal(const Body &body);
/// Returns whether no instruction of the function starts, orders or awaits asynchronous operations, so that a call to
/// it has no effect on them.
bool isQuiet(const Body &body);

/// The instructions of operations that were already reported.
struct ReportedOperations {
  std::vector<uint32_t> uncommitted; // operations that no wait covers, because no instruction commits them
  std::vector<uint32_t> unawaited;   // operations for whose barrier object no thread waits
};
/// Reports memory that is used before copies are complete.
ReportedOperations checkCopies(HazardContext &context);
/// Reports uses of registers by operations in flight, except operations in `reported`.
void checkHeldRegisters(HazardContext &context, llvm::ArrayRef<uint32_t> reported);
// Reports memory that is written through one proxy and read through another without a fence.
void checkProxies(HazardContext &context);
/// Reports wrong uses of barrier objects, except for copies in `reported`, which were reported because no instruction
/// waits for them.
void checkBarrierObjects(HazardContext &context, llvm::ArrayRef<uint32_t> reported);
void checkTensorMemory(HazardContext &context);
void checkLaunchControl(HazardContext &context);
// Reports reads of data that another thread produced, without synchronisation between the two threads.
void checkHandovers(HazardContext &context);

/// Returns the groups of the operations that the instruction starts.
uint16_t asyncGroups(const Facts &facts);
/// Returns whether the instruction waits for one of the groups.
bool waitsFor(const Facts &facts, uint16_t groups);
/// Returns the last wait for the operation's groups before the instruction, in source order.
std::optional<uint32_t> waitBefore(const HazardContext &context, const Operation &operation, uint32_t number);
/// Adds notes about the start of the operation, and about the wait that does not cover it. `level` is the state of the
/// operation at the instruction.
void addNotes(Diagnostic &diagnostic, const HazardContext &context, const Operation &operation, uint32_t number,
              uint8_t level);

/// Returns whether the instruction orders accesses of the first kind, before those of the second kind if that is given.
bool orders(const Facts &facts, isa::Ordered first, isa::Ordered second = isa::Ordered::Nothing);

/// Returns whether one of the facts holds. This is called for every instruction, so the compiler computes the combined
/// mask.
template <FactKind... kinds> bool hasAny(const Facts &facts) { return facts.kinds & (bitOf(kinds) | ...); }

} // namespace ptxray
