// Makes the nodes of graphs, and sets their parameters.
#include "Graph.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"

using namespace ptxray::driver;

/// Returns the nodes of a client's list, or nothing if one is not of this graph or occurs twice.
static std::optional<std::vector<Node *>> listed(void *const *nodes, size_t count, const Graph &graph) {
  std::vector<Node *> found;
  if (count && !nodes)
    return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    Node *node = nodeOf(nodes[i]);
    if (!node || node->graph != &graph || llvm::is_contained(found, node))
      return std::nullopt;
    found.push_back(node);
  }
  return found;
}

static Result add(void **made, void *graph, void *const *after, size_t count, NodeKind kind, Work work) {
  Graph *found = graphOf(graph);
  auto before = found ? listed(after, count, *found) : std::nullopt;
  if (!made || !before)
    return InvalidValue;
  *made = &addNode(*found, kind, std::move(work), std::move(*before));
  return Success;
}

// ---- the work that parameters describe; the result is Success, or the reason why they describe none

static Result workOf(const KernelNodeParameters *given, Work &work) {
  if (!given)
    return InvalidValue;
  KernelWork kernel;
  const LaunchConfig config = {given->gridX,  given->gridY,       given->gridZ, given->blockX, given->blockY,
                               given->blockZ, given->sharedBytes, nullptr,      nullptr,       0};
  if (const Result bad = kernelWork(kernel, given->function, config, given->parameters, given->extra))
    return bad == InvalidHandle ? InvalidValue : bad;
  work = std::move(kernel);
  return Success;
}
static Result workOf(const Copy3D *given, Work &work) {
  if (!given)
    return InvalidValue;
  work = CopyWork{*given};
  return problemOf(std::get<CopyWork>(work));
}
static Result workOf(const FillNodeParameters *given, Work &work) {
  if (!given || (given->bytes != 1 && given->bytes != 2 && given->bytes != 4))
    return InvalidValue;
  work = FillWork{given->to, given->pitch, given->value, given->bytes, given->width, given->height};
  return problemOf(std::get<FillWork>(work));
}
static Result workOf(const HostNodeParameters *given, Work &work) {
  if (!given || !given->function)
    return InvalidValue;
  work = HostWork{given->function, given->data};
  return Success;
}
static Result recordOf(void *event, Work &work) {
  work = RecordWork{nullptr, event};
  return state().events.contains(event) ? Success : InvalidValue;
}
static Result waitOf(void *event, Work &work) {
  work = WaitWork{nullptr, event};
  return state().events.contains(event) ? Success : InvalidValue;
}

/// Converts the first version of the structure, which has no kernel and no context.
static KernelNodeParameters fromFirst(const KernelNodeParameters *given) {
  KernelNodeParameters all = {};
  all.function = given->function;
  all.gridX = given->gridX, all.gridY = given->gridY, all.gridZ = given->gridZ;
  all.blockX = given->blockX, all.blockY = given->blockY, all.blockZ = given->blockZ;
  all.sharedBytes = given->sharedBytes, all.parameters = given->parameters, all.extra = given->extra;
  return all;
}
static KernelNodeParameters fromSecond(const KernelNodeParameters *given) {
  KernelNodeParameters all = fromFirst(given);
  all.function = given->function ? given->function : given->kernel;
  return all;
}

template <typename Parameters>
static Result addOf(void **made, void *graph, void *const *after, size_t count, NodeKind kind,
                    const Parameters *given) {
  PTXRAY_BEGIN;
  Work work;
  if (const Result bad = workOf(given, work))
    return bad;
  return add(made, graph, after, count, kind, std::move(work));
}

