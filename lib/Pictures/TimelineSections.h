#pragma once
// The sections of a time line: loops, and code that only some threads execute because of a condition on their number.
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

  /// Returns the index of the section that contains the block, creating it if necessary; -1 for the function.
  int of(BlockId block) { return sectionOfNest(nestOf[indexOf(block)]); }
  std::vector<TimelineSection> take() { return std::move(sections); }

private:
  static constexpr unsigned mostNests = 64;

  /// A loop or role, which becomes a section if it contains an event.
  struct Nest {
    TimelineSection::Kind kind;
    int parent, section;
    unsigned depth;
    BlockId block; // the header, or the block whose branch decides
    unsigned way;  // index of the successor
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
  std::vector<int> nestOf;                                  // indexed by block
  std::map<std::tuple<int, uint32_t, unsigned>, int> known; // nests, by parent, block and successor
  // Indexed by header: last instruction of the loop; whether the loop only waits.
  llvm::DenseMap<uint32_t, std::pair<uint32_t, bool>> loopOf;
};

} // namespace ptxray
