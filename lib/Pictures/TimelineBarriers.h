#pragma once
// The barrier objects of a time line: which one an instruction means, what is done with each, and which are the objects
// of one ring.
#include "Pictures/EventTexts.h"
#include "llvm/ADT/SmallSet.h"
#include <map>

namespace ptxray {

class TimelineBarriers {
public:
  TimelineBarriers(HazardContext &context, EventTexts &texts) : context(context), body(context.body), texts(texts) {
    findBases();
  }

  /// Its number; -1: it is not known.
  int of(uint32_t number, const Action &action);
  void use(int one, uint32_t number, EventKind kind, const Action &action);

  /// One for each ring.
  struct Folded {
    std::vector<TimelineBarrier> barriers;
    std::vector<int> numbers; // of these, by the number before
  };
  Folded fold();

private:
  void findBases();
  MemoryPlace throughRing(const MemoryPlace &place);
  int64_t offsetOf(size_t barrier) const;
  bool isNextOf(size_t ring, size_t barrier);
  void addToRing(size_t ring, size_t barrier);
  std::vector<size_t> rings();

  HazardContext &context;
  const Body &body;
  EventTexts &texts;
  std::vector<TimelineBarrier> barriers;
  std::vector<MemoryPlace> places;         // by barrier
  std::map<std::string, uint32_t> numbers; // by place
  llvm::SmallSet<LocalId, 4> bases;        // registers that barriers are initialised from
};

} // namespace ptxray