PTXRAY_API cuGraphAddKernelNode(void **made, void *graph, void *const *after, size_t count,
                                const KernelNodeParameters *given) {
  if (!given)
    return InvalidValue;
  const KernelNodeParameters all = fromFirst(given);
  return addOf(made, graph, after, count, KernelNode, &all);
}
PTXRAY_API cuGraphAddKernelNode_v2(void **made, void *graph, void *const *after, size_t count,
                                   const KernelNodeParameters *given) {
  if (!given)
    return InvalidValue;
  const KernelNodeParameters all = fromSecond(given);
  return addOf(made, graph, after, count, KernelNode, &all);
}
PTXRAY_API cuGraphAddMemcpyNode(void **made, void *graph, void *const *after, size_t count, const Copy3D *given,
                                void *) {
  return addOf(made, graph, after, count, CopyNode, given);
}
PTXRAY_API cuGraphAddMemsetNode(void **made, void *graph, void *const *after, size_t count,
                                const FillNodeParameters *given, void *) {
  return addOf(made, graph, after, count, FillNode, given);
}
PTXRAY_API cuGraphAddHostNode(void **made, void *graph, void *const *after, size_t count,
                              const HostNodeParameters *given) {
  return addOf(made, graph, after, count, HostNode, given);
}
PTXRAY_API cuGraphAddEmptyNode(void **made, void *graph, void *const *after, size_t count) {
  PTXRAY_BEGIN;
  return add(made, graph, after, count, EmptyNode, EmptyWork());
}
PTXRAY_API cuGraphAddEventRecordNode(void **made, void *graph, void *const *after, size_t count, void *event) {
  PTXRAY_BEGIN;
  Work work;
  const Result bad = recordOf(event, work);
  return bad ? bad : add(made, graph, after, count, RecordNode, std::move(work));
}
PTXRAY_API cuGraphAddEventWaitNode(void **made, void *graph, void *const *after, size_t count, void *event) {
  PTXRAY_BEGIN;
  Work work;
  const Result bad = waitOf(event, work);
  return bad ? bad : add(made, graph, after, count, WaitNode, std::move(work));
}

static Result addChild(void **made, void *graph, void *const *after, size_t count, void *child) {
  PTXRAY_BEGIN;
  const Graph *found = graphOf(child);
  if (!found || found == graph)
    return InvalidValue;
  if (hasConditions(*found))
    return NotSupported;
  if (const Result bad = add(made, graph, after, count, ChildNode, EmptyWork()))
    return bad;
  auto *node = static_cast<Node *>(*made);
  node->graphs = {clone(*found)};
  node->graphs[0]->parent = node;
  return Success;
}
PTXRAY_API cuGraphAddChildGraphNode(void **made, void *graph, void *const *after, size_t count, void *child) {
  return addChild(made, graph, after, count, child);
}
PTXRAY_API cuGraphChildGraphNodeGetGraph(void *node, void **graph) {
  PTXRAY_BEGIN;
  const Node *found = nodeOf(node);
  if (!graph || !found || found->kind != ChildNode)
    return InvalidValue;
  *graph = found->graphs[0];
  return Success;
}

PTXRAY_API cuGraphAddMemAllocNode(void **made, void *graph, void *const *after, size_t count,
                                  AllocNodeParameters *asked) {
  PTXRAY_BEGIN;
  AllocWork work;
  if (!asked || !asked->size)
    return InvalidValue;
  const Result bad = allocWork(work, *asked);
  return bad ? bad : add(made, graph, after, count, AllocNode, std::move(work));
}
PTXRAY_API cuGraphAddMemFreeNode(void **made, void *graph, void *const *after, size_t count, Address address) {
  PTXRAY_BEGIN;
  return isOfGraph(address) ? add(made, graph, after, count, FreeNode, FreeWork{address}) : InvalidValue;
}

// ---- conditional nodes

ptxray::driver::Condition::~Condition() { state().memory.free(handle); }

PTXRAY_API cuGraphConditionalHandleCreate(Address *handle, void *graph, void *context, unsigned first, unsigned flags) {
  PTXRAY_BEGIN;
  Graph *found = graphOf(graph);
  if (!handle || !found || flags > 1)
    return InvalidValue;
  if (!state().contexts.contains(context))
    return InvalidContext;
  auto made = std::make_shared<Condition>();
  made->handle = state().memory.add({reinterpret_cast<uint8_t *>(&made->value), sizeof made->value}, "a condition");
  made->first = first;
  made->isAssigned = flags;
  *handle = made->handle;
  found->conditions.push_back(std::move(made));
  return Success;
}

