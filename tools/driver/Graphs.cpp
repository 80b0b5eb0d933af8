// Graphs: their nodes and edges, and their launches.
#include "Graph.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace ptxray::driver;

PTXRAY_API cuGraphCreate(void **graph, unsigned flags) {
  PTXRAY_BEGIN;
  if (!graph || flags)
    return InvalidValue;
  *graph = newGraph();
  return Success;
}

PTXRAY_API cuGraphDestroy(void *handle) {
  PTXRAY_BEGIN;
  Graph *graph = graphOf(handle);
  if (!graph || graph->parent)
    return InvalidValue;
  destroyGraph(graph);
  return Success;
}

PTXRAY_API cuGraphClone(void **made, void *graph) {
  PTXRAY_BEGIN;
  const Graph *found = graphOf(graph);
  if (!made || !found)
    return InvalidValue;
  if (hasConditions(*found))
    return NotSupported;
  *made = clone(*found);
  return Success;
}

PTXRAY_API cuGraphNodeFindInClone(void **node, void *original, void *cloned) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(cloned);
  if (!node || !nodeOf(original) || !graph)
    return InvalidValue;
  const auto found = llvm::find_if(graph->nodes, [&](const auto &one) { return one->clonedFrom == original; });
  if (found == graph->nodes.end())
    return InvalidValue;
  *node = found->get();
  return Success;
}

/// Is true when a node of it allocates or frees memory: nothing can be taken away from such a graph.
static bool hasMemoryNodes(const Graph &graph) {
  return llvm::any_of(graph.nodes, [](const auto &one) { return one->kind == AllocNode || one->kind == FreeNode; });
}

PTXRAY_API cuGraphDestroyNode(void *handle) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle);
  if (!node)
    return InvalidValue;
  if (hasMemoryNodes(*node->graph))
    return NotSupported;
  for (Graph *inner : node->graphs)
    destroyGraph(inner);
  auto &nodes = node->graph->nodes;
  for (const auto &other : nodes)
    llvm::erase(other->after, node);
  state().nodes.erase(node);
  llvm::erase_if(nodes, [&](const auto &one) { return one.get() == node; });
  return Success;
}

PTXRAY_API cuGraphNodeGetType(void *handle, int *kind) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  if (!node || !kind)
    return InvalidValue;
  *kind = node->kind;
  return Success;
}

// ---- numbers of graphs and nodes

static Result numberOf(unsigned *to, const unsigned *number) {
  return to && number ? *to = *number, Success : InvalidValue;
}
PTXRAY_API cuGraphGetId(void *handle, unsigned *to) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  return numberOf(to, graph ? &graph->number : nullptr);
}
PTXRAY_API cuGraphExecGetId(void *exec, unsigned *to) {
  PTXRAY_BEGIN;
  return numberOf(to, state().execs.contains(exec) ? &static_cast<GraphExec *>(exec)->number : nullptr);
}
PTXRAY_API cuGraphNodeGetLocalId(void *handle, unsigned *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  return numberOf(to, node ? &node->number : nullptr);
}
PTXRAY_API cuGraphNodeGetToolsId(void *handle, unsigned long long *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  if (!to || !node)
    return InvalidValue;
  *to = uint64_t(node->graph->number) << 32 | node->number;
  return Success;
}
PTXRAY_API cuGraphNodeGetContainingGraph(void *handle, void **graph) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  if (!graph || !node)
    return InvalidValue;
  *graph = node->graph;
  return Success;
}

// ---- lists. A client asks without a place for the number, and again with one; more than there are become null

static Result give(const std::vector<Node *> &nodes, void **to, size_t *count) {
  if (!count)
    return InvalidValue;
  if (!to) {
    *count = nodes.size();
    return Success;
  }
  for (size_t i = 0; i < *count; ++i)
    to[i] = i < nodes.size() ? nodes[i] : nullptr;
  *count = std::min(*count, nodes.size());
  return Success;
}

PTXRAY_API cuGraphGetNodes(void *handle, void **nodes, size_t *count) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  if (!graph)
    return InvalidValue;
  std::vector<Node *> all;
  for (const auto &node : graph->nodes)
    all.push_back(node.get());
  return give(all, nodes, count);
}

