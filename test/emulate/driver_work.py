"""Tests delayed work, graphs, arrays, textures, the linker and mapped memory: driver_work.py LIBRARY. Most tests
also pass on a GPU: `driver_work.py libcuda.so.1`. The exceptions are `late`, which requires more than a driver
guarantees, and `device_runtime`, which links no library of NVIDIA."""

import ctypes
import sys
import threading
import time

from calls import checked

cuda = ctypes.CDLL(sys.argv[1])
call, expect = checked(cuda)
pointer, size, i32, i64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint64
HOST, DEVICE, ARRAY = 1, 2, 3

HEAD = ".version 7.8\n.target sm_75\n.address_size 64\n"
# These kernels add 1 to a given number of elements, and compute squares of the results of a function.
ADD = (
    HEAD
    + """
.visible .entry add(.param .u64 to, .param .u32 count) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [count];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.u32 %r4, %r3, 1;
  st.global.u32 [%rd3], %r4;
done:
  ret;
}
"""
)
READ = (
    HEAD
    + """
.visible .entry read(.param .u64 to, .param .u64 image) {
  .reg .f32 %f<5>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [image];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r2}];
  mad.lo.u32 %r2, %r2, 4, %r1;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd1, %rd1, %rd3;
  st.global.f32 [%rd1], %f1;
  ret;
}
.visible .entry write(.param .u64 surface) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [surface];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mad.lo.u32 %r3, %r2, 10, %r1;
  shl.b32 %r1, %r1, 2;
  sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r3;
  ret;
}
"""
)


# A kernel sets a condition to a number, and to the remainder of a count.
CONDITION = (
    HEAD
    + """
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry assign(.param .u64 handle, .param .u32 value) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .param .b64 to;
  .param .b32 what;
  ld.param.u64 %rd1, [handle];
  ld.param.u32 %r1, [value];
  st.param.b64 [to], %rd1;
  st.param.b32 [what], %r1;
  call.uni cudaGraphSetConditional, (to, what);
  ret;
}
.visible .entry count(.param .u64 handle, .param .u64 left) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  .param .b64 to;
  .param .b32 what;
  ld.param.u64 %rd1, [handle];
  ld.param.u64 %rd2, [left];
  cvta.to.global.u64 %rd2, %rd2;
  ld.global.u32 %r1, [%rd2];
  add.u32 %r2, %r1, -1;
  st.global.u32 [%rd2], %r2;
  st.param.b64 [to], %rd1;
  st.param.b32 [what], %r2;
  call.uni cudaGraphSetConditional, (to, what);
  ret;
}
"""
)


def made(name, *arguments, kind=pointer):
    handle = kind()
    call(name, ctypes.byref(handle), *arguments)
    return handle


def begin():
    call("cuInit", 0)
    call("cuCtxSetCurrent", made("cuDevicePrimaryCtxRetain", 0))


def kernel(text, name):
    module = made("cuModuleLoadData", text.encode())
    return made("cuModuleGetFunction", module, name.encode())


class Launch:
    """Holds the parameters of a launch while it exists."""

    def __init__(self, *values):
        self.values = values
        self.places = (pointer * len(values))(*map(ctypes.addressof, values))


def launch(function, values, stream=None, block=(4, 1)):
    call("cuLaunchKernel", function, 1, 1, 1, *block, 1, 0, stream, Launch(*values).places, None)


def numbers(memory, count=4):
    out = (i32 * count)()
    call("cuMemcpyDtoH_v2", out, memory, size(4 * count))
    return list(out)


def memory(count=4, value=0):
    to = made("cuMemAlloc_v2", size(4 * count))
    call("cuMemsetD32_v2", to, value, size(count))
    call("cuCtxSynchronize")
    return to


