// Graphs: their nodes and edges, and the objects that live as long as they do.
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

/// Returns whether a node of the graph allocates or frees memory. Nothing can be removed from such a graph.
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

// ---- ids of graphs and nodes

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

// ---- lists. A client asks first for the number of nodes, with a null pointer, and then for the nodes. Surplus
// elements are set to null

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

/// Adds or removes edges. Changes none if one of them cannot be changed.
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

// ---- objects of the client that live as long as their references

ptxray::driver::UserObject::~UserObject() {
  const Unlocked unlocked;
  destroy(data);
}

/// Moves references to an object from one owner to another, or drops them if `to` is null.
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
/// Returns the references of the client to an object, or null if it has none.
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
  References last; // keeps the object until the client has no reference any more
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
