"""Tests driver calls in unusual situations: edges_test.py LIBCUDA. Unless a comment says otherwise, an H200 with
driver 13.0 answers the same."""

import ctypes
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "emulate"))
from calls import checked

library = pathlib.Path(sys.argv[1]).resolve()
KERNELS = pathlib.Path(__file__).resolve().parents[1] / "emulate"
MIB = 1 << 20

cuda = ctypes.CDLL(str(library))
call, expect = checked(cuda)
pointer, number, size, address = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_uint64
ref = ctypes.byref


def made(name, *arguments, kind=pointer):
    value = kind()
    call(name, ref(value), *arguments)
    return value


def pools_need_no_context():
    pool = made("cuDeviceGetDefaultMemPool", 0)
    threshold, got = address(1 << 30), address()
    call("cuMemPoolSetAttribute", pool, 4, ref(threshold))
    call("cuMemPoolGetAttribute", pool, 4, ref(got))
    assert got.value == threshold.value
    call("cuMemPoolTrimTo", pool, size(0))
    call("cuDeviceSetMemPool", 0, pool)
    own = made("cuMemPoolCreate", (number * 22)(1, 0, 1, 0))
    call("cuMemPoolDestroy", own)


def large_blocks_are_aligned():
    kept = []
    for allocate, *rest in (("cuMemAlloc_v2",), ("cuMemAllocManaged", 1), ("cuMemHostAlloc", 0)):
        for count in (8, 5 * MIB + 1, 513, MIB, MIB + 1, 3 * MIB, 70000, 2 * MIB):
            block = made(allocate, size(count), *rest, kind=address)
            alignment = 2 * MIB if count > MIB else 256
            assert block.value % alignment == 0, (allocate, count, hex(block.value))
            assert all(block.value >= end or block.value + count <= begin for begin, end in kept)
            kept.append((block.value, block.value + count))
            call("cuMemsetD8_v2", block, 7, size(count))
    call("cuMemGetInfo_v2", None, None)


def destroyed_handles():
    event, other, stream = made("cuEventCreate", 0), made("cuEventCreate", 0), made("cuStreamCreate", 0)
    time = ctypes.c_float()
    call("cuEventDestroy_v2", event)
    call("cuStreamDestroy_v2", stream)
    expect(709, "cuEventDestroy_v2", event)
    expect(709, "cuEventRecord", event, None)
    expect(709, "cuEventSynchronize", event)
    expect(709, "cuEventQuery", event)
    expect(709, "cuEventElapsedTime", ref(time), event, other)
    expect(201, "cuStreamDestroy_v2", stream)
    expect(201, "cuStreamSynchronize", stream)
    expect(400, "cuEventRecord", pointer(0x1234560), None)
    context, before = made("cuCtxCreate_v2", 0, 0), made("cuCtxGetCurrent")
    assert context.value == before.value
    call("cuCtxDestroy_v2", context)
    expect(709, "cuCtxDestroy_v2", context)
    call("cuCtxSetCurrent", context)
    expect(709, "cuMemAlloc_v2", ref(address()), size(8))
    call("cuCtxPushCurrent_v2", context)
    expect(709, "cuCtxSynchronize")
    call("cuCtxPopCurrent_v2", None)
    call("cuCtxSetCurrent", primary)


def graph_flags():
    """Tests that a kernel cannot launch a graph that frees its memory when it is launched."""
    graph, exec_ = made("cuGraphCreate", 0), pointer()
    expect(1, "cuGraphInstantiateWithFlags", ref(exec_), graph, ctypes.c_ulonglong(1 | 4))
    call("cuGraphInstantiateWithFlags", ref(exec_), graph, ctypes.c_ulonglong(1))


# The columns are the bytes of static shared memory, the function's limit (0: unchanged), threads, and blocks. None
# means an error.
SHARED = {
    (0, 0, 32): {1: 49152, 2: 49152, 4: 49152, 7: 33280, 8: 29184, 16: 14592, 32: 7296, 33: None},
    (0, 0, 256): {1: 49152, 8: 29184, 16: None},
    (0, 0, 1024): {2: 49152, 3: None},
    (0, 180000, 32): {1: 180000, 2: 116736, 3: 77824, 4: 58368, 7: 33280, 32: 7296, 33: None},
    (1024, 0, 256): {1: 48128, 4: 48128, 7: 32256, 8: 28160, 16: None},
    (1024, 180000, 32): {1: 180000, 2: 115712, 3: 76800, 16: 13568, 32: 6272},
    (40000, 0, 32): {1: 9152, 2: 9152, 4: 9152, 7: None},
    (40000, 180000, 1024): {1: 180000, 2: 76736, 3: None},
}