/// Returns a condition of a graph, or of one that contains it, that no node uses yet. Returns null if the handle has
/// none.
static std::shared_ptr<Condition> conditionOf(Address handle, const Graph &graph) {
  std::vector<const Graph *> left = {outermost(&graph)};
  while (!left.empty()) {
    const Graph *next = left.back();
    left.pop_back();
    for (const auto &one : next->conditions)
      if (one->handle == handle)
        return one->hasNode ? nullptr : one;
    for (const auto &node : next->nodes)
      left.insert(left.end(), node->graphs.begin(), node->graphs.end());
  }
  return nullptr;
}

static Result addCondition(void **made, void *graph, void *const *after, size_t count, ConditionNodeParameters &given) {
  PTXRAY_BEGIN;
  Graph *found = graphOf(graph);
  const auto condition = found ? conditionOf(given.handle, *found) : nullptr;
  constexpr unsigned mostGraphs = 1 << 20;
  const unsigned most = given.kind == ConditionWork::If ? 2 : given.kind == ConditionWork::While ? 1 : mostGraphs;
  if (!condition || given.kind < ConditionWork::If || given.kind > ConditionWork::Switch || !given.size ||
      given.size > most)
    return InvalidValue;
  if (!state().contexts.contains(given.context))
    return InvalidContext;
  if (const Result bad = add(made, graph, after, count, ConditionNode,
                             ConditionWork{condition, static_cast<ConditionWork::Kind>(given.kind)}))
    return bad;
  condition->hasNode = true;
  auto *node = static_cast<Node *>(*made);
  for (unsigned i = 0; i < given.size; ++i) {
    node->graphs.push_back(newGraph());
    node->graphs.back()->parent = node;
  }
  given.graphs = reinterpret_cast<void **>(node->graphs.data());
  return Success;
}

PTXRAY_API cuGraphAddNode_v2(void **made, void *graph, void *const *after, const void *, size_t count,
                             NodeParameters *given) {
  if (!given)
    return InvalidValue;
  switch (given->kind) {
  case KernelNode: return cuGraphAddKernelNode_v2(made, graph, after, count, &given->kernel);
  case CopyNode: return cuGraphAddMemcpyNode(made, graph, after, count, &given->copy.boxes, nullptr);
  case FillNode: return cuGraphAddMemsetNode(made, graph, after, count, &given->fill.fill, nullptr);
  case HostNode: return cuGraphAddHostNode(made, graph, after, count, &given->host);
  case ChildNode: return addChild(made, graph, after, count, given->graph);
  case EmptyNode: return cuGraphAddEmptyNode(made, graph, after, count);
  case WaitNode: return cuGraphAddEventWaitNode(made, graph, after, count, given->event);
  case RecordNode: return cuGraphAddEventRecordNode(made, graph, after, count, given->event);
  case AllocNode: return cuGraphAddMemAllocNode(made, graph, after, count, &given->alloc);
  case FreeNode: return cuGraphAddMemFreeNode(made, graph, after, count, given->freed);
  case ConditionNode: return addCondition(made, graph, after, count, given->condition);
  default: return NotSupported;
  }
}
PTXRAY_API cuGraphAddNode(void **made, void *graph, void *const *after, size_t count, NodeParameters *given) {
  return cuGraphAddNode_v2(made, graph, after, nullptr, count, given);
}

// ---- what a node does

/// Returns the node of a handle, if it is of a kind.
static Node *nodeOf(void *handle, NodeKind kind) {
  Node *node = ptxray::driver::nodeOf(handle);
  return node && node->kind == kind ? node : nullptr;
}

template <typename Parameters> static Result setOf(void *handle, NodeKind kind, const Parameters *given) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle, kind);
  Work work;
  const Result bad = node ? workOf(given, work) : InvalidValue;
  if (bad == Success)
    node->work = std::move(work);
  return bad;
}

