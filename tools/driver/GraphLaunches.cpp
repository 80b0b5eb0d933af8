// Executable graphs: they put their work into a possible order, and launch it.
#include "Graph.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"

using namespace ptxray::driver;

/// The results of making a graph executable.
enum InstantiateResult : int { Made = 0, Failed = 1, InvalidStructure = 2, UnsupportedNode = 3, UnusedCondition = 5 };

namespace {

/// Collects all work of a graph, with the work of its child graphs in their place, and the objects that it refers to.
class Flattening {
public:
  explicit Flattening(const Graph &graph) {
    put(graph, nullptr);
    while (!left.empty() && result == Made)
      step();
    for (const auto &condition : conditions)
      if (!condition->hasNode)
        result = std::max(result, UnusedCondition);
  }

  InstantiateResult result = Made;
  const Node *problem = nullptr;
  std::vector<Step> steps;
  References references;
  std::vector<std::shared_ptr<Condition>> conditions;

private:
  /// A node, or the end of a graph of a conditional node, whose step is known.
  struct Item {
    const Node *node;
    bool isConditional; // some node around it is conditional
    size_t condition = 0;
    bool isEnd = false, isLast = false;
  };

  void put(const Graph &graph, const Item *around) {
    const auto order = ordered(graph);
    if (!order) {
      result = InvalidStructure;
      return;
    }
    references.insert(references.end(), graph.references.begin(), graph.references.end());
    conditions.insert(conditions.end(), graph.conditions.begin(), graph.conditions.end());
    for (auto node = order->rbegin(); node != order->rend(); ++node)
      left.push_back({*node, around && (around->isConditional || around->node->kind == ConditionNode)});
  }

  void step() {
    const Item item = left.back();
    left.pop_back();
    if (item.isEnd)
      return endGraph(item);
    const Node &node = *item.node;
    static constexpr NodeKind allowed[] = {KernelNode, CopyNode, FillNode, ChildNode, EmptyNode, ConditionNode};
    if (item.isConditional && !llvm::is_contained(allowed, node.kind)) {
      result = UnsupportedNode;
      problem = &node;
      return;
    }
    const size_t at = steps.size();
    steps.push_back({&node, node.kind, node.work});
    for (size_t i = node.graphs.size(); i-- > 0;) {
      if (node.kind == ConditionNode)
        left.push_back({&node, true, at, /*isEnd=*/true, i + 1 == node.graphs.size()});
      put(*node.graphs[i], &item);
    }
    if (node.kind == ConditionNode)
      steps[at].graphs.push_back(at + 1);
  }

  void endGraph(const Item &item) {
    const bool isLoop = std::get<ConditionWork>(item.node->work).kind == ConditionWork::While;
    steps.push_back({nullptr, EndOfGraph, EmptyWork(), true, {}, item.condition});
    Step &condition = steps[item.condition];
    if (!item.isLast) {
      condition.graphs.push_back(steps.size());
      return;
    }
    condition.next = steps.size();
    for (const size_t begin : llvm::drop_begin(condition.graphs))
      steps[begin - 1].next = condition.next;
    if (!isLoop)
      steps.back().next = condition.next;
  }

  std::vector<Item> left; // the next item is the last element
};

} // namespace

/// Returns the number of the first step of the graph that a condition selects now, or of the step after all graphs.
static size_t chosen(const Step &step) {
  const auto &work = std::get<ConditionWork>(step.work);
  const size_t value = work.condition->value;
  const size_t graph = work.kind == ConditionWork::Switch ? value : value ? 0 : work.kind == ConditionWork::If ? 1 : 2;
  return graph < step.graphs.size() ? step.graphs[graph] : step.next;
}

Result ptxray::driver::performBranch(const BranchWork &branch, Context &context) {
  const std::vector<Step> &steps = branch.steps->all;
  for (size_t at = 0; at < steps.size();) {
    const Step &step = steps[at];
    if (step.kind == ConditionNode) {
      at = chosen(step);
    } else if (step.kind == EndOfGraph) {
      at = step.next;
    } else {
      if (const Result bad = step.isEnabled ? perform(step.work, context) : Success)
        return bad;
      ++at;
    }
  }
  return Success;
}

