#pragma once
// Classifies the instructions of a time line, and describes them briefly.
#include "Hazards/Hazards.h"
#include "Pictures/Timeline.h"

namespace ptxray {

struct Meaning {
  EventKind kind;
  const Action *action;
};
/// Returns nothing for instructions that are not related to asynchronous operations.
std::optional<Meaning> meaningOf(const Body &body, uint32_t number);

class EventTexts {
public:
  EventTexts(HazardContext &context, const SourceBuffer &source)
      : context(context), body(context.body), source(source) {}

  uint32_t line(uint32_t number) const { return source.lineColumn(body.instruction(number).opcodeRange.begin).line; }
  llvm::StringRef mnemonic(uint32_t number) const;
  std::string operand(uint32_t number, int node) const;
  std::string amount(uint32_t number, const Action &action);
  /// Returns the description of a location; empty if it is unknown.
  std::string place(const MemoryPlace &place) const;
  std::string of(uint32_t number, Meaning meaning);

private:
  std::string name(LocalId local) const;
  std::string operation(uint32_t number);
  std::string wait(uint32_t number, const Action &action);
  std::string barrier(uint32_t number, const Action &action);
  std::string fence(uint32_t number) const;
  std::string allocation(uint32_t number, EventKind kind, const Action &action);

  HazardContext &context;
  const Body &body;
  const SourceBuffer &source;
};

} // namespace ptxray