static Result kernelParameters(void *handle, KernelNodeParameters *to, bool isFirst) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle, KernelNode);
  if (!node || !to)
    return InvalidValue;
  auto &kernel = std::get<KernelWork>(node->work);
  node->parameters.clear();
  size_t at = 0;
  for (const auto &one : kernel.function->entry.parameters) {
    at = (at + one.alignment - 1) / one.alignment * one.alignment;
    node->parameters.push_back(kernel.parameters.data() + at);
    at += one.bytes;
  }
  to->function = kernel.function;
  to->gridX = kernel.grid[0], to->gridY = kernel.grid[1], to->gridZ = kernel.grid[2];
  to->blockX = kernel.block[0], to->blockY = kernel.block[1], to->blockZ = kernel.block[2];
  to->sharedBytes = kernel.shared;
  to->parameters = node->parameters.data();
  to->extra = nullptr;
  if (!isFirst)
    to->kernel = nullptr, to->context = contextStack().back();
  return Success;
}
PTXRAY_API cuGraphKernelNodeGetParams(void *node, KernelNodeParameters *to) { return kernelParameters(node, to, true); }
PTXRAY_API cuGraphKernelNodeGetParams_v2(void *node, KernelNodeParameters *to) {
  return kernelParameters(node, to, false);
}
PTXRAY_API cuGraphKernelNodeSetParams(void *node, const KernelNodeParameters *given) {
  if (!given)
    return InvalidValue;
  const KernelNodeParameters all = fromFirst(given);
  return setOf(node, KernelNode, &all);
}
PTXRAY_API cuGraphKernelNodeSetParams_v2(void *node, const KernelNodeParameters *given) {
  if (!given)
    return InvalidValue;
  const KernelNodeParameters all = fromSecond(given);
  return setOf(node, KernelNode, &all);
}

PTXRAY_API cuGraphKernelNodeGetAttribute(void *handle, int attribute, void *value) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, KernelNode);
  if (!node || !value)
    return InvalidValue;
  LaunchAttribute given = {};
  const auto &kernel = std::get<KernelWork>(node->work);
  if (attribute == launchCluster)
    given.value.cluster = {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
  else if (attribute == launchCooperative)
    given.value.cooperative = kernel.isCooperative;
  *static_cast<decltype(given.value) *>(value) = given.value; // all other bytes stay as they were
  return Success;
}
PTXRAY_API cuGraphKernelNodeSetAttribute(void *handle, int attribute, const void *value) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle, KernelNode);
  if (!node || !value)
    return InvalidValue;
  KernelWork kernel = std::get<KernelWork>(node->work);
  const auto &given = *static_cast<const decltype(LaunchAttribute::value) *>(value);
  if (attribute == launchCluster)
    kernel.cluster = {given.cluster.x, given.cluster.y, given.cluster.z};
  else if (attribute == launchCooperative)
    kernel.isCooperative = given.cooperative;
  const Result bad = problemOf(kernel);
  if (!bad)
    node->work = std::move(kernel);
  return bad;
}
PTXRAY_API cuGraphKernelNodeCopyAttributes(void *to, void *from) {
  PTXRAY_BEGIN;
  Node *target = nodeOf(to, KernelNode), *source = nodeOf(from, KernelNode);
  if (!target || !source)
    return InvalidValue;
  auto &kernel = std::get<KernelWork>(target->work);
  kernel.cluster = std::get<KernelWork>(source->work).cluster;
  kernel.isCooperative = std::get<KernelWork>(source->work).isCooperative;
  return Success;
}

PTXRAY_API cuGraphMemcpyNodeGetParams(void *handle, Copy3D *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, CopyNode);
  if (!node || !to)
    return InvalidValue;
  *to = std::get<CopyWork>(node->work).boxes;
  return Success;
}
PTXRAY_API cuGraphMemcpyNodeSetParams(void *node, const Copy3D *given) { return setOf(node, CopyNode, given); }

PTXRAY_API cuGraphMemsetNodeGetParams(void *handle, FillNodeParameters *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, FillNode);
  if (!node || !to)
    return InvalidValue;
  const auto &fill = std::get<FillWork>(node->work);
  *to = {fill.to, fill.pitch, fill.value, fill.bytes, fill.width, fill.height};
  return Success;
}
PTXRAY_API cuGraphMemsetNodeSetParams(void *node, const FillNodeParameters *given) {
  return setOf(node, FillNode, given);
}