/// Returns a conditional node and its graphs as one piece of work.
static BranchWork branchAt(const std::vector<Step> &steps, size_t begin) {
  auto made = std::make_shared<Steps>();
  made->all.assign(steps.begin() + static_cast<ptrdiff_t>(begin),
                   steps.begin() + static_cast<ptrdiff_t>(steps[begin].next));
  for (Step &step : made->all) {
    for (size_t &graph : step.graphs)
      graph -= begin;
    step.next -= step.next ? begin : 0;
  }
  return {std::move(made)};
}

static Result instantiate(void **made, void *handle, unsigned long long flags, InstantiateResult &result,
                          const Node **problem = nullptr) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  result = Failed;
  constexpr unsigned long long freesOnLaunch = 1, launchesOnDevice = 4;
  const bool isOnDevice = flags & launchesOnDevice;
  if (!made || !graph || flags > 15 || (isOnDevice && (flags & freesOnLaunch)))
    return InvalidValue;
  if (graph->parent && graph->parent->kind == ConditionNode)
    return NotSupported;
  Flattening all(*graph);
  result = all.result;
  if (problem)
    *problem = all.problem;
  if (result != Made)
    return InvalidValue;
  *made = new GraphExec{flags, std::move(all.steps), std::move(all.references), std::move(all.conditions),
                        ++state().lastGraph};
  state().execs.insert(*made);
  return Success;
}
PTXRAY_API cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
  InstantiateResult result;
  return instantiate(exec, graph, flags, result);
}
PTXRAY_API cuGraphInstantiate_v2(void **exec, void *graph, void **errorNode, char *log, size_t size) {
  const Node *problem = nullptr;
  InstantiateResult made;
  const Result result = instantiate(exec, graph, 0, made, &problem);
  if (errorNode)
    *errorNode = const_cast<Node *>(problem);
  if (log && size)
    *log = 0;
  return result;
}
PTXRAY_API cuGraphInstantiateWithParams(void **exec, void *graph, InstantiateParameters *given) {
  if (!given)
    return InvalidValue;
  const Node *problem = nullptr;
  InstantiateResult made = Failed;
  const Result result = instantiate(exec, graph, given->flags, made, &problem);
  given->errorNode = const_cast<Node *>(problem);
  given->result = made;
  return result;
}

PTXRAY_API cuGraphExecDestroy(void *exec) {
  PTXRAY_BEGIN;
  const std::unique_ptr<GraphExec> ended(state().execs.erase(exec) ? static_cast<GraphExec *>(exec) : nullptr);
  if (!ended)
    return InvalidValue;
  finishPending(); // pending launches use what ends with it
  return Success;
}
PTXRAY_API cuGraphExecGetFlags(void *exec, uint64_t *flags) {
  PTXRAY_BEGIN;
  if (!flags || !state().execs.contains(exec))
    return InvalidValue;
  *flags = static_cast<GraphExec *>(exec)->flags;
  return Success;
}
PTXRAY_API cuGraphUpload(void *exec, void *stream) {
  PTXRAY_BEGIN;
  return !streamOf(stream) ? InvalidHandle : state().execs.contains(exec) ? Success : InvalidValue;
}

/// Starts one step. An event is recorded again, and a wait refers to the last record of its event.
static Result startStep(const Step &step, void *stream) {
  Work work = step.work;
  if (auto *record = std::get_if<RecordWork>(&work)) {
    if (!state().events.contains(record->event))
      return InvalidValue;
    auto *event = static_cast<Event *>(record->event);
    record->moment = event->moment = std::make_shared<Moment>();
    event->capture = nullptr;
  } else if (auto *wait = std::get_if<WaitWork>(&work)) {
    if (!state().events.contains(wait->event))
      return InvalidValue;
    wait->moment = static_cast<Event *>(wait->event)->moment;
    if (!wait->moment || wait->moment->isDone)
      return Success;
  }
  return start(stream, std::move(work));
}