def streams(add):
    """Tests that work runs in the order that streams and events define."""
    to = memory()
    pinned = (i32 * 4).from_address(made("cuMemHostAlloc", size(16), 0).value)
    first, second = made("cuStreamCreate", 1), made("cuStreamCreate", 1)
    waiting, other = made("cuStreamCreate", 0), memory()
    launch(add, [other, ctypes.c_uint32(4)], waiting)
    assert numbers(other) != [0, 0, 0, 0], "a copy in the default stream waits for other streams"
    event = made("cuEventCreate", 0)
    for stream in (first, second):
        launch(add, [to, ctypes.c_uint32(4)], stream)
        call("cuEventRecord", event, stream)
        call("cuStreamWaitEvent", second, event, 0)
    call("cuMemcpyDtoHAsync_v2", ctypes.byref(pinned), to, size(16), second)
    call("cuStreamSynchronize", second)
    assert list(pinned) == [2] * 4, list(pinned)
    # By default, other streams and the default stream wait for each other.
    blocking = made("cuStreamCreate", 0)
    call("cuMemsetD32Async", to, 7, size(4), blocking)
    launch(add, [to, ctypes.c_uint32(4)])
    call("cuMemcpyDtoHAsync_v2", ctypes.byref(pinned), to, size(16), blocking)
    call("cuStreamSynchronize", blocking)
    assert list(pinned) == [8] * 4, list(pinned)
    # Functions of the host are called even if no call waits for them.
    called = threading.Event()
    callback = ctypes.CFUNCTYPE(None, pointer)(lambda _: called.set())
    call("cuLaunchHostFunc", first, callback, None)
    assert called.wait(10), "nobody calls the function"
    start, end = made("cuEventCreate", 0), made("cuEventCreate", 0)
    expect(400, "cuEventElapsedTime", ctypes.byref(ctypes.c_float()), start, end)
    call("cuEventRecord", start, first)
    call("cuEventRecord", end, first)
    call("cuEventSynchronize", end)
    time_between = ctypes.c_float(-1)
    call("cuEventElapsedTime", ctypes.byref(time_between), start, end)
    assert time_between.value >= 0
    call("cuStreamDestroy_v2", first)
    expect(201, "cuStreamSynchronize", first) if not onGpu else None
    return pinned


def late(add, pinned):
    """Tests that a client that does not wait does not see the results of work that it started."""
    to, stream = memory(), made("cuStreamCreate", 1)
    pinned[0] = -1
    call("cuMemcpyDtoHAsync_v2", ctypes.byref(pinned), to, size(16), stream)
    assert pinned[0] == -1, "a copy that nobody waited for is done"
    launch(add, [to, ctypes.c_uint32(5)], stream, block=(8, 1))  # one number too many
    time.sleep(0.3)
    assert pinned[0] == 0, "what was started is never done"
    expect(700, "cuStreamSynchronize", stream)
    expect(700, "cuCtxSynchronize")


class KernelNode(ctypes.Structure):
    _fields_ = [("function", pointer), ("shape", ctypes.c_uint * 6), ("shared", ctypes.c_uint)]
    _fields_ += [("places", pointer), ("extra", pointer), ("kernel", pointer), ("context", pointer)]


class Fill(ctypes.Structure):
    _fields_ = [("to", pointer), ("pitch", size), ("value", ctypes.c_uint), ("bytes", ctypes.c_uint)]
    _fields_ += [("width", size), ("height", size)]


class Boxes(ctypes.Structure):
    _fields_ = [("from_at", size * 4), ("from_kind", i32), ("from_host", pointer), ("from_device", pointer)]
    _fields_ += [("from_array", pointer), ("none", pointer), ("from_pitch", size), ("from_height", size)]
    _fields_ += [("to_at", size * 4), ("to_kind", i32), ("to_host", pointer), ("to_device", pointer)]
    _fields_ += [("to_array", pointer), ("nothing", pointer), ("to_pitch", size), ("to_height", size)]
    _fields_ += [("width", size), ("height", size), ("depth", size)]


