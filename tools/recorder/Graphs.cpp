#include "Graphs.h"
#include "Images.h"
#include "Launches.h"
#include "Session.h"
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace ptxray::recorder {

namespace {

/// The kinds of nodes, by their numbers in the API.
enum Kind : int { KernelNode, CopyNode, FillNode, HostNode, ChildNode, EmptyNode, WaitNode, RecordNode };

std::mutex mutex;
std::map<void *, void *> clones; // from executable graphs to clones of their graphs

} // namespace

void addExec(void *exec, void *graph) {
  void *clone = nullptr;
  if (!session().isActive || !real().cuGraphClone || real().cuGraphClone(&clone, graph) != Success)
    return; // for example, a graph with its own memory
  const std::lock_guard lock(mutex);
  clones[exec] = clone;
}

void removeExec(void *exec) {
  const std::lock_guard lock(mutex);
  const auto found = clones.find(exec);
  if (found == clones.end())
    return;
  real().cuGraphDestroy(found->second);
  clones.erase(found);
}
void forgetExec(void *exec) { removeExec(exec); }

static void *cloneOf(void *exec) {
  const std::lock_guard lock(mutex);
  const auto found = clones.find(exec);
  return found == clones.end() ? nullptr : found->second;
}

void *nodeOfClone(void *exec, void *node) {
  void *clone = cloneOf(exec), *found = nullptr;
  return clone && real().cuGraphNodeFindInClone(&found, node, clone) == Success ? found : nullptr;
}

/// Returns the nodes of a graph. Each comes after the nodes that it depends on.
static std::optional<std::vector<void *>> ordered(void *graph) {
  size_t count = 0, edges = 0;
  if (real().cuGraphGetNodes(graph, nullptr, &count) || real().cuGraphGetEdges(graph, nullptr, nullptr, &edges))
    return std::nullopt;
  std::vector<void *> nodes(count), from(edges), to(edges), order;
  if ((count && real().cuGraphGetNodes(graph, nodes.data(), &count)) ||
      (edges && real().cuGraphGetEdges(graph, from.data(), to.data(), &edges)))
    return std::nullopt;
  std::map<void *, size_t> waitsFor;
  std::multimap<void *, void *> next;
  for (size_t i = 0; i < edges; ++i) {
    next.emplace(from[i], to[i]);
    ++waitsFor[to[i]];
  }
  for (void *node : nodes)
    if (!waitsFor.count(node))
      order.push_back(node);
  for (size_t i = 0; i < order.size(); ++i)
    for (auto [at, end] = next.equal_range(order[i]); at != end; ++at)
      if (!--waitsFor[at->second])
        order.push_back(at->second);
  return order.size() == count ? std::optional(order) : std::nullopt;
}

namespace {
struct Step {
  void *node;
  int kind;
};
} // namespace

/// Returns all nodes, with those of child graphs in their place. Returns nothing if some of them can only be launched
/// together with the graph.
static std::optional<std::vector<Step>> stepsOf(void *graph) {
  std::vector<Step> steps;
  std::vector<void *> left; // the next item is the last element
  const auto put = [&](void *one) {
    const auto order = ordered(one);
    if (order)
      left.insert(left.end(), order->rbegin(), order->rend());
    return order.has_value();
  };
  if (!put(graph))
    return std::nullopt;
  while (!left.empty()) {
    void *node = left.back();
    left.pop_back();
    Step step = {node, -1};
    if (real().cuGraphNodeGetType(node, &step.kind) != Success || step.kind < KernelNode || step.kind > RecordNode)
      return std::nullopt;
    void *child = nullptr;
    if (step.kind == ChildNode && (real().cuGraphChildGraphNodeGetGraph(node, &child) || !put(child)))
      return std::nullopt;
    steps.push_back(step);
  }
  return steps;
}

static bool isWanted(const Step &step) {
  KernelNodeParameters kernel = {};
  if (step.kind != KernelNode || real().cuGraphKernelNodeGetParams_v2(step.node, &kernel) != Success)
    return false;
  const FoundFunction found = functionOf(kernel.function ? kernel.function : kernel.kernel);
  return found.image && session().wouldWant(found.name);
}

static Result startKernel(void *node, void *stream) {
  KernelNodeParameters kernel = {};
  if (const Result bad = real().cuGraphKernelNodeGetParams_v2(node, &kernel))
    return bad;
  std::vector<LaunchAttribute> attributes;
  for (const int id : {launchCooperative, launchCluster}) {
    LaunchAttribute one = {id, {}, {}};
    if (real().cuGraphKernelNodeGetAttribute && !real().cuGraphKernelNodeGetAttribute(node, id, &one.value))
      attributes.push_back(one);
  }
  LaunchConfig config = {
      kernel.gridX,  kernel.gridY,       kernel.gridZ, kernel.blockX,     kernel.blockY,
      kernel.blockZ, kernel.sharedBytes, stream,       attributes.data(), static_cast<unsigned>(attributes.size())};
  Asked asked{driver::shapeOf(config)};
  asked.function = kernel.function ? kernel.function : kernel.kernel;
  asked.stream = stream;
  asked.parameters = kernel.parameters;
  asked.extra = kernel.extra;
  // Only keeps attributes that are set.
  std::erase_if(attributes, [&](const LaunchAttribute &one) {
    return one.id == launchCooperative ? !asked.isCooperative : !asked.cluster[0];
  });
  config.attributeCount = static_cast<unsigned>(attributes.size());
  return record(asked,
                [&] { return real().cuLaunchKernelEx(&config, asked.function, kernel.parameters, kernel.extra); });
}

static Result startFill(void *node, void *stream) {
  FillNodeParameters fill = {};
  if (const Result bad = real().cuGraphMemsetNodeGetParams(node, &fill))
    return bad;
  const size_t pitch = fill.height > 1 ? fill.pitch : fill.width * fill.bytes;
  switch (fill.bytes) {
  case 1:
    return real().cuMemsetD2D8Async(fill.to, pitch, static_cast<unsigned char>(fill.value), fill.width, fill.height,
                                    stream);
  case 2:
    return real().cuMemsetD2D16Async(fill.to, pitch, static_cast<unsigned short>(fill.value), fill.width, fill.height,
                                     stream);
  default: return real().cuMemsetD2D32Async(fill.to, pitch, fill.value, fill.width, fill.height, stream);
  }
}

static Result start(const Step &step, void *stream) {
  Copy3D copy;
  HostNodeParameters host = {};
  void *event = nullptr;
  Result bad = Success;
  switch (step.kind) {
  case KernelNode: return startKernel(step.node, stream);
  case FillNode: return startFill(step.node, stream);
  case CopyNode:
    bad = real().cuGraphMemcpyNodeGetParams(step.node, &copy);
    return bad ? bad : real().cuMemcpy3DAsync_v2(&copy, stream);
  case HostNode:
    bad = real().cuGraphHostNodeGetParams(step.node, &host);
    return bad ? bad : real().cuLaunchHostFunc(stream, host.function, host.data);
  case WaitNode:
    bad = real().cuGraphEventWaitNodeGetEvent(step.node, &event);
    return bad ? bad : real().cuStreamWaitEvent(stream, event, 0);
  case RecordNode:
    bad = real().cuGraphEventRecordNodeGetEvent(step.node, &event);
    return bad ? bad : real().cuEventRecord(event, stream);
  default: return Success; // empty nodes, or a child whose nodes follow
  }
}

bool recordGraph(void *exec, void *stream, Result &result) {
  if (!session().isActive)
    return false;
  void *clone = cloneOf(exec);
  int state = 0;
  const auto leave = [](const char *reason) {
    const std::lock_guard lock(session().mutex);
    session().leaveOut(reason);
    return false;
  };
  if (!clone)
    return leave("in graphs that allocate memory or were updated");
  if (real().cuStreamIsCapturing && !real().cuStreamIsCapturing(stream, &state) && state)
    return leave("into graphs");
  const auto steps = stepsOf(clone);
  if (!steps)
    return leave("in graphs with unsupported kinds of nodes");
  if (std::none_of(steps->begin(), steps->end(), isWanted))
    return leave("in graphs without a selected kernel");
  for (const Step &step : *steps)
    if ((result = start(step, stream)))
      break;
  return true;
}

} // namespace ptxray::recorder
