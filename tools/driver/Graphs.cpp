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

PTXRAY_API cuGraphDestroyNode(void *handle) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle);
  if (!node)
    return InvalidValue;
  if (node->kind == AllocNode || node->kind == FreeNode)
    return NotSupported;
  if (node->child)
    destroyGraph(node->child);
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
  std::map<const Node *, size_t> numbers;
  out << "digraph graph_1 {\n";
  for (const auto &node : graph->nodes) {
    const size_t number = numbers.emplace(node.get(), numbers.size()).first->second;
    const auto *kernel = std::get_if<KernelWork>(&node->work);
    out << "  node" << number << " [label=\"" << (kernel ? kernel->function->entry.name : std::to_string(node->kind))
        << "\"];\n";
  }
  for (const auto &node : graph->nodes)
    for (const Node *before : node->after)
      out << "  node" << numbers[before] << " -> node" << numbers[node.get()] << ";\n";
  out << "}\n";
  return Success;
}

// ---- graphs that can be launched

/// All work of a graph, that of its child graphs in their place, and what they refer to; nothing: there is a cycle.
static std::optional<std::vector<GraphExec::Step>> stepsOf(const Graph &graph, References &references) {
  std::vector<GraphExec::Step> steps;
  std::vector<Node *> left; // the next one last
  const auto put = [&](const Graph &one) {
    auto order = ordered(one);
    references.insert(references.end(), one.references.begin(), one.references.end());
    if (order)
      left.insert(left.end(), order->rbegin(), order->rend());
    return order.has_value();
  };
  if (!put(graph))
    return std::nullopt;
  while (!left.empty()) {
    const Node *node = left.back();
    left.pop_back();
    steps.push_back({node, node->kind, node->work});
    if (node->child && !put(*node->child))
      return std::nullopt;
  }
  return steps;
}

static Result instantiate(void **made, void *handle, unsigned long long flags) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  References references;
  auto steps = graph ? stepsOf(*graph, references) : std::nullopt;
  if (!made || !steps || flags > 15)
    return InvalidValue;
  *made = new GraphExec{flags, std::move(*steps), std::move(references)};
  state().execs.insert(*made);
  return Success;
}
PTXRAY_API cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
PTXRAY_API cuGraphInstantiate_v2(void **exec, void *graph, void **errorNode, char *log, size_t size) {
  if (errorNode)
    *errorNode = nullptr;
  if (log && size)
    *log = 0;
  return instantiate(exec, graph, 0);
}
struct InstantiateParameters {
  uint64_t flags;
  void *uploadStream, *errorNode;
  int result;
};
PTXRAY_API cuGraphInstantiateWithParams(void **exec, void *graph, InstantiateParameters *given) {
  if (!given)
    return InvalidValue;
  const Result result = instantiate(exec, graph, given->flags);
  given->errorNode = nullptr;
  given->result = result == Success ? 0 : 1; // 1: an error that the result of the call names
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
static Result startStep(const GraphExec::Step &step, void *stream) {
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
  for (const GraphExec::Step &step : static_cast<GraphExec *>(exec)->steps)
    if (step.isEnabled && !std::holds_alternative<EmptyWork>(step.work))
      if (const Result bad = startStep(step, handle))
        return bad;
  return Success;
}

struct UpdateResult {
  int result;
  void *errorNode, *errorFrom;
};
PTXRAY_API cuGraphExecUpdate_v2(void *exec, void *handle, UpdateResult *to) {
  PTXRAY_BEGIN;
  const Graph *graph = graphOf(handle);
  References references;
  auto steps = graph ? stepsOf(*graph, references) : std::nullopt;
  if (!to || !steps || !state().execs.contains(exec))
    return InvalidValue;
  *to = {0, nullptr, nullptr};
  auto &old = static_cast<GraphExec *>(exec)->steps;
  constexpr int topologyChanged = 2, typeChanged = 3;
  if (old.size() != steps->size()) {
    to->result = topologyChanged;
    return GraphUpdateFailure;
  }
  for (size_t i = 0; i < old.size(); ++i)
    if (old[i].kind != (*steps)[i].kind) {
      to->result = typeChanged;
      to->errorNode = const_cast<Node *>((*steps)[i].node);
      return GraphUpdateFailure;
    }
  for (size_t i = 0; i < old.size(); ++i)
    old[i].work = std::move((*steps)[i].work); // the client goes on to name the nodes of the first graph
  static_cast<GraphExec *>(exec)->references.swap(references);
  return Success;
}
PTXRAY_API cuGraphExecChildGraphNodeSetParams(void *exec, void *handle, void *child) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle);
  const Graph *graph = graphOf(child);
  References references;
  auto steps = graph ? stepsOf(*graph, references) : std::nullopt;
  if (!node || !node->child || !steps || !state().execs.contains(exec))
    return InvalidValue;
  auto &old = static_cast<GraphExec *>(exec)->steps;
  const auto at = llvm::find_if(old, [&](const GraphExec::Step &step) { return step.node == node; });
  if (static_cast<size_t>(old.end() - at) <= steps->size())
    return InvalidValue;
  for (size_t i = 0; i < steps->size(); ++i)
    if (at[i + 1].kind != (*steps)[i].kind)
      return InvalidValue;
  for (size_t i = 0; i < steps->size(); ++i)
    at[i + 1].work = std::move((*steps)[i].work);
  auto &all = static_cast<GraphExec *>(exec)->references;
  all.insert(all.end(), references.begin(), references.end());
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