def graphs(add):
    to, other = memory(), memory()
    graph, parameters = made("cuGraphCreate", 0), Launch(to, ctypes.c_uint32(4))
    node = KernelNode(add, (1, 1, 1, 4, 1, 1), 0, ctypes.cast(parameters.places, pointer))
    context = made("cuCtxGetCurrent")
    fill = made("cuGraphAddMemsetNode", graph, None, size(0), ctypes.byref(Fill(to, 0, 5, 4, 4, 1)), context)
    after = (pointer * 1)(fill)
    launched = made("cuGraphAddKernelNode_v2", graph, after, size(1), ctypes.byref(node))
    boxes = Boxes(from_kind=DEVICE, from_device=to, to_kind=DEVICE, to_device=other, width=16, height=1, depth=1)
    made("cuGraphAddMemcpyNode", graph, (pointer * 1)(launched), size(1), ctypes.byref(boxes), context)
    count = size()
    call("cuGraphGetNodes", graph, None, ctypes.byref(count))
    assert count.value == 3
    kind = i32(-1)
    call("cuGraphNodeGetType", fill, ctypes.byref(kind))
    assert kind.value == 2
    execution = made("cuGraphInstantiateWithFlags", graph, i64(0))
    for _ in range(2):
        call("cuGraphLaunch", execution, None)
    assert numbers(other) == [6] * 4
    # One node gets other parameters.
    changed = Launch(to, ctypes.c_uint32(2))
    node.places = ctypes.cast(changed.places, pointer)
    call("cuGraphExecKernelNodeSetParams_v2", execution, launched, ctypes.byref(node))
    call("cuGraphLaunch", execution, None)
    assert numbers(other) == [6, 6, 5, 5], numbers(other)
    # A node without blocks is rejected.
    empty = KernelNode(add, (0, 1, 1, 4, 1, 1), 0, ctypes.cast(changed.places, pointer))
    expect(1, "cuGraphAddKernelNode_v2", ctypes.byref(pointer()), graph, None, size(0), ctypes.byref(empty))
    # A cycle, nodes of another graph and freed handles are rejected.
    expect(1, "cuGraphAddDependencies", graph, (pointer * 1)(fill), (pointer * 1)(fill), size(1)) if not onGpu else None
    expect(1, "cuGraphLaunch", None, None)
    # The capture contains two streams that fork and join.
    first, second, event = made("cuStreamCreate", 1), made("cuStreamCreate", 1), made("cuEventCreate", 0)
    call("cuStreamBeginCapture_v2", first, 1)
    launch(add, [to, ctypes.c_uint32(4)], first)
    call("cuEventRecord", event, first)
    call("cuStreamWaitEvent", second, event, 0)
    call("cuMemcpyDtoDAsync_v2", other, to, size(16), second)
    status = i32(-1)
    call("cuStreamIsCapturing", second, ctypes.byref(status))
    assert status.value == 1
    call("cuEventRecord", event, second)
    call("cuStreamWaitEvent", first, event, 0)
    captured = pointer()
    call("cuStreamEndCapture", first, ctypes.byref(captured))
    call("cuGraphGetNodes", captured, None, ctypes.byref(count))
    assert count.value == 2
    before = numbers(to)
    execution = made("cuGraphInstantiateWithFlags", captured, i64(0))
    assert numbers(to) == before, "a captured launch was made"
    call("cuGraphLaunch", execution, first)
    call("cuStreamSynchronize", first)
    assert numbers(other) == [one + 1 for one in before]
    # The capture adds to an existing graph.
    given = made("cuGraphCreate", 0)
    call("cuStreamBeginCaptureToGraph", first, given, None, None, size(0), 1)
    call("cuMemsetD32Async", to, 3, size(4), first)
    call("cuStreamEndCapture", first, None)
    call("cuGraphGetNodes", given, None, ctypes.byref(count))
    assert count.value == 1
    # A capture that does not join its streams, or waits, is rejected.
    call("cuStreamBeginCapture_v2", first, 1)
    call("cuEventRecord", event, first)
    call("cuStreamWaitEvent", second, event, 0)
    call("cuMemsetD32Async", to, 1, size(4), second)
    expect(904, "cuStreamEndCapture", first, ctypes.byref(captured))
    call("cuStreamBeginCapture_v2", first, 1)
    expect(900, "cuStreamSynchronize", first)
    expect(901, "cuStreamEndCapture", first, ctypes.byref(captured))


class Alloc(ctypes.Structure):
    _fields_ = [("kind", i32), ("handles", i32), ("location", i32 * 2), ("reserved", ctypes.c_uint8 * 72)]
    _fields_ += [("access", pointer), ("access_count", size), ("size", size), ("address", pointer)]


def graph_memory(add):
    """Tests nodes that allocate and free memory, created directly and by capture, and objects that live as long as
    their graphs."""
    to, graph, context = memory(), made("cuGraphCreate", 0), made("cuCtxGetCurrent")
    asked = Alloc(1, 0, (1, 0), size=16)
    last = made("cuGraphAddMemAllocNode", graph, None, size(0), ctypes.byref(asked))
    assert asked.address
    own = pointer(asked.address)
    parameters = Launch(own, ctypes.c_uint32(4))
    node = KernelNode(add, (1, 1, 1, 4, 1, 1), 0, ctypes.cast(parameters.places, pointer))
    boxes = Boxes(from_kind=DEVICE, from_device=own, to_kind=DEVICE, to_device=to, width=16, height=1, depth=1)
    for name, *rest in (
        ("cuGraphAddMemsetNode", ctypes.byref(Fill(own, 0, 5, 4, 4, 1)), context),
        ("cuGraphAddKernelNode_v2", ctypes.byref(node)),
        ("cuGraphAddMemcpyNode", ctypes.byref(boxes), context),
        ("cuGraphAddMemFreeNode", own),
    ):
        last = made(name, graph, (pointer * 1)(last), size(1), *rest)
    freed = pointer()
    call("cuGraphMemFreeNodeGetParams", last, ctypes.byref(freed))
    assert freed.value == asked.address
    expect(1, "cuGraphAddMemFreeNode", ctypes.byref(pointer()), graph, None, size(0), None)
    gone = threading.Event()
    callback = ctypes.CFUNCTYPE(None, pointer)(lambda _: gone.set())
    thing = made("cuUserObjectCreate", None, callback, 1, 1)
    call("cuGraphRetainUserObject", graph, thing, 1, 1)
    expect(1, "cuUserObjectRelease", thing, 0)
    execution = made("cuGraphInstantiateWithFlags", graph, i64(0))
    call("cuGraphDestroy", graph)
    for _ in range(2):
        call("cuGraphLaunch", execution, None)
        assert numbers(to) == [6] * 4
    assert not gone.is_set()
    call("cuGraphExecDestroy", execution)
    assert gone.wait(10), "the object of a graph stays"
    # The memory of this captured graph is only freed by the client.
    stream, captured = made("cuStreamCreate", 1), pointer()
    call("cuStreamBeginCapture_v2", stream, 1)
    own = made("cuMemAllocAsync", size(16), stream)
    call("cuMemsetD32Async", own, 8, size(4), stream)
    call("cuStreamEndCapture", stream, ctypes.byref(captured))
    execution = made("cuGraphInstantiateWithFlags", captured, i64(0))
    call("cuGraphLaunch", execution, stream)
    call("cuStreamSynchronize", stream)
    assert numbers(own) == [8] * 4
    call("cuMemFree_v2", own)


