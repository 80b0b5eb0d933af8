// Graphs: most functions only call the driver's functions under other names. The parameters of nodes have other
// structures, and are converted.
#include "Runtime.h"

namespace ptxray::runtime {

struct KernelParameters {
  const void *kernel;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
};
struct FillParameters {
  void *to;
  size_t pitch;
  unsigned value, bytes;
  size_t width, height;
};
/// The parameters of a node of any kind.
struct AnyParameters {
  int kind; // kind of the node
  int reserved0[3];
  union {
    struct {
      KernelParameters of;
      void *context;
      int functionKind;
    } kernel;
    struct {
      int flags, reserved;
      void *context;
      Copy3DParameters of;
    } copy;
    FillParameters fill;
    HostNodeParameters host;
    void *graph, *event;
    ConditionNodeParameters condition;
    long long reserved1[29];
  };
  long long reserved2;
};

static Error convert(KernelNodeParameters &to, const KernelParameters &from) {
  to = {};
  to.gridX = from.grid[0];
  to.gridY = from.grid[1];
  to.gridZ = from.grid[2];
  to.blockX = from.block[0];
  to.blockY = from.block[1];
  to.blockZ = from.block[2];
  to.sharedBytes = from.shared;
  to.parameters = from.arguments;
  to.extra = from.extra;
  return functionOf(&to.function, from.kernel);
}
static Error convert(FillNodeParameters &to, const FillParameters &from) {
  to = {reinterpret_cast<Address>(from.to), from.pitch, from.value, from.bytes, from.width, from.height};
  return Success;
}
static Error convert(Copy3D &to, const Copy3DParameters &from) { return boxesOf(to, from); }

static Copy3DParameters lineOf(void *to, const void *from, size_t size, int direction) {
  Copy3DParameters line = {};
  line.to = {to, size, size, 1};
  line.from = {const_cast<void *>(from), size, size, 1};
  line.extent = {size, 1, 1};
  line.direction = direction;
  return line;
}
/// Describes a copy between a variable of the device and memory. Of `to` and `from`, the one that is null is the
/// variable.
static Error lineOfVariable(Copy3DParameters &line, const void *symbol, void *to, const void *from, size_t size,
                            size_t offset, int direction) {
  Place place;
  if (const Error bad = placeOf(place, symbol))
    return bad;
  if (offset > place.size || size > place.size - offset)
    return InvalidValue;
  void *const variable = reinterpret_cast<void *>(place.address + offset);
  line = lineOf(to ? to : variable, from ? from : variable, size, direction);
  return Success;
}

/// Converts a node's parameters to those of the driver, and passes them to `act`.
template <typename To, typename From, typename Act> static Error converted(const From *from, const Act &act) {
  return inContext([&] {
    To to;
    if (!from)
      return Error(InvalidValue);
    const Error bad = convert(to, *from);
    return bad ? bad : Error(act(&to));
  });
}

static void *currentContext() {
  void *context = nullptr;
  cuCtxGetCurrent(&context);
  return context;
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;
using Nodes = void *const *;

// ---- nodes

PTXRAY_RUNTIME cudaGraphAddKernelNode(void **made, void *graph, Nodes after, size_t count,
                                      const KernelParameters *asked) {
  return converted<KernelNodeParameters>(
      asked, [&](auto *node) { return cuGraphAddKernelNode_v2(made, graph, after, count, node); });
}
PTXRAY_RUNTIME cudaGraphAddMemcpyNode(void **made, void *graph, Nodes after, size_t count,
                                      const Copy3DParameters *asked) {
  return converted<Copy3D>(
      asked, [&](auto *node) { return cuGraphAddMemcpyNode(made, graph, after, count, node, currentContext()); });
}
PTXRAY_RUNTIME cudaGraphAddMemcpyNode1D(void **made, void *graph, Nodes after, size_t count, void *to, const void *from,
                                        size_t size, int direction) {
  const Copy3DParameters line = lineOf(to, from, size, direction);
  return cudaGraphAddMemcpyNode(made, graph, after, count, &line);
}
PTXRAY_RUNTIME cudaGraphAddMemcpyNodeToSymbol(void **made, void *graph, Nodes after, size_t count, const void *symbol,
                                              const void *from, size_t size, size_t offset, int direction) {
  Copy3DParameters line;
  const Error bad = lineOfVariable(line, symbol, nullptr, from, size, offset, direction);
  return bad ? noted(bad) : cudaGraphAddMemcpyNode(made, graph, after, count, &line);
}
PTXRAY_RUNTIME cudaGraphAddMemcpyNodeFromSymbol(void **made, void *graph, Nodes after, size_t count, void *to,
                                                const void *symbol, size_t size, size_t offset, int direction) {
  Copy3DParameters line;
  const Error bad = lineOfVariable(line, symbol, to, nullptr, size, offset, direction);
  return bad ? noted(bad) : cudaGraphAddMemcpyNode(made, graph, after, count, &line);
}
PTXRAY_RUNTIME cudaGraphAddMemsetNode(void **made, void *graph, Nodes after, size_t count,
                                      const FillParameters *asked) {
  return converted<FillNodeParameters>(
      asked, [&](auto *node) { return cuGraphAddMemsetNode(made, graph, after, count, node, currentContext()); });
}
PTXRAY_RUNTIME cudaGraphConditionalHandleCreate(Address *handle, void *graph, unsigned first, unsigned flags) {
  return inContext([&] { return cuGraphConditionalHandleCreate(handle, graph, currentContext(), first, flags); });
}
PTXRAY_RUNTIME cudaGraphConditionalHandleCreate_v2(Address *handle, void *graph, void *context, unsigned first,
                                                   unsigned flags) {
  return context ? noted(NotSupported) : cudaGraphConditionalHandleCreate(handle, graph, first, flags);
}
/// Adds a conditional node. Its context is that of the thread, because only the driver API can choose another one.
static Error addCondition(void **made, void *graph, Nodes after, size_t count, ConditionNodeParameters &asked) {
  return inContext([&] {
    NodeParameters all = {};
    all.kind = 13;
    all.condition = {asked.handle, asked.kind, asked.size, nullptr, currentContext()};
    const Error bad = cuGraphAddNode_v2(made, graph, after, nullptr, count, &all);
    asked.graphs = all.condition.graphs;
    return bad;
  });
}
PTXRAY_RUNTIME cudaGraphAddNode(void **made, void *graph, Nodes after, const void *, size_t count,
                                AnyParameters *asked) {
  switch (asked ? asked->kind : -1) {
  case 0: return cudaGraphAddKernelNode(made, graph, after, count, &asked->kernel.of);
  case 1: return cudaGraphAddMemcpyNode(made, graph, after, count, &asked->copy.of);
  case 2: return cudaGraphAddMemsetNode(made, graph, after, count, &asked->fill);
  case 3: return cudaGraphAddHostNode(made, graph, after, count, &asked->host);
  case 4: return cudaGraphAddChildGraphNode(made, graph, after, count, asked->graph);
  case 5: return cudaGraphAddEmptyNode(made, graph, after, count);
  case 6: return cudaGraphAddEventWaitNode(made, graph, after, count, asked->event);
  case 7: return cudaGraphAddEventRecordNode(made, graph, after, count, asked->event);
  case 13: return addCondition(made, graph, after, count, asked->condition);
  case -1: return noted(InvalidValue);
  default: return noted(NotSupported);
  }
}
// Nodes that allocate or free memory have the same structures as in the driver.

PTXRAY_RUNTIME cudaGraphKernelNodeSetParams(void *node, const KernelParameters *asked) {
  return converted<KernelNodeParameters>(asked, [&](auto *to) { return cuGraphKernelNodeSetParams_v2(node, to); });
}
PTXRAY_RUNTIME cudaGraphMemcpyNodeSetParams(void *node, const Copy3DParameters *asked) {
  return converted<Copy3D>(asked, [&](auto *to) { return cuGraphMemcpyNodeSetParams(node, to); });
}
PTXRAY_RUNTIME cudaGraphMemcpyNodeSetParams1D(void *node, void *to, const void *from, size_t size, int direction) {
  const Copy3DParameters line = lineOf(to, from, size, direction);
  return cudaGraphMemcpyNodeSetParams(node, &line);
}
PTXRAY_RUNTIME cudaGraphMemsetNodeSetParams(void *node, const FillParameters *asked) {
  return converted<FillNodeParameters>(asked, [&](auto *to) { return cuGraphMemsetNodeSetParams(node, to); });
}

// ---- executable graphs

PTXRAY_RUNTIME cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
PTXRAY_RUNTIME cudaGraphExecKernelNodeSetParams(void *exec, void *node, const KernelParameters *asked) {
  return converted<KernelNodeParameters>(asked,
                                         [&](auto *to) { return cuGraphExecKernelNodeSetParams_v2(exec, node, to); });
}
PTXRAY_RUNTIME cudaGraphExecMemcpyNodeSetParams(void *exec, void *node, const Copy3DParameters *asked) {
  return converted<Copy3D>(asked,
                           [&](auto *to) { return cuGraphExecMemcpyNodeSetParams(exec, node, to, currentContext()); });
}
PTXRAY_RUNTIME cudaGraphExecMemcpyNodeSetParams1D(void *exec, void *node, void *to, const void *from, size_t size,
                                                  int direction) {
  const Copy3DParameters line = lineOf(to, from, size, direction);
  return cudaGraphExecMemcpyNodeSetParams(exec, node, &line);
}
PTXRAY_RUNTIME cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const FillParameters *asked) {
  return converted<FillNodeParameters>(
      asked, [&](auto *to) { return cuGraphExecMemsetNodeSetParams(exec, node, to, currentContext()); });
}
