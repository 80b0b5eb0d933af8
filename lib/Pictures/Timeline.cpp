#include "Pictures/Timeline.h"
#include "Pictures/TimelineBarriers.h"
#include "Pictures/TimelineSections.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

using isa::FactKind;

llvm::StringRef kindName(EventKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "operation", "commit",  "wait",  "init",     "invalidate", "expect", "arrive", "complete",
      "await",     "barrier", "fence", "allocate", "relinquish", "free",   "call",   "hazard"};
  return names[static_cast<size_t>(kind)];
}

namespace {

class TimelineMaker {
public:
  TimelineMaker(HazardContext &context, const SourceBuffer &source)
      : context(context), body(context.body), source(source), graph(context.analyses.graph()), texts(context, source),
        conditions(body, context.analyses, context.places), barriers(context, texts),
        sections(context, texts, conditions), flight(body, context.analyses, context.places, context.events) {}
  Timeline make();

private:
  static constexpr size_t mostEvents = 10000;

  void add(uint32_t number, Meaning meaning);
  void follow();
  void foldRings();
  void addHazards();

  HazardContext &context;
  const Body &body;
  const SourceBuffer &source;
  const Graph &graph;
  EventTexts texts;
  Conditions conditions;
  TimelineBarriers barriers;
  TimelineSections sections;
  const InFlight flight;
  Timeline made;
  llvm::DenseMap<uint32_t, uint32_t> eventOf; // keyed by instruction
};

} // namespace

void TimelineMaker::add(uint32_t number, Meaning meaning) {
  TimelineEvent event;
  event.kind = meaning.kind;
  event.line = texts.line(number);
  event.section = sections.of(graph.blockOf(number));
  event.name = texts.mnemonic(number).str();
  event.text = texts.of(number, meaning);
  if (body.guard(number) != LocalId::None)
    event.condition = conditions.text(body.guard(number), !body.instruction(number).guardNot);
  if (meaning.action && meaning.kind != EventKind::Wait && meaning.kind != EventKind::Commit &&
      meaning.kind != EventKind::Allocate && meaning.kind != EventKind::Free)
    for (const Action &action : body.facts(number).actions) {
      const bool isSame = action.kind == meaning.action->kind;
      event.arrives |= !isSame && action.kind == FactKind::Arrives && action.node >= 0;
      const int barrier = isSame ? barriers.of(number, action) : -1;
      if (barrier < 0)
        continue;
      event.barrier = barrier;
      barriers.use(barrier, number, meaning.kind, action);
    }
  eventOf[number] = static_cast<uint32_t>(made.events.size());
  made.events.push_back(std::move(event));
}

/// Records how each instruction changes the pending operations.
void TimelineMaker::follow() {
  const Solution solution(context.analyses, flight);
  made.isComplete = solution.isComplete();
  solution.replay([&](uint32_t number, const InFlight::State &before) {
    const auto place = eventOf.find(number);
    if (place == eventOf.end())
      return;
    TimelineEvent &event = made.events[place->second];
    InFlight::State after = before;
    flight.step(after, number);
    uint16_t waited = 0;
    for (const Action &action : body.facts(number).actions)
      waited |= action.kind == FactKind::Waits ? action.groups : 0;
    for (const auto &[i, operation] : llvm::enumerate(flight.operations())) {
      if (operation.number == number || !flight.isPending(before, i))
        continue;
      const uint8_t was = flight.level(before, i), is = flight.level(after, i);
      if (!flight.isPending(after, i))
        event.ends.push_back(texts.line(operation.number));
      else if (operation.groups & waited)
        event.keeps.push_back(texts.line(operation.number));
      else if ((event.kind == EventKind::Commit && was == InFlight::Uncommitted && is != was) ||
               (event.kind == EventKind::Arrive && is == InFlight::Counted && is != was))
        event.takes.push_back(texts.line(operation.number));
    }
  });
}

void TimelineMaker::foldRings() {
  TimelineBarriers::Folded folded = barriers.fold();
  made.barriers = std::move(folded.barriers);
  for (TimelineEvent &event : made.events)
    if (event.barrier >= 0)
      event.barrier = folded.numbers[static_cast<size_t>(event.barrier)];
}

void TimelineMaker::addHazards() {
  for (const Diagnostic &diagnostic : context.sink.diagnostics()) {
    TimelineEvent event;
    event.kind = EventKind::Hazard;
    event.line = source.lineColumn(diagnostic.range.begin).line;
    event.name = diagnostic.ruleText();
    event.text = diagnostic.message();
    for (const Note &note : diagnostic.notes)
      if (note.range)
        event.text += "; line " + std::to_string(source.lineColumn(note.range->begin).line) + ": " +
                      std::string(llvm::StringRef(note.message));
    uint32_t low = 0, high = body.size();
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      (body.instruction(middle).range.begin <= diagnostic.range.begin ? low : high) = middle;
    }
    if (graph.isReached(graph.blockOf(low)))
      event.section = sections.of(graph.blockOf(low));
    made.events.push_back(std::move(event));
  }
  llvm::stable_sort(made.events, [](const TimelineEvent &a, const TimelineEvent &b) { return a.line < b.line; });
}

Timeline TimelineMaker::make() {
  made.function = body.ast->text(body.function->name).str();
  made.isEntry = body.function->kind == FunctionKind::Entry;
  made.firstLine = texts.line(0);
  made.lastLine = texts.line(body.size() - 1);
  for (const uint32_t number : context.events) {
    const std::optional<Meaning> meaning = meaningOf(body, number);
    if (meaning && graph.isReached(graph.blockOf(number)) && made.events.size() < mostEvents)
      add(number, *meaning);
  }
  follow();
  foldRings();
  addHazards();
  made.sections = sections.take();
  return std::move(made);
}

std::optional<Timeline> timelineOf(const Body &body, Analyses &analyses, const SourceBuffer &source) {
  DiagnosticSink sink;
  std::optional<HazardContext> context = hazardContext(body, sink, analyses, source);
  if (!context)
    return std::nullopt;
  checkHazards(*context);
  return TimelineMaker(*context, source).make();
}

} // namespace ptxray