PTXRAY_API cuGraphLaunch(void *exec, void *handle) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream || !state().execs.contains(exec))
    return stream ? InvalidValue : InvalidHandle;
  const auto &launched = *static_cast<GraphExec *>(exec);
  if (stream->capture && !launched.conditions.empty()) // since it cannot be a child graph
    return NotSupported;
  for (const auto &condition : launched.conditions)
    if (condition->isAssigned)
      if (const Result bad = start(handle, FillWork{condition->handle, 0, condition->first, 4, 1, 1}))
        return bad;
  for (size_t at = 0; at < launched.steps.size();) {
    const Step &step = launched.steps[at];
    const bool isBranch = step.kind == ConditionNode;
    if (isBranch || (step.isEnabled && !std::holds_alternative<EmptyWork>(step.work)))
      if (const Result bad = isBranch ? start(handle, branchAt(launched.steps, at)) : startStep(step, handle))
        return bad;
    at = isBranch ? step.next : at + 1;
  }
  return Success;
}

/// Returns the type of a step, which no update may change.
static auto typeOf(const Step &step) {
  const auto *condition = std::get_if<ConditionWork>(&step.work);
  return std::tuple(step.kind, condition ? condition->kind : ConditionWork::If, step.graphs);
}

PTXRAY_API cuGraphExecUpdate_v2(void *exec, void *handle, UpdateResult *to) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  if (!to || !graph || !state().execs.contains(exec))
    return InvalidValue;
  Flattening all(*graph);
  if (all.result != Made)
    return InvalidValue;
  *to = {0, nullptr, nullptr};
  auto &old = static_cast<GraphExec *>(exec)->steps;
  constexpr int topologyChanged = 2, typeChanged = 3;
  if (old.size() != all.steps.size()) {
    to->result = topologyChanged;
    return GraphUpdateFailure;
  }
  for (size_t i = 0; i < old.size(); ++i)
    if (typeOf(old[i]) != typeOf(all.steps[i])) {
      to->result = typeChanged;
      to->errorNode = const_cast<Node *>(all.steps[i].node);
      return GraphUpdateFailure;
    }
  for (size_t i = 0; i < old.size(); ++i)
    old[i].work = std::move(all.steps[i].work); // the client still names the nodes of the first graph
  static_cast<GraphExec *>(exec)->references.swap(all.references);
  static_cast<GraphExec *>(exec)->conditions.swap(all.conditions);
  return Success;
}
PTXRAY_API cuGraphExecUpdate(void *exec, void *graph, void **errorNode, int *result) {
  UpdateResult to = {};
  const Result status = cuGraphExecUpdate_v2(exec, graph, &to);
  if (errorNode)
    *errorNode = to.errorNode;
  if (result)
    *result = to.result;
  return status;
}
PTXRAY_API cuGraphExecChildGraphNodeSetParams(void *exec, void *handle, void *child) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  const Graph *graph = graphOf(child);
  if (!node || node->kind != ChildNode || !graph || !state().execs.contains(exec))
    return InvalidValue;
  Flattening all(*graph);
  auto &old = static_cast<GraphExec *>(exec)->steps;
  const auto at = llvm::find_if(old, [&](const Step &step) { return step.node == node; });
  if (all.result != Made || static_cast<size_t>(old.end() - at) <= all.steps.size())
    return InvalidValue;
  for (size_t i = 0; i < all.steps.size(); ++i)
    if (typeOf(at[i + 1]) != typeOf(all.steps[i]))
      return InvalidValue;
  for (size_t i = 0; i < all.steps.size(); ++i)
    at[i + 1].work = std::move(all.steps[i].work);
  auto &references = static_cast<GraphExec *>(exec)->references;
  references.insert(references.end(), all.references.begin(), all.references.end());
  return Success;
}