class Conditional(ctypes.Structure):
    _fields_ = [("kind", i32), ("none", i32 * 3), ("handle", i64), ("type", i32), ("size", ctypes.c_uint)]
    _fields_ += [("graphs", ctypes.POINTER(pointer)), ("context", pointer), ("rest", ctypes.c_uint8 * 208)]


class Instantiation(ctypes.Structure):
    _fields_ = [("flags", i64), ("stream", pointer), ("node", pointer), ("result", i32)]


def conditions(add):
    """Tests nodes that launch graphs depending on results of kernels."""
    IF, WHILE, SWITCH = range(3)
    context, kept = made("cuCtxGetCurrent"), []
    assign, count = kernel(CONDITION, "assign"), kernel(CONDITION, "count")

    def handle(graph, first=0, flags=1):
        return made("cuGraphConditionalHandleCreate", graph, context, first, flags, kind=i64)

    def launched(graph, after, function, *values):
        kept.append(Launch(*values))
        node = KernelNode(function, (1, 1, 1, 1, 1, 1), 0, ctypes.cast(kept[-1].places, pointer))
        return made("cuGraphAddKernelNode_v2", graph, (pointer * 1)(after), size(after is not None), ctypes.byref(node))

    def branch(graph, after, condition, kind, graphs, expected=0, of=context):
        asked, node = Conditional(13, handle=condition.value, type=kind, size=graphs, context=of), pointer()
        where = graph, (pointer * 1)(after), None, size(after is not None)
        expect(expected, "cuGraphAddNode_v2", ctypes.byref(node), *where, ctypes.byref(asked))
        kept.append(asked)
        return node, [] if expected else [pointer(asked.graphs[i]) for i in range(graphs)]

    def place(i):
        return pointer(to.value + 4 * i)

    to = memory()
    one = ctypes.c_uint32(1)
    # The columns are the kind, the number of graphs, the value or None, the first value, and the number of launches of
    # each graph in two launches.
    for kind, graphs, value, first, times in (
        (IF, 1, 0, 0, [0]),
        (IF, 1, 5, 0, [2]),
        (IF, 2, 0, 1, [0, 2]),
        (IF, 2, 1, 0, [2, 0]),
        (IF, 1, None, 1, [2]),
        (SWITCH, 3, 0, 0, [2, 0, 0]),
        (SWITCH, 3, 2, 0, [0, 0, 2]),
        (SWITCH, 3, 3, 0, [0, 0, 0]),
        (SWITCH, 3, None, 0xFFFFFFFF, [0, 0, 0]),
    ):
        call("cuMemsetD32_v2", to, 0, size(4))
        graph = made("cuGraphCreate", 0)
        condition = handle(graph, first)
        set_first = None if value is None else launched(graph, None, assign, condition, ctypes.c_uint32(value))
        node, inner = branch(graph, set_first, condition, kind, graphs)
        for i in range(graphs):
            launched(inner[i], None, add, place(i), one)
        launched(graph, node, add, place(3), one)
        execution = made("cuGraphInstantiateWithFlags", graph, i64(0))
        for _ in range(2):
            call("cuGraphLaunch", execution, None)
        assert numbers(to) == [*times, *[0] * (3 - graphs), 2], (kind, graphs, value, first, numbers(to))
        call("cuGraphDestroy", graph)
        call("cuGraphExecDestroy", execution)
    # This loop contains a branch and is launched twice.
    call("cuMemsetD32_v2", to, 0, size(4))
    left = memory(1, 5)
    graph = made("cuGraphCreate", 0)
    again, choice = handle(graph, 1), handle(graph)
    node, (body,) = branch(graph, None, again, WHILE, 1)
    kind = i32()
    call("cuGraphNodeGetType", node, ctypes.byref(kind))
    assert kind.value == 13
    last = launched(body, launched(body, None, count, again, left), assign, choice, one)
    _, (taken, other) = branch(body, last, choice, IF, 2)
    launched(taken, None, add, place(0), one)
    launched(other, None, add, place(1), one)
    execution = made("cuGraphInstantiateWithFlags", graph, i64(0))
    for turns in (5, 8):
        call("cuGraphLaunch", execution, None)
        assert numbers(to) == [turns, 0, 0, 0], numbers(to)
        call("cuMemsetD32_v2", left, 3, size(1))
    # The driver rejects these.
    none = pointer()
    expect(1, "cuGraphDestroy", body)
    expect(801, "cuGraphInstantiateWithFlags", ctypes.byref(none), body, i64(0))
    expect(801, "cuGraphClone", ctypes.byref(none), graph)
    expect(801, "cuGraphAddChildGraphNode", ctypes.byref(none), made("cuGraphCreate", 0), None, size(0), graph)
    graph = made("cuGraphCreate", 0)
    expect(1, "cuGraphConditionalHandleCreate", None, graph, context, 0, 0)
    expect(1, "cuGraphConditionalHandleCreate", ctypes.byref(i64()), None, context, 0, 0)
    expect(201, "cuGraphConditionalHandleCreate", ctypes.byref(i64()), graph, None, 0, 0)
    expect(1, "cuGraphConditionalHandleCreate", ctypes.byref(i64()), graph, context, 0, 2)
    condition = handle(graph, 7, 0)
    for kind, graphs in ((IF, 0), (IF, 3), (WHILE, 0), (WHILE, 2), (SWITCH, 0), (3, 1)):
        branch(graph, None, condition, kind, graphs, 1)
    branch(graph, None, condition, IF, 1, 201, None)
    branch(graph, None, i64(), IF, 1, 1)
    branch(made("cuGraphCreate", 0), None, condition, IF, 1, 1)
    asked = Instantiation()
    expect(1, "cuGraphInstantiateWithParams", ctypes.byref(none), graph, ctypes.byref(asked))
    assert asked.result == 5, "a condition without a node"
    _, (body,) = branch(graph, None, condition, IF, 1)
    branch(graph, None, condition, IF, 1, 1)
    callback = ctypes.CFUNCTYPE(None, pointer)(lambda _: None)
    host = made("cuGraphAddHostNode", body, None, size(0), (pointer * 2)(ctypes.cast(callback, pointer), None))
    expect(1, "cuGraphInstantiateWithParams", ctypes.byref(none), graph, ctypes.byref(asked))
    assert asked.result == 3 and asked.node == host.value


