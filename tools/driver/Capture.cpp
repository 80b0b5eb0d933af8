#include "Capture.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace ptxray::driver;

static NodeKind kindOf(const Work &work) {
  // The kinds in the order of the variant `Work`.
  static constexpr NodeKind kinds[] = {EmptyNode,  KernelNode, CopyNode, FillNode,  HostNode,      HostNode,
                                       RecordNode, WaitNode,   FreeNode, AllocNode, ConditionNode, ConditionNode};
  return kinds[work.index()];
}

Result ptxray::driver::capture(Stream &stream, Work work) {
  Capture &into = *stream.capture;
  if (into.isInvalid)
    return CaptureInvalidated;
  if (std::holds_alternative<CallbackWork>(work))
    return CaptureUnsupported;
  const NodeKind kind = kindOf(work);
  if (const auto *freed = std::get_if<FreeWork>(&work); freed && !isOfGraph(freed->address))
    return InvalidValue;
  auto &last = into.last[&stream];
  last = {&addNode(*into.graph, kind, std::move(work), last)};
  return Success;
}

static Result begin(void *handle, int mode, Graph *graph, std::vector<Node *> after) {
  const auto stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  if (mode < 0 || mode > 2)
    return InvalidValue;
  if (stream == contextStack().back()->legacy)
    return CaptureUnsupported;
  if (stream->capture)
    return InvalidValue;
  auto made = std::make_shared<Capture>();
  made->ownsGraph = !graph;
  made->graph = graph ? graph : newGraph();
  made->mode = mode;
  made->id = ++state().lastNumber;
  made->origin = stream.get();
  made->last[stream.get()] = std::move(after);
  stream->capture = std::move(made);
  return Success;
}

PTXRAY_API cuStreamBeginCapture_v2(void *stream, int mode) {
  PTXRAY_BEGIN;
  return begin(stream, mode, nullptr, {});
}

PTXRAY_API cuStreamBeginCapture(void *stream) { return cuStreamBeginCapture_v2(stream, 0); }

static bool areNodes(void *const *nodes, size_t count, const Graph &graph) {
  return !count || (nodes && llvm::all_of(llvm::ArrayRef(nodes, count),
                                          [&](void *node) { return nodeOf(node) && nodeOf(node)->graph == &graph; }));
}
static std::vector<Node *> nodesOf(void *const *nodes, size_t count) {
  std::vector<Node *> found;
  for (size_t i = 0; i < count; ++i)
    found.push_back(static_cast<Node *>(nodes[i]));
  return found;
}

PTXRAY_API cuStreamBeginCaptureToGraph(void *stream, void *graph, void *const *after, const void *, size_t count,
                                       int mode) {
  PTXRAY_BEGIN;
  Graph *found = graphOf(graph);
  if (!found || !areNodes(after, count, *found))
    return InvalidValue;
  return begin(stream, mode, found, nodesOf(after, count));
}

/// Returns whether all nodes at the ends of other streams come before the last nodes of the stream whose capture ends.
static bool isJoined(const Capture &capture, const Stream &origin) {
  std::set<const Node *> before;
  std::vector<const Node *> left(capture.last.at(&origin).begin(), capture.last.at(&origin).end());
  while (!left.empty()) {
    const Node *node = left.back();
    left.pop_back();
    if (before.insert(node).second)
      left.insert(left.end(), node->after.begin(), node->after.end());
  }
  return llvm::all_of(capture.last, [&](const auto &one) {
    return llvm::all_of(one.second, [&](const Node *node) { return before.contains(node); });
  });
}

static void leave(const std::shared_ptr<Capture> &ended) {
  State &s = state();
  for (auto &[handle, stream] : s.streams)
    if (stream->capture == ended)
      stream->capture = nullptr;
  for (void *handle : s.contexts)
    for (auto &[thread, stream] : static_cast<Context *>(handle)->ofThreads)
      if (stream->capture == ended)
        stream->capture = nullptr;
  for (void *handle : s.events) {
    auto *event = static_cast<Event *>(handle);
    if (event->capture == ended)
      event->capture = nullptr;
  }
}

PTXRAY_API cuStreamEndCapture(void *handle, void **graph) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  const std::shared_ptr<Capture> ended = stream->capture;
  if (graph)
    *graph = nullptr;
  if (!ended || (!graph && ended->ownsGraph)) // the stream is not captured, or the graph would be lost
    return InvalidValue;
  if (ended->origin != stream.get())
    return CaptureUnmatched;
  const Result result = ended->isInvalid ? CaptureInvalidated : isJoined(*ended, *stream) ? Success : CaptureUnjoined;
  leave(ended);
  if (result != Success) {
    if (ended->ownsGraph)
      destroyGraph(ended->graph);
    return result;
  }
  if (graph)
    *graph = ended->graph;
  return Success;
}

PTXRAY_API cuStreamIsCapturing(void *handle, int *status) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!status || !stream)
    return status ? InvalidHandle : InvalidValue;
  *status = !stream->capture ? 0 : stream->capture->isInvalid ? 2 : 1;
  return Success;
}

PTXRAY_API cuStreamGetCaptureInfo_v3(void *handle, int *status, uint64_t *id, void **graph, void *const **after,
                                     const void **edges, size_t *count) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!status || !stream)
    return status ? InvalidHandle : InvalidValue;
  const auto &capture = stream->capture;
  *status = !capture ? 0 : capture->isInvalid ? 2 : 1;
  if (!capture)
    return Success;
  auto &last = capture->last[stream.get()];
  capture->edges.resize(std::max(capture->edges.size(), last.size()));
  if (id)
    *id = capture->id;
  if (graph)
    *graph = capture->graph;
  if (after)
    *after = reinterpret_cast<void *const *>(last.data());
  if (edges)
    *edges = capture->edges.data();
  if (count)
    *count = last.size();
  return Success;
}
PTXRAY_API cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph, void *const **after,
                                     size_t *count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, after, nullptr, count);
}
PTXRAY_API cuStreamGetCaptureInfo(void *stream, int *status, uint64_t *id) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

PTXRAY_API cuStreamUpdateCaptureDependencies_v2(void *handle, void **nodes, const void *, size_t count,
                                                unsigned flags) {
  PTXRAY_BEGIN;
  const auto stream = streamOf(handle);
  if (!stream)
    return InvalidHandle;
  if (!stream->capture)
    return IllegalState;
  if (flags > 1 || !areNodes(nodes, count, *stream->capture->graph))
    return InvalidValue;
  auto &last = stream->capture->last[stream.get()];
  if (flags == 1) // the new nodes replace the earlier ones
    last.clear();
  for (Node *node : nodesOf(nodes, count))
    if (!llvm::is_contained(last, node))
      last.push_back(node);
  return Success;
}
PTXRAY_API cuStreamUpdateCaptureDependencies(void *stream, void **nodes, size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, nodes, nullptr, count, flags);
}

PTXRAY_API cuThreadExchangeStreamCaptureMode(int *mode) {
  thread_local int current = 0;
  if (!mode || *mode < 0 || *mode > 2)
    return InvalidValue;
  std::swap(current, *mode);
  return Success;
}
