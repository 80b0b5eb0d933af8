#pragma once
// The sections of a time line: loops, and what only those threads come to of which a condition on their number holds.
#include "Pictures/Conditions.h"
#include "Pictures/EventTexts.h"
#include <map>

namespace ptxray {

class TimelineSections {
public:
  TimelineSections(HazardContext &context, EventTexts &texts, Conditions &conditions)
      : context(context), body(context.body), graph(context.analyses.graph()), texts(texts), conditions(conditions) {
    findLoops();
    findNests();
  }

  /// Its number, of one that is made now if need be; -1: the function.
  int of(BlockId block) { return sectionOfNest(nestOf[indexOf(block)]); }
  std::vector<TimelineSection> take() { return std::move(sections); }

private:
  static constexpr unsigned mostNests = 64;

  /// A nest becomes a section if some event is in it.
  struct Nest {
    TimelineSection::Kind kind;
    int parent, section;
    unsigned depth;
    BlockId block; // the header, or the one whose end decides
    unsigned way;  // to which of its successors
  };

  template <typename See> void eachLoopAround(BlockId block, See see) const;
  void findLoops();
  void findNests();
  int nest(TimelineSection::Kind kind, int parent, BlockId block, unsigned way);
  bool isStillIn(int nest, BlockId block) const;
  int sectionOfNest(int nest);
  void makeSection(Nest &one);
  std::optional<unsigned> wayTo(BlockId from, BlockId block) const;
  bool isRole(BlockId above);
  std::string conditionOf(BlockId above, unsigned way);

  HazardContext &context;
  const Body &body;
  const Graph &graph;
  EventTexts &texts;
  Conditions &conditions;
  std::vector<TimelineSection> sections;
  std::vector<Nest> nests;
  std::vector<int> nestOf;                                    // by block
  std::map<std::tuple<int, uint32_t, unsigned>, int> known;   // nests, by parent, block and way
  llvm::DenseMap<uint32_t, std::pair<uint32_t, bool>> loopOf; // by header: its last instruction; it only waits
};

} // namespace ptxray