PTXRAY_API cuGraphGetRootNodes(void *handle, void **nodes, size_t *count) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  if (!graph)
    return InvalidValue;
  std::vector<Node *> roots;
  for (const auto &node : graph->nodes)
    if (node->after.empty())
      roots.push_back(node.get());
  return give(roots, nodes, count);
}

struct EdgeData {
  unsigned char bytes[8];
};
static void clearEdges(EdgeData *data, const size_t *count) {
  if (data && count)
    std::memset(data, 0, *count * sizeof *data);
}

PTXRAY_API cuGraphGetEdges_v2(void *handle, void **from, void **to, EdgeData *data, size_t *count) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  if (!graph || !count || !from != !to)
    return InvalidValue;
  std::vector<Node *> begins, ends;
  for (const auto &node : graph->nodes)
    for (Node *before : node->after) {
      begins.push_back(before);
      ends.push_back(node.get());
    }
  size_t same = *count;
  const Result result = give(begins, from, &same);
  if (to)
    give(ends, to, count);
  *count = same;
  clearEdges(data, count);
  return result;
}
PTXRAY_API cuGraphGetEdges(void *graph, void **from, void **to, size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

PTXRAY_API cuGraphNodeGetDependencies_v2(void *handle, void **nodes, EdgeData *data, size_t *count) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  if (!node)
    return InvalidValue;
  const Result result = give(node->after, nodes, count);
  if (nodes)
    clearEdges(data, count);
  return result;
}
PTXRAY_API cuGraphNodeGetDependencies(void *node, void **nodes, size_t *count) {
  return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}
PTXRAY_API cuGraphNodeGetDependentNodes_v2(void *handle, void **nodes, EdgeData *data, size_t *count) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle);
  if (!node)
    return InvalidValue;
  std::vector<Node *> later;
  for (const auto &other : node->graph->nodes)
    if (llvm::is_contained(other->after, node))
      later.push_back(other.get());
  const Result result = give(later, nodes, count);
  if (nodes)
    clearEdges(data, count);
  return result;
}
PTXRAY_API cuGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}

/// Adds edges or takes them away; none, if one of them cannot be.
static Result changeEdges(void *handle, void *const *from, void *const *to, size_t count, bool adds) {
  PTXRAY_BEGIN;
  Graph *graph = graphOf(handle);
  if (!graph || (count && (!from || !to)))
    return InvalidValue;
  for (size_t i = 0; i < count; ++i) {
    Node *begin = nodeOf(from[i]), *end = nodeOf(to[i]);
    if (!begin || !end || begin == end || begin->graph != graph || end->graph != graph ||
        llvm::is_contained(end->after, begin) == adds)
      return InvalidValue;
  }
  if (!adds && count && hasMemoryNodes(*graph))
    return NotSupported;
  for (size_t i = 0; i < count; ++i) {
    auto &after = nodeOf(to[i])->after;
    adds ? after.push_back(nodeOf(from[i])) : (void)llvm::erase(after, nodeOf(from[i]));
  }
  return Success;
}
PTXRAY_API cuGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count) {
  return changeEdges(graph, from, to, count, true);
}
PTXRAY_API cuGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const EdgeData *, size_t count) {
  return changeEdges(graph, from, to, count, true);
}
PTXRAY_API cuGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t count) {
  return changeEdges(graph, from, to, count, false);
}
PTXRAY_API cuGraphRemoveDependencies_v2(void *graph, void *const *from, void *const *to, const EdgeData *,
                                        size_t count) {
  return changeEdges(graph, from, to, count, false);
}

PTXRAY_API cuGraphDebugDotPrint(void *handle, const char *path, unsigned) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  std::error_code problem;
  if (!graph || !path)
    return InvalidValue;
  llvm::raw_fd_ostream out(path, problem);
  if (problem)
    return OperatingSystem;
  out << "digraph graph_" << graph->number << " {\n";
  const auto nameOf = [&](const Node &node) {
    return "graph_" + std::to_string(graph->number) + "_node_" + std::to_string(node.number);
  };
  for (const auto &node : graph->nodes) {
    const auto *kernel = std::get_if<KernelWork>(&node->work);
    out << "  " << nameOf(*node) << " [label=\"" << (kernel ? kernel->function->entry.name : std::to_string(node->kind))
        << "\"];\n";
  }
  for (const auto &node : graph->nodes)
    for (const Node *before : node->after)
      out << "  " << nameOf(*before) << " -> " << nameOf(*node) << ";\n";
  out << "}\n";
  return Success;
}