def available_shared_memory():
    for (own, limit, threads), wanted in SHARED.items():
        tile, use = (f".shared .align 8 .b8 s[{own}];", "st.shared.u64 [s], a;") if own else ("", "")
        body = f"{tile} .reg .b64 a; ld.param.u64 a, [p]; {use} st.global.u64 [a], a; ret;"
        text = f".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{ {body} }}"
        kernel = made("cuModuleGetFunction", made("cuModuleLoadData", text.encode()), b"k")
        if limit:
            call("cuFuncSetAttribute", kernel, 8, limit)
        for blocks, bytes_ in wanted.items():
            got = size(7)
            status = cuda.cuOccupancyAvailableDynamicSMemPerBlock(ref(got), kernel, blocks, threads)
            expected = (1, 7) if bytes_ is None else (0, bytes_)
            assert (status, got.value) == expected, (own, limit, threads, blocks, got)
    count = size()
    call("cuFuncGetParamCount", kernel, ref(count))
    assert count.value == 1


def tensor_map_of_one_dimension():
    text = (KERNELS / "tensor_map_of_rank_one.ptx").read_bytes()
    kernel = made("cuModuleGetFunction", made("cuModuleLoadData", text), b"copy")
    source, target, place = (made("cuMemAlloc_v2", size(count), kind=address) for count in (256, 256, 128))
    values, left = (ctypes.c_uint32 * 64)(*range(1, 65)), (ctypes.c_uint32 * 64)()
    call("cuMemcpyHtoD_v2", source, values, size(256))
    parameters = (pointer * 3)(*(ctypes.cast(ref(one), pointer) for one in (source, target, place)))
    call("cuLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, None, parameters, None)
    call("cuMemcpyDtoH_v2", left, target, size(256))
    assert list(left)[:32] == list(range(1, 33)), list(left)


def started(code, **environment):
    """Runs code with `cuda` and a number `n` in a process with these variables."""
    lines = f"import ctypes\ncuda, n = ctypes.CDLL({str(library)!r}), ctypes.c_int(-1)\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", lines], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60
    )
    return done.stdout.split(), done.stderr


def visible_devices():
    code = "print(cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(n)), n.value)"
    hidden, twice, visible = ["100", "3", "-1"], ["101", "3", "-1"], ["0", "0", "1"]
    wanted = {"": hidden, "-1": hidden, "7": hidden, "7,0": hidden, ",0": hidden, "abc": hidden, "GPU-0": hidden}
    wanted |= {"0,0": twice, "0": visible, "0,7": visible, " 0": visible, "00": visible, "0abc": visible}
    wanted |= {"0,-1": visible, "0;1": visible, "GPU-70747872": visible}  # the last one is the emulated device's own id
    for text, result in wanted.items():
        assert started(code, CUDA_VISIBLE_DEVICES=text)[0] == result, text


def settings_that_make_no_sense():
    """Tests ptxray's own settings: a wrong one is an error, with a message that lists the possible values."""
    code = "print(cuda.cuInit(0))"
    for name, value, expected in (
        ("PTXRAY_DEVICE", "sm_70", "expected one of sm_75, sm_80"),
        ("PTXRAY_SCHEDULE", "nonsense", "expected eager, lazy"),
        ("PTXRAY_SCHEDULES", "-3", "expected a number of launches"),
        ("PTXRAY_TIME_LIMIT", "soon", "expected a number of seconds"),
    ):
        output, errors = started(code, **{name: value})
        assert output == ["100"] and f"`{name}={value}`: {expected}" in errors, (name, output, errors)
    output, errors = started(code, PTXRAY_REPORT="/nonexistent/report")
    assert output == ["0"] and "cannot write the report `/nonexistent/report`" in errors, (output, errors)


def time_limit():
    """Tests that a kernel that never ends is an error with a message after PTXRAY_TIME_LIMIT seconds."""
    code = f"""
p, m, f = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(p), 0), cuda.cuCtxSetCurrent(p)
cuda.cuModuleLoadData(ctypes.byref(m), open({str(KERNELS / "endless.ptx")!r}, "rb").read())
cuda.cuModuleEnumerateFunctions(ctypes.byref(f), 1, m)
values = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.byref(p), ctypes.c_void_p)] * 4)
print(cuda.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, None, values, None), cuda.cuCtxSynchronize())
"""
    output, errors = started(code, PTXRAY_TIME_LIMIT="0.2")
    assert output == ["0", "702"] and "has not ended after" in errors, (output, errors)


call("cuInit", 0)
pools_need_no_context()
primary = made("cuDevicePrimaryCtxRetain", 0)
call("cuCtxSetCurrent", primary)
for test in (
    large_blocks_are_aligned,
    destroyed_handles,
    graph_flags,
    available_shared_memory,
    tensor_map_of_one_dimension,
    visible_devices,
    settings_that_make_no_sense,
    time_limit,
):
    test()