def identities():
    """Tests the numbers of graphs and nodes, which drivers of CUDA 13.0 do not report yet."""
    graph, found, number = made("cuGraphCreate", 0), pointer(), ctypes.c_uint
    nodes = [made("cuGraphAddEmptyNode", graph, None, size(0)) for _ in range(2)]
    execution = made("cuGraphInstantiateWithFlags", graph, i64(0))

    def told(name, of, kind=number):
        value = kind()
        call(name, of, ctypes.byref(value))
        return value.value

    seen = {told("cuGraphGetId", of) for of in (graph, made("cuGraphCreate", 0))}
    assert len(seen | {told("cuGraphExecGetId", execution)}) == 3
    assert len({told("cuGraphNodeGetLocalId", node) for node in nodes}) == 2
    assert len({told("cuGraphNodeGetToolsId", node, i64) for node in nodes}) == 2
    call("cuGraphNodeGetContainingGraph", nodes[0], ctypes.byref(found))
    assert found.value == graph.value
    expect(1, "cuGraphGetId", execution, ctypes.byref(number()))
    expect(1, "cuGraphNodeGetLocalId", nodes[0], None)
    # These are the parameters of a node of any kind.
    to, context = memory(), made("cuCtxGetCurrent")
    fill = made("cuGraphAddMemsetNode", graph, None, size(0), ctypes.byref(Fill(to, 0, 5, 4, 4, 1)), context)
    asked = (ctypes.c_uint32 * 64)()
    call("cuGraphNodeGetParams", fill, asked)
    assert asked[0] == 2 and list(asked[8:10]) == [5, 4], list(asked)
    asked[8] = 6
    call("cuGraphNodeSetParams", fill, asked)
    execution = made("cuGraphInstantiateWithFlags", graph, i64(0))
    call("cuGraphLaunch", execution, None)
    assert numbers(to) == [6] * 4
    asked[8] = 7
    call("cuGraphExecNodeSetParams", execution, fill, asked)
    call("cuGraphLaunch", execution, None)
    assert numbers(to) == [7] * 4
    # Nothing can be removed from a graph that allocates memory.
    made("cuGraphAddMemAllocNode", graph, None, size(0), ctypes.byref(Alloc(1, 0, (1, 0), size=16)))
    expect(801, "cuGraphDestroyNode", fill)


