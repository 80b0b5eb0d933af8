// control-reaches-end, unreachable-code: the end of a function without an exit, and code that execution never reaches.
#include "BodyRules/BodyRules.h"
#include "Flow/Graph.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

/// Instructions after an instruction that ends a path, up to the next such instruction, with the labels among them.
struct Segment {
  uint32_t first, end;
  llvm::ArrayRef<PlacedLabel> labels;
};

} // namespace

static llvm::SmallVector<Segment, 16> segmentsOf(const Body &body, const ModuleState &module) {
  llvm::SmallVector<Segment, 16> segments;
  llvm::ArrayRef<PlacedLabel> labels = body.labels;
  uint32_t first = 0;
  const auto close = [&](uint32_t end) {
    const auto own = labels.take_while([&](const PlacedLabel &label) { return label.before < end; });
    segments.push_back({first, end, own});
    labels = labels.drop_front(own.size());
    first = end;
  };
  for (const uint32_t number : body.notable)
    if (endsControl(body, number, module))
      close(number + 1);
  segments.push_back({first, body.size(), labels});
  return segments;
}

/// Returns the labels that an instruction or a list names.
static llvm::SmallBitVector targetsOf(const Body &body) {
  llvm::SmallBitVector targets(body.locals.size());
  for (const LocalId local : body.targets)
    targets.set(static_cast<unsigned>(local));
  for (const uint32_t number : body.notable)
    body.eachUse(number, [&](NamedUse use) {
      if (use.uses & Targets)
        targets.set(static_cast<unsigned>(use.local));
    });
  return targets;
}

static Range lastStatement(const Body &body) {
  const Range instruction = body.size() ? body.instruction(body.size() - 1).range : body.function->nameRange;
  const bool isLabel = !body.labels.empty() && body.labels.back().before == body.size();
  return isLabel ? body.ast->labels[body.labels.back().index].range : instruction;
}

/// Returns whether statements after the last one could not be read, since a `ret` may be among them.
static bool isEndUnread(const Body &body) {
  const Range end{lastStatement(body).end, body.function->range.end};
  return llvm::any_of(body.ast->unread, [end](Range lost) { return lost.begin >= end.begin && lost.begin <= end.end; });
}

void checkReachability(const Body &body, const BodyContext &context) {
  const llvm::SmallVector<Segment, 16> segments = segmentsOf(body, context.module);
  const llvm::SmallBitVector targets = segments.size() > 1 ? targetsOf(body) : llvm::SmallBitVector();
  const auto isTarget = [&](const PlacedLabel &label) { return targets.test(static_cast<unsigned>(label.local)); };
  for (const Segment &segment : llvm::drop_begin(segments)) {
    const auto leads = [&](const PlacedLabel &label) { return label.before == segment.first && isTarget(label); };
    if (segment.first < segment.end && llvm::none_of(segment.labels, leads))
      context.sink.report(DiagId::UnreachableCode, body.instruction(segment.first).range);
  }
  // Compilers let infeasible paths lead to an end that contains only labels.
  const Segment &last = segments.back();
  const bool isReached = segments.size() == 1 || (last.first < last.end && llvm::any_of(last.labels, isTarget));
  if (isReached && !context.module.neverReturns(body.function->name) && !isEndUnread(body))
    context.sink.report(DiagId::ControlReachesEnd, lastStatement(body), body.ast->text(body.function->name));
}

} // namespace ptxray