PTXRAY_API cuGraphHostNodeGetParams(void *handle, HostNodeParameters *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, HostNode);
  if (!node || !to)
    return InvalidValue;
  const auto &host = std::get<HostWork>(node->work);
  *to = {host.function, host.data};
  return Success;
}
PTXRAY_API cuGraphHostNodeSetParams(void *node, const HostNodeParameters *given) {
  return setOf(node, HostNode, given);
}

PTXRAY_API cuGraphMemAllocNodeGetParams(void *handle, AllocNodeParameters *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, AllocNode);
  if (!node || !to)
    return InvalidValue;
  *to = std::get<AllocWork>(node->work).memory->asked;
  return Success;
}
PTXRAY_API cuGraphMemFreeNodeGetParams(void *handle, Address *to) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, FreeNode);
  if (!node || !to)
    return InvalidValue;
  *to = std::get<FreeWork>(node->work).address;
  return Success;
}

static Result eventOfNode(void *handle, NodeKind kind, void **event) {
  PTXRAY_BEGIN;
  const Node *node = nodeOf(handle, kind);
  if (!node || !event)
    return InvalidValue;
  *event = kind == RecordNode ? std::get<RecordWork>(node->work).event : std::get<WaitWork>(node->work).event;
  return Success;
}
PTXRAY_API cuGraphEventRecordNodeGetEvent(void *node, void **event) { return eventOfNode(node, RecordNode, event); }
PTXRAY_API cuGraphEventWaitNodeGetEvent(void *node, void **event) { return eventOfNode(node, WaitNode, event); }
PTXRAY_API cuGraphEventRecordNodeSetEvent(void *handle, void *event) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle, RecordNode);
  return node ? recordOf(event, node->work) : InvalidValue;
}
PTXRAY_API cuGraphEventWaitNodeSetEvent(void *handle, void *event) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle, WaitNode);
  return node ? waitOf(event, node->work) : InvalidValue;
}

// ---- the same for nodes of any kind

/// Returns the parameters of a conditional node, whose graphs cannot be replaced.
static ConditionNodeParameters conditionOf(Node &node) {
  const auto &work = std::get<ConditionWork>(node.work);
  return {work.condition->handle, work.kind, static_cast<unsigned>(node.graphs.size()),
          reinterpret_cast<void **>(node.graphs.data()), contextStack().back()};
}

PTXRAY_API cuGraphNodeGetParams(void *handle, NodeParameters *to) {
  PTXRAY_BEGIN;
  Node *node = nodeOf(handle);
  if (!node || !to)
    return InvalidValue;
  *to = {};
  to->kind = node->kind;
  switch (node->kind) {
  case KernelNode: return cuGraphKernelNodeGetParams_v2(handle, &to->kernel);
  case CopyNode: to->copy.context = contextStack().back(); return cuGraphMemcpyNodeGetParams(handle, &to->copy.boxes);
  case FillNode: to->fill.context = contextStack().back(); return cuGraphMemsetNodeGetParams(handle, &to->fill.fill);
  case HostNode: return cuGraphHostNodeGetParams(handle, &to->host);
  case ChildNode: return cuGraphChildGraphNodeGetGraph(handle, &to->graph);
  case WaitNode: return cuGraphEventWaitNodeGetEvent(handle, &to->event);
  case RecordNode: return cuGraphEventRecordNodeGetEvent(handle, &to->event);
  case AllocNode: return cuGraphMemAllocNodeGetParams(handle, &to->alloc);
  case FreeNode: return cuGraphMemFreeNodeGetParams(handle, &to->freed);
  case ConditionNode: to->condition = conditionOf(*node); return Success;
  default: return Success;
  }
}
PTXRAY_API cuGraphNodeSetParams(void *node, NodeParameters *given) {
  if (!given)
    return InvalidValue;
  switch (given->kind) {
  case KernelNode: return cuGraphKernelNodeSetParams_v2(node, &given->kernel);
  case CopyNode: return cuGraphMemcpyNodeSetParams(node, &given->copy.boxes);
  case FillNode: return cuGraphMemsetNodeSetParams(node, &given->fill.fill);
  case HostNode: return cuGraphHostNodeSetParams(node, &given->host);
  case WaitNode: return cuGraphEventWaitNodeSetEvent(node, given->event);
  case RecordNode: return cuGraphEventRecordNodeSetEvent(node, given->event);
  default: return NotSupported;
  }
}