// ---- graphs that can be launched

/// The results of making a graph one that can be launched.
enum InstantiateResult : int { Made = 0, Failed = 1, InvalidStructure = 2, UnsupportedNode = 3, UnusedCondition = 5 };

namespace {

/// All work of a graph, that of its child graphs in their place, and what they refer to.
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
  /// A node, or the end of a graph of a node with a condition, whose step is known.
  struct Item {
    const Node *node;
    bool isConditional; // some node around it has a condition
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

  std::vector<Item> left; // the next one last
};

} // namespace

/// The graph that is launched by a condition now, by the number of its first step; the step after all: none is.
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

/// A node with a condition and its graphs as work by itself.
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
  if (!made || !graph || flags > 15)
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
struct InstantiateParameters {
  uint64_t flags;
  void *uploadStream, *errorNode;
  int result;
};
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
  finishPending(); // its launches use what ends with it
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

/// Starts one step: an event is recorded anew, and what it waits for is the last record.
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
  if (stream->capture && !launched.conditions.empty()) // as it cannot be a child
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

struct UpdateResult {
  int result;
  void *errorNode, *errorFrom;
};
/// The type of a step, which no update may change.
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
    old[i].work = std::move(all.steps[i].work); // the client goes on to name the nodes of the first graph
  static_cast<GraphExec *>(exec)->references.swap(all.references);
  static_cast<GraphExec *>(exec)->conditions.swap(all.conditions);
  return Success;
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

// ---- objects of the client that live as long as what refers to them

ptxray::driver::UserObject::~UserObject() {
  const Unlocked unlocked;
  destroy(data);
}

/// Takes references away that someone has to an object, and gives them to someone else if there is one.
static Result move(References &from, void *object, unsigned count, References *to) {
  References left, moved;
  for (auto &one : from)
    (one.get() == object && moved.size() < count ? moved : left).push_back(one);
  if (moved.size() < count)
    return InvalidValue;
  from = std::move(left);
  if (to)
    to->insert(to->end(), moved.begin(), moved.end());
  return Success;
}
/// The references of the client to an object; null: it has none.
static References *ofClient(void *object) {
  const auto found = state().userObjects.find(object);
  return found == state().userObjects.end() ? nullptr : &found->second;
}
static Result releaseOfClient(void *object, unsigned count, References *to) {
  References *own = ofClient(object);
  const Result bad = own && count ? move(*own, object, count, to) : InvalidValue;
  if (!bad && own->empty())
    state().userObjects.erase(object);
  return bad;
}

PTXRAY_API cuUserObjectCreate(void **object, void *data, void (*destroy)(void *), unsigned count, unsigned flags) {
  PTXRAY_BEGIN;
  if (!object || !destroy || !count || flags != 1)
    return InvalidValue;
  const std::shared_ptr<UserObject> made(new UserObject{destroy, data});
  *object = made.get();
  state().userObjects[*object].assign(count, made);
  return Success;
}
PTXRAY_API cuUserObjectRetain(void *object, unsigned count) {
  PTXRAY_BEGIN;
  References *own = ofClient(object);
  if (!own || !count)
    return InvalidValue;
  own->insert(own->end(), count, std::shared_ptr(own->front()));
  return Success;
}
PTXRAY_API cuUserObjectRelease(void *object, unsigned count) {
  PTXRAY_BEGIN;
  References last; // it lives until the client has no reference any more
  return releaseOfClient(object, count, &last);
}
PTXRAY_API cuGraphRetainUserObject(void *handle, void *object, unsigned count, unsigned flags) {
  PTXRAY_BEGIN;
  Graph *graph = graphOf(handle);
  References *own = ofClient(object);
  constexpr unsigned moves = 1;
  if (!graph || !own || !count || flags > moves)
    return InvalidValue;
  if (flags == moves)
    return releaseOfClient(object, count, &graph->references);
  graph->references.insert(graph->references.end(), count, own->front());
  return Success;
}
PTXRAY_API cuGraphReleaseUserObject(void *handle, void *object, unsigned count) {
  PTXRAY_BEGIN;
  Graph *graph = graphOf(handle);
  References last;
  return graph && count ? move(graph->references, object, count, &last) : InvalidValue;
}