def hints():
    """Tests that the hints for the location of managed memory can be read."""
    managed = made("cuMemAllocManaged", size(4096), 1)
    device = i64(1)  # a location on device 0
    call("cuMemAdvise_v2", managed, size(4096), 3, device)
    call("cuMemAdvise_v2", managed, size(4096), 1, device)
    call("cuMemPrefetchAsync_v2", managed, size(4096), device, 0, None)
    call("cuCtxSynchronize")
    for attribute, expected in ((1, 1), (2, 0), (4, 0), (5, 1), (7, 1)):
        found = i32(-9)
        call("cuMemRangeGetAttribute", ctypes.byref(found), size(4), attribute, managed, size(4096))
        assert found.value == expected, (attribute, found.value)
    expect(1, "cuMemAdvise_v2", managed, size(4096), 99, device)
    expect(1, "cuMemPrefetchAsync_v2", memory(), size(16), device, 0, None)
    call("cuMemFree_v2", managed)


class Description(ctypes.Structure):
    _fields_ = [("width", size), ("height", size), ("depth", size), ("format", i32)]
    _fields_ += [("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]


class Resource(ctypes.Structure):
    _fields_ = [("kind", i32), ("array", pointer), ("rest", pointer * 15), ("flags", ctypes.c_uint)]


class Texture(ctypes.Structure):
    _fields_ = [("modes", i32 * 3), ("filter", i32), ("flags", ctypes.c_uint), ("anisotropy", ctypes.c_uint)]
    _fields_ += [("level_filter", i32), ("levels", ctypes.c_float * 3), ("border", ctypes.c_float * 4)]
    _fields_ += [("reserved", i32 * 12)]


def images():
    f32, stores = 0x20, 2
    array = made("cuArray3DCreate_v2", ctypes.byref(Description(4, 3, 0, f32, 1, stores)))
    texels = (ctypes.c_float * 12)(*range(12))
    boxes = Boxes(from_kind=HOST, from_host=ctypes.addressof(texels), from_pitch=16, to_kind=ARRAY, to_array=array)
    boxes.width, boxes.height, boxes.depth = 16, 3, 1
    call("cuMemcpy3D_v2", ctypes.byref(boxes))
    resource = ctypes.byref(Resource(0, array))
    texture = made("cuTexObjectCreate", resource, ctypes.byref(Texture((1, 1, 1))), None, kind=i64)
    to = memory(12)
    launch(kernel(READ, "read"), [to, texture], block=(4, 3))
    out = (ctypes.c_float * 12)()
    call("cuMemcpyDtoH_v2", out, to, size(48))
    assert list(out) == list(range(12)), list(out)
    # These copies use memory with gaps between its rows.
    place, pitch = pointer(), size()
    call("cuMemAllocPitch_v2", ctypes.byref(place), ctypes.byref(pitch), size(16), size(3), 4)
    boxes = Boxes(from_kind=HOST, from_host=ctypes.addressof(texels), from_pitch=16, to_kind=DEVICE, to_device=place)
    boxes.to_pitch, boxes.width, boxes.height, boxes.depth = pitch.value, 16, 3, 1
    call("cuMemcpy3D_v2", ctypes.byref(boxes))

    def rows(step):
        return ctypes.byref(Resource(3, place, (pointer * 15)(f32 | 1 << 32, 4, 3, step)))

    asked = ctypes.byref(Texture((1, 1, 1)))
    expect(1, "cuTexObjectCreate", ctypes.byref(i64()), rows(24), asked, None)
    texture = made("cuTexObjectCreate", rows(pitch.value), asked, None, kind=i64)
    call("cuMemsetD32_v2", to, 0, size(12))
    launch(kernel(READ, "read"), [to, texture], block=(4, 3))
    call("cuMemcpyDtoH_v2", out, to, size(48))
    assert list(out) == list(range(12)), list(out)
    boxes = Boxes(from_kind=HOST, from_host=ctypes.addressof(texels), from_pitch=16, to_kind=ARRAY, to_array=array)
    boxes.width, boxes.height, boxes.depth = 16, 3, 1
    surface = made("cuSurfObjectCreate", ctypes.byref(Resource(0, array)), kind=i64)
    launch(kernel(READ, "write"), [surface], block=(4, 3))
    back = (i32 * 4)()
    call("cuCtxSynchronize")
    row = Boxes(from_kind=ARRAY, from_array=array, from_at=(0, 2, 0, 0), to_kind=HOST, to_host=ctypes.addressof(back))
    row.width, row.height, row.depth = 16, 1, 1
    call("cuMemcpy3D_v2", ctypes.byref(row))
    assert list(back) == [20, 21, 22, 23], list(back)
    boxes.width = 20
    expect(1, "cuMemcpy3D_v2", ctypes.byref(boxes))
    call("cuTexObjectDestroy", texture)
    call("cuSurfObjectDestroy", surface)
    call("cuArrayDestroy", array)
    expect(1, "cuArray3DCreate_v2", ctypes.byref(pointer()), ctypes.byref(Description(4, 3, 0, f32, 3, 0)))


class Properties(ctypes.Structure):
    _fields_ = [("kind", i32), ("handles", i32), ("location", i32 * 2), ("windows", pointer), ("flags", i64)]


class Access(ctypes.Structure):
    _fields_ = [("location", i32 * 2), ("flags", ctypes.c_uint)]


def mapped(add):
    properties = Properties(1, 0, (1, 0))
    step = made("cuMemGetAllocationGranularity", ctypes.byref(properties), 0, kind=size)
    begin = made("cuMemAddressReserve", size(2 * step.value), size(0), pointer(0), i64(0))
    pieces = [made("cuMemCreate", step, ctypes.byref(properties), i64(0), kind=i64) for _ in range(2)]
    for place, piece in enumerate(pieces):
        call("cuMemMap", pointer(begin.value + place * step.value), step, size(0), piece, i64(0))
        call("cuMemRelease", piece)
    call("cuMemSetAccess", begin, size(2 * step.value), ctypes.byref(Access((1, 0), 3)), size(1))
    middle = pointer(begin.value + step.value - 8)  # across the boundary of two pieces
    call("cuMemsetD32_v2", middle, 3, size(4))
    launch(add, [middle, ctypes.c_uint32(4)])
    assert numbers(middle) == [4] * 4
    call("cuMemUnmap", begin, size(2 * step.value))
    call("cuMemUnmap", begin, size(2 * step.value))
    call("cuMemAddressFree", begin, size(2 * step.value))


# The texts refer to a function and a variable of each other, and use some private names twice.
CALLER = (
    HEAD
    + """
.extern .func (.param .b32 out) twice(.param .b32 in);
.extern .global .u32 offset;
.global .u32 own = 10;
.visible .entry main(.param .u64 to) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<2>;
  .param .b32 in, out;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [own];
  st.param.b32 [in], %r1;
  call (out), twice, (in);
  ld.param.b32 %r2, [out];
  ld.global.u32 %r3, [offset];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%rd1], %r4;
  ret;
}
"""
)
CALLED = (
    HEAD
    + """
.visible .global .u32 offset = 100;
.global .u32 own = 1000;
.visible .func (.param .b32 out) twice(.param .b32 in) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [in];
  ld.global.u32 %r2, [own];
  mad.lo.u32 %r3, %r1, 2, %r2;
  st.param.b32 [out], %r3;
  ret;
}
"""
)
NO_RESULT = CALLED.replace(".func (.param .b32 out) twice", ".func twice").replace("st.param.b32 [out], %r3;", "")
WEAK = CALLED.replace(".visible", ".weak").replace("= 1000", "= 2000").replace("= 100;", "= 200;")


def link(*texts, last=0, status=0):
    """Tests that one result depends on the last text only, and the other one on all of them."""
    linking = pointer()
    call("cuLinkCreate_v2", 0, None, None, ctypes.byref(linking))
    for text in texts:
        data = text.encode() + b"\0"
        expected = last if text is texts[-1] else 0
        expect(expected, "cuLinkAddData_v2", linking, 1, data, size(len(data)), b"text", 0, None, None)
    if last:
        call("cuLinkDestroy", linking)
        return None
    image, length = pointer(), size()
    expect(status, "cuLinkComplete", linking, ctypes.byref(image), ctypes.byref(length))
    if status:
        call("cuLinkDestroy", linking)
        return None
    module = made("cuModuleLoadData", image)
    call("cuLinkDestroy", linking)
    to = memory()
    launch(made("cuModuleGetFunction", module, b"main"), [to], block=(1, 1))
    return numbers(to)[0]


def linker():
    for texts in ((CALLER, CALLED), (CALLED, CALLER), (CALLER, CALLED, WEAK), (WEAK, CALLER, CALLED)):
        assert link(*texts) == 1120, texts
    for texts in ((CALLER, WEAK), (WEAK, CALLER)):
        assert link(*texts) == 2220, texts
    link(CALLER, status=300)
    link(CALLER, CALLED, CALLED + " ", last=300)
    link(CALLER, CALLED.replace("ret;", "rte;"), last=218)
    for texts in ((CALLER, NO_RESULT), (NO_RESULT, CALLER)):
        link(*texts, last=300)


# Each block counts and waits for all others, and counts again if it sees that all have counted.
WAITS = (
    HEAD
    + """
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry main(.param .u64 to) {
  .reg .pred %some;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  .param .b64 handle, waited;
  .param .b32 number, error;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd1, %rd1;
  atom.global.add.u32 %r1, [%rd1], 1;
  st.param.b32 [number], 1;
  call (handle), cudaCGGetIntrinsicHandle, (number);
  ld.param.b64 %rd2, [handle];
  st.param.b32 [number], 0;
  st.param.b64 [waited], %rd2;
  call (error), cudaCGSynchronize, (waited, number);
  ld.param.b32 %r1, [error];
  ld.global.u32 %r2, [%rd1];
  add.u32 %r2, %r2, %r1;
  setp.eq.u32 %some, %r2, 12;
  @%some red.global.add.u32 [%rd1+4], 1;
  ret;
}
"""
)


def device_runtime():
    """Tests the functions for cooperative grids of libcudadevrt.a, which has no PTX and is known to the driver."""
    linking, image = pointer(), pointer()
    call("cuLinkCreate_v2", 0, None, None, ctypes.byref(linking))
    for kind, data in ((1, WAITS.encode() + b"\0"), (4, b"!<arch>\ncuda_device_runtime.o/")):
        call("cuLinkAddData_v2", linking, kind, data, size(len(data)), b"", 0, None, None)
    call("cuLinkComplete", linking, ctypes.byref(image), None)
    module = made("cuModuleLoadData", image)
    call("cuLinkDestroy", linking)
    to = memory()
    function = made("cuModuleGetFunction", module, b"main")
    call("cuLaunchCooperativeKernel", function, 3, 1, 1, 4, 1, 1, 0, None, Launch(to).places)
    assert numbers(to)[:2] == [12, 12]


HEAP = (
    HEAD
    + """
.extern .func (.param .b64 place) malloc(.param .b64 bytes);
.func (.param .b32 number) answer() {
  st.param.b32 [number], 78;
  ret;
}
.visible .entry make(.param .u64 to) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  .param .b64 bytes, place;
  ld.param.u64 %rd1, [to];
  st.param.b64 [bytes], 64;
  call (place), malloc, (bytes);
  ld.param.b64 %rd2, [place];
  mov.u32 %r1, 77;
  st.u32 [%rd2], %r1;
  mov.u64 %rd3, answer;
  st.u64 [%rd2+8], %rd3;
  st.global.u64 [%rd1], %rd2;
  ret;
}
.visible .entry use(.param .u64 to) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  .param .b32 number;
  ld.param.u64 %rd1, [to];
  ld.global.u64 %rd2, [%rd1];
  ld.u32 %r1, [%rd2];
  st.global.u32 [%rd1+8], %r1;
  ld.u64 %rd3, [%rd2+8];
form: .callprototype (.param .b32 _) _ ();
  call (number), %rd3, (), form;
  ld.param.b32 %r1, [number];
  st.global.u32 [%rd1+12], %r1;
  ret;
}
"""
)


def heap():
    """Tests that memory allocated by a kernel stays valid: the next kernel may use it, and call a function whose
    address it contains."""
    module, to = made("cuModuleLoadData", HEAP.encode()), memory()
    for name in (b"make", b"use"):
        launch(made("cuModuleGetFunction", module, name), [to], block=(1, 1))
        call("cuCtxSynchronize")
    assert numbers(to)[2:] == [77, 78], numbers(to)


def anywhere():
    """Tests the calls that need no context."""
    library, kind = made("cuLibraryLoadData", ADD.encode(), None, None, 0, None, None, 0), i32()
    function = made("cuLibraryGetKernel", library, b"add")
    call("cuKernelGetAttribute", ctypes.byref(kind), 0, function, 0)
    expect(201, "cuKernelGetFunction", ctypes.byref(pointer()), function)
    expect(201, "cuMemAlloc_v2", ctypes.byref(pointer()), size(16))
    own = pointer(ctypes.addressof(kind))
    expect(1, "cuPointerGetAttribute", ctypes.byref(kind), 2, own)
    call("cuPointerGetAttributes", 1, (i32 * 1)(2), (pointer * 1)(own), own)
    call("cuLibraryUnload", library)


call("cuInit", 0)
anywhere()
begin()
name = ctypes.create_string_buffer(100)
call("cuDeviceGetName", name, 100, 0)
onGpu = b"ptxray" not in name.value
increments = kernel(ADD, "add")
graphs(increments)
graph_memory(increments)
heap()
conditions(increments)
hints()
images()
mapped(increments)
linker()
pinned = streams(increments)
if not onGpu:
    device_runtime()
    identities()
    late(increments, pinned)
print(name.value.decode(), "streams, graphs, images, maps and links")