// ---- the same in an executable graph

static Step *stepOf(void *exec, void *handle, NodeKind kind) {
  if (!state().execs.contains(exec))
    return nullptr;
  auto &steps = static_cast<GraphExec *>(exec)->steps;
  const auto found = llvm::find_if(steps, [&](const Step &step) { return step.node == handle; });
  return found == steps.end() || found->kind != kind ? nullptr : &*found;
}

template <typename Parameters> static Result setInExec(void *exec, void *node, NodeKind kind, const Parameters *given) {
  PTXRAY_BEGIN;
  Step *step = stepOf(exec, node, kind);
  Work work;
  const Result bad = step ? workOf(given, work) : InvalidValue;
  if (bad == Success)
    step->work = std::move(work);
  return bad;
}
PTXRAY_API cuGraphExecKernelNodeSetParams(void *exec, void *node, const KernelNodeParameters *given) {
  if (!given)
    return InvalidValue;
  const KernelNodeParameters all = fromFirst(given);
  return setInExec(exec, node, KernelNode, &all);
}
PTXRAY_API cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const KernelNodeParameters *given) {
  if (!given)
    return InvalidValue;
  const KernelNodeParameters all = fromSecond(given);
  return setInExec(exec, node, KernelNode, &all);
}
PTXRAY_API cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const Copy3D *given, void *) {
  return setInExec(exec, node, CopyNode, given);
}
PTXRAY_API cuGraphExecMemsetNodeSetParams(void *exec, void *node, const FillNodeParameters *given, void *) {
  return setInExec(exec, node, FillNode, given);
}
PTXRAY_API cuGraphExecHostNodeSetParams(void *exec, void *node, const HostNodeParameters *given) {
  return setInExec(exec, node, HostNode, given);
}
PTXRAY_API cuGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event) {
  PTXRAY_BEGIN;
  Step *step = stepOf(exec, node, RecordNode);
  return step ? recordOf(event, step->work) : InvalidValue;
}
PTXRAY_API cuGraphExecEventWaitNodeSetEvent(void *exec, void *node, void *event) {
  PTXRAY_BEGIN;
  Step *step = stepOf(exec, node, WaitNode);
  return step ? waitOf(event, step->work) : InvalidValue;
}

PTXRAY_API cuGraphExecNodeSetParams(void *exec, void *node, NodeParameters *given) {
  if (!given)
    return InvalidValue;
  switch (given->kind) {
  case KernelNode: return cuGraphExecKernelNodeSetParams_v2(exec, node, &given->kernel);
  case CopyNode: return cuGraphExecMemcpyNodeSetParams(exec, node, &given->copy.boxes, nullptr);
  case FillNode: return cuGraphExecMemsetNodeSetParams(exec, node, &given->fill.fill, nullptr);
  case HostNode: return cuGraphExecHostNodeSetParams(exec, node, &given->host);
  case WaitNode: return cuGraphExecEventWaitNodeSetEvent(exec, node, given->event);
  case RecordNode: return cuGraphExecEventRecordNodeSetEvent(exec, node, given->event);
  default: return NotSupported;
  }
}

static Step *anyStepOf(void *exec, void *node) {
  for (const NodeKind kind : {KernelNode, CopyNode, FillNode})
    if (Step *step = stepOf(exec, node, kind))
      return step;
  return nullptr;
}
PTXRAY_API cuGraphNodeSetEnabled(void *exec, void *node, unsigned isEnabled) {
  PTXRAY_BEGIN;
  Step *step = anyStepOf(exec, node);
  if (!step)
    return InvalidValue;
  step->isEnabled = isEnabled != 0;
  return Success;
}
PTXRAY_API cuGraphNodeGetEnabled(void *exec, void *node, unsigned *isEnabled) {
  PTXRAY_BEGIN;
  const Step *step = anyStepOf(exec, node);
  if (!step || !isEnabled)
    return InvalidValue;
  *isEnabled = step->isEnabled;
  return Success;
}
