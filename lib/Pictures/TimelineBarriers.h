#pragma once
// The mbarrier objects of a time line: identifies the object of an instruction, records its uses, and groups objects
// into rings.
#include "Pictures/EventTexts.h"
#include "llvm/ADT/SmallSet.h"
#include <map>

namespace ptxray {

class TimelineBarriers {
public:
  TimelineBarriers(HazardContext &context, EventTexts &texts) : context(context), body(context.body), texts(texts) {
    findBases();
  }

  /// Returns the index of the object that an instruction uses, or -1 if it is unknown.
  int of(uint32_t number, const Action &action);
  void use(int one, uint32_t number, EventKind kind, const Action &action);

  /// The objects with one entry for each ring.
  struct Folded {
    std::vector<TimelineBarrier> barriers;
    std::vector<int> numbers; // indexed by previous index: the new index
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
  std::vector<MemoryPlace> places;         // locations of the barriers
  std::map<std::string, uint32_t> numbers; // keyed by location
  llvm::SmallSet<LocalId, 4> bases;        // registers that point to initialised objects
};

} // namespace ptxray
