"""Tests `ptxray record` and `ptxray replay` with the emulated driver: record_test.py PTXRAY DRIVER NVRTC. A client
launches kernels that access memory through their parameters, through words in memory and through variables. Each
launch is replayed."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
program, driver = str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(sys.argv[2]).resolve())

# The kernel adds the numbers at two addresses in a list, counts in a variable, and writes through a parameter that
# points into the middle of memory.
PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 8 .u64 list[2];
.visible .global .align 4 .u32 count;
.visible .const .align 4 .u32 factor = 3;
.visible .entry gather(.param .u64 to, .param .align 8 .b8 pair[16])
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [pair+8];
    ld.global.u64 %rd3, [list];
    ld.global.u64 %rd4, [list+8];
    ld.global.u32 %r1, [%rd3];
    ld.global.u32 %r2, [%rd4];
    ld.global.u32 %r3, [%rd2];
    ld.const.u32 %r4, [factor];
    add.u32 %r1, %r1, %r2;
    mad.lo.u32 %r1, %r3, %r4, %r1;
    st.global.u32 [%rd1+2048], %r1;
    st.global.u64 [%rd1+4096], %rd3;
    atom.global.add.u32 %r5, [count], 1;
    ret;
}
.visible .entry trap(.param .u64 to)
{
    trap;
    ret;
}
// Writes the sum of a filtered texel and one of linear memory to memory, and doubled to a surface.
.visible .entry draw(.param .align 8 .b8 images[24], .param .u64 to)
{
    .reg .f32 %f<12>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [images];
    ld.param.u64 %rd2, [images+8];
    ld.param.u64 %rd3, [images+16];
    ld.param.u64 %rd4, [to];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f32.u32 %f2, %r2;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
    tex.1d.v4.f32.s32 {%f7, %f8, %f9, %f10}, [%rd2, {%r1}];
    add.f32 %f3, %f3, %f7;
    mad.lo.u32 %r3, %r2, 4, %r1;
    mul.wide.u32 %rd5, %r3, 4;
    add.u64 %rd4, %rd4, %rd5;
    st.global.f32 [%rd4], %f3;
    add.f32 %f3, %f3, %f3;
    shl.b32 %r4, %r1, 2;
    mov.b32 %r5, %f3;
    sust.b.2d.b32.trap [%rd3, {%r4, %r2}], %r5;
    ret;
}
"""
CLIENT = f"""
import ctypes, sys
PTX = {PTX.encode()!r}
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *words):
    assert not getattr(cuda, name)(*words), name
def handle(name, *words):
    made = ctypes.c_void_p()
    call(name, ctypes.byref(made), *words)
    return made
def memory(*numbers):
    made = handle("cuMemAlloc_v2", ctypes.c_size_t(8192))
    call("cuMemsetD8_v2", made, 0, ctypes.c_size_t(8192))
    call("cuMemcpyHtoD_v2", made, (ctypes.c_uint32 * len(numbers))(*numbers), ctypes.c_size_t(4 * len(numbers)))
    return made
def found(name):  # as the runtime looks for functions
    made, status = ctypes.c_void_p(), ctypes.c_int()
    call("cuGetProcAddress_v2", name, ctypes.byref(made), 13000, ctypes.c_uint64(0), ctypes.byref(status))
    return made.value
call("cuInit", 0)
call("cuCtxSetCurrent", handle("cuDevicePrimaryCtxRetain", 0))
assert found(b"cuLaunchKernel") == ctypes.cast(cuda.cuLaunchKernel, ctypes.c_void_p).value
assert found(b"cuMemAlloc") == ctypes.cast(cuda.cuMemAlloc_v2, ctypes.c_void_p).value
module = handle("cuModuleLoadData", PTX)
gather, trap = (handle("cuModuleGetFunction", module, name) for name in (b"gather", b"trap"))
to, one, other, third = memory(), memory(40), memory(2), memory(100)
size = ctypes.c_size_t()
place = handle("cuModuleGetGlobal_v2", ctypes.byref(size), module, b"list")
call("cuMemcpyHtoD_v2", place, (ctypes.c_uint64 * 2)(one.value, other.value), ctypes.c_size_t(16))
pair = (ctypes.c_uint64 * 2)(7, third.value)
def launch(function, *values):
    places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    return cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, places, None)
for _ in range(3):
    assert not launch(gather, to, pair)
left = (ctypes.c_uint32 * 1025)()
call("cuMemcpyDtoH_v2", left, to, ctypes.c_size_t(4100))
assert left[512] == 342, left[512]
if "graph" in sys.argv:
    # Captured: a fill, and the kernel; then a kernel of another memory in the place of the first.
    stream, graph, node, count = handle("cuStreamCreate", 1), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    call("cuStreamBeginCapture_v2", stream, 1)
    call("cuMemsetD32Async", third, 200, ctypes.c_size_t(1), stream)
    places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, (to, pair)))
    call("cuLaunchKernel", gather, 1, 1, 1, 1, 1, 1, 0, stream, places, None)
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    execution = handle("cuGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    call("cuGraphLaunch", execution, stream)
    call("cuStreamSynchronize", stream)
    call("cuMemcpyDtoH_v2", left, to, ctypes.c_size_t(4100))
    assert left[512] == 642, left[512]
    call("cuGraphGetNodes", graph, None, ctypes.byref(count))
    nodes, kind = (ctypes.c_void_p * count.value)(), ctypes.c_int()
    call("cuGraphGetNodes", graph, nodes, ctypes.byref(count))
    class Kernel(ctypes.Structure):
        _fields_ = [("function", ctypes.c_void_p), ("shape", ctypes.c_uint * 7), ("places", ctypes.c_void_p)]
        _fields_ += [("extra", ctypes.c_void_p), ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p)]
    for node in nodes:
        call("cuGraphNodeGetType", ctypes.c_void_p(node), ctypes.byref(kind))
        if kind.value == 0:
            elsewhere = memory()
            places[0] = ctypes.addressof(elsewhere)
            shape = (ctypes.c_uint * 7)(1, 1, 1, 1, 1, 1, 0)
            changed = Kernel(gather.value, shape, ctypes.cast(places, ctypes.c_void_p).value)
            call("cuGraphExecKernelNodeSetParams_v2", execution, ctypes.c_void_p(node), ctypes.byref(changed))
    call("cuGraphLaunch", execution, stream)
    call("cuStreamSynchronize", stream)
    call("cuMemcpyDtoH_v2", left, elsewhere, ctypes.c_size_t(4100))
    assert left[512] == 642, left[512]
if "images" in sys.argv:
    array = lambda: handle("cuArray3DCreate_v2", (ctypes.c_uint64 * 5)(4, 3, 0, 0x20 | 1 << 32, 2))
    def copied(to, number):  # rows of 16 bytes
        texels = (ctypes.c_float * 12)(*[number * i for i in range(12)])
        copy = (ctypes.c_uint64 * 25)()
        copy[4], copy[5], copy[9], copy[10] = 1, ctypes.addressof(texels), 16, 3
        copy[15], copy[18], copy[22], copy[23], copy[24] = 3, to.value, 16, 3, 1
        call("cuMemcpy3D_v2", copy)
        return to
    def resource(kind, *words):
        return (ctypes.c_uint64 * 18)(kind, *words)
    sampling = (ctypes.c_uint32 * 26)(1, 1, 1, 1)  # clamp, linear
    first, line, drawn = (ctypes.c_uint64() for _ in range(3))
    second = copied(array(), 2)
    call("cuTexObjectCreate", ctypes.byref(first), resource(0, copied(array(), 1).value), sampling, None)
    linear = resource(2, one.value, 0x20 | 1 << 32, 64)
    call("cuTexObjectCreate", ctypes.byref(line), linear, (ctypes.c_uint32 * 26)(), None)
    call("cuSurfObjectCreate", ctypes.byref(drawn), resource(0, second.value))
    images = (ctypes.c_uint64 * 3)(first.value, line.value, drawn.value)
    place = handle("cuModuleGetFunction", module, b"draw")
    places = (ctypes.c_void_p * 2)(ctypes.addressof(images), ctypes.addressof(to))
    call("cuLaunchKernel", place, 1, 1, 1, 4, 3, 1, 0, None, places, None)
    call("cuMemcpyDtoH_v2", left, to, ctypes.c_size_t(48))
if "trap" in sys.argv:
    launch(trap, to)
    assert cuda.cuCtxSynchronize()
    sys.exit(5)
"""


NOTHING = 7  # exit status if no launch was recorded


def run(*words, status=0, say=()):
    ran = subprocess.run([program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder)
    said = ran.stdout.decode(errors="replace")
    assert ran.returncode == status and all(text in said for text in say), (words, ran.returncode, said)
    return said


def record(*options, words=(), status=0, say=()):
    client = [sys.executable, "-c", CLIENT, *words]
    said = run("record", f"--driver={driver}", *options, "--", *client, status=status, say=say)
    return [pathlib.Path(path) for path in re.findall(r"^  (\S+) \(", said, re.MULTILINE)]


def recorded():
    """Tests which launches are recorded, and their replay."""
    [file] = record(say=["1 launch recorded", "2 launches beyond the number for each kernel (--each)"])
    assert file.name.startswith("gather-") and file.parent.name == "ptxray-recorded", file
    equal = "7 of 7 buffers are as recorded"
    run("replay", "--emulate", file, say=[equal])
    run("replay", file, "--emulate", "--schedules=4", "--out=0=hex", say=[equal, "00000156"])
    run("run", "--emulate", file, say=[equal])
    run("replay", "--emulate", file, "--type=u32", "--tolerance=1", say=[equal, "buffer count is as expected"])
    run("replay", "--emulate", file, "1", status=2)
    # This text for the same launch increases the variable twice.
    other = folder / "other.ptx"
    other.write_text(PTX.replace("atom.global.add.u32 %r5, [count], 1;", "atom.global.add.u32 %r5, [count], 2;"))
    run("replay", "--emulate", file, f"--ptx={other}", status=6, say=["6 of 7", "buffer count is not as expected"])
    other.write_text(PTX.replace("[%rd1+2048], %r1", "[%rd1+8192], %r1"))
    run("replay", "--emulate", file, f"--ptx={other}", status=1, say=["out-of-bounds"])
    # Launches of graphs are recorded as those of their kernels.
    files = record("--each=9", words=["graph"], say=["5 launches recorded", "1 launch into graphs"])
    for one in files:
        run("replay", "--emulate", one, say=[equal])
    return file


def limited():
    """Tests the options that limit which launches are recorded."""
    assert len(record("--each=2", "--skip=1", say=["(--skip)"])) == 2
    others = "3 launches of other kernels (--kernel)"
    assert not record("--kernel=none", status=NOTHING, say=["0 launches recorded", others])
    assert not record("--launches=0", status=NOTHING, say=["(--launches)"])
    [few] = record("--parameters-only")
    run("replay", "--emulate", few, status=1, say=["out-of-bounds"])  # the memory that `list` points to is missing
    [little] = record("--bytes=16K")
    run("replay", "--emulate", little, status=7, say=["not recorded: a part of 0x7"])
    [_, ended] = record("--launches=9", words=["trap"], status=5, say=["which did not end well"])
    run("replay", "--emulate", ended, status=1, say=["the recorded launch ended with error 719", "run-trap"])


def images():
    """Tests textures and surfaces of a launch whose handles are in a structure."""
    [file] = record("--kernel=draw", words=["images"], say=["1 launch recorded"])
    text = file.read_bytes().split(b"ptx ")[0].decode()
    assert re.search(r"^image 0 0 \S+ 0 tex=f32:4x3:linear:", text, re.MULTILINE), text
    assert re.search(r"^image 0 8 \S+ 0x\w+ tex=f32:16:buffer:", text, re.MULTILINE), text
    assert re.search(r"^image 0 16 \S+ 1 surf=f32:4x3$", text, re.MULTILINE), text
    equal = ["7 of 7 buffers are as recorded"]  # three variables, memory, and the surface
    run("replay", "--emulate", file, "--schedules=3", say=equal)
    run("replay", "--emulate", file, say=equal)
    other = folder / "other.ptx"
    other.write_text(PTX.replace("add.f32 %f3, %f3, %f3;", "add.f32 %f3, %f3, %f1;"))
    run("replay", "--emulate", file, f"--ptx={other}", status=6, say=["buffer 0+16 is not as expected"])
    # Impossible images are rejected.
    whole = file.read_bytes()
    body = whole.index(b"ptx ")
    for old, new in (
        (r"^image 0 0 (\S+) 0 ", r"image 0 0 \1 7 "),
        (r"^image 0 0 ", "image 0 20 "),
        (r"^image 0 0 ", "image 9 0 "),
        (r"tex=f32:4x3", "tex=f32:4x4"),
        (r"tex=f32:4x3", "tex=f32:0x3"),
        (r"tex=f32:4x3", "tex=f32:99999999999x3"),
        (r"tex=f32:4x3", "tex=f32:4294967295x4294967295x4294967295"),
        (r"tex=f32:4x3", "tex=f32x3:4x3"),
        (r"tex=f32:4x3:linear", "sampler=linear"),
        (r"tex=f32:16", "tex=f32:99999"),
    ):
        bad = folder / "bad.launch"
        head = re.sub(old.encode(), new.encode(), whole[:body], flags=re.MULTILINE)
        assert head != whole[:body], old
        bad.write_bytes(summed(whole, body, lambda _, head=head: head))
        run("replay", "--emulate", bad, status=2, say=["is a damaged recording"])


def remembered():
    """Tests that the PTX of a binary from NVRTC is stored under a name of the binary, wherever the program finds
    NVRTC."""
    client = """
import ctypes, os, pathlib, sys
nvrtc, binary, size = ctypes.CDLL(sys.argv[1]), ctypes.create_string_buffer(100), ctypes.c_size_t()
assert not nvrtc.nvrtcGetCUBINSize(None, ctypes.byref(size)) and not nvrtc.nvrtcGetCUBIN(None, binary)
assert binary.value == b"\x7fELF, as it were"
[text] = pathlib.Path(os.environ["PTXRAY_REMEMBER"]).glob(f"*-{size.value}.ptx")
assert text.read_text() == ".version 8.0\\n", text.read_bytes()
"""
    command = [sys.executable, "-c", client, pathlib.Path(sys.argv[3]).resolve()]
    run("record", f"--driver={driver}", "--", *command, status=NOTHING)


def refused():
    run("record", status=2, say=["the command is missing"])
    run("record", "--bytes=5G", "--", "true", status=2, say=["4G at most"])
    run("record", "--each=x", "--", "true", status=2)
    run("record", "--driver=/none", "--", "true", status=4, say=["no CUDA driver `/none`"])
    run("record", f"--driver={driver}", "--", "/none", status=2, say=["cannot be started"])
    run("record", f"--driver={driver}", "--", "true", status=NOTHING, say=["has not called the CUDA driver"])
    run("replay", ROOT / "test/emulate/saxpy.ptx", status=2, say=["is not a recording"])


def damaged(file):
    """Tests that each damage to a file is either reported in a sentence or found by the comparison."""
    whole = file.read_bytes()
    bad = folder / "bad.launch"

    def replay(data, status=2, *say):
        bad.write_bytes(data)
        run("replay", "--emulate", bad, status=status, say=say)

    body = whole.index(b"ptx ")
    for end in (19, 40, body, body + 60, len(whole) // 2, len(whole) - 1):
        replay(whole[:end], 2, "is a damaged recording")
    for place in (len(whole) - 20, len(whole) // 2, body + 200):
        changed = bytearray(whole)
        changed[place] ^= 1
        replay(bytes(changed), 2, "is a damaged recording")
    replay(whole + b"x", 2, "is a damaged recording")
    replay(b"ptxray recording 9\n" + whole[19:], 2, "is not a recording")
    lines = whole[:body].decode().splitlines(keepends=True)
    memory = next(i for i, line in enumerate(lines) if line.startswith("memory"))
    for line in (
        "memory 0x700000000000 99999999999999999999",
        "memory 0x700000000000 4294967296",
        "memory 0xffffffffffffffff 64",
        "memory 0x700000000000 4096\nmemory 0x700000000800 4096",
        "memory 0x700000000000",
        "memory",
        "grid 1",
        "grid 1 1 99999999999",
        "parameter 0g",
        "parameter 0",
        "shared -1",
        "unknown 1",
        "",
    ):
        replay("".join([*lines[:memory], line + "\n"]).encode() + whole[body:], 2, "is a damaged recording")
    replay(b"".join(x.encode() for x in lines if not x.startswith("kernel")) + whole[body:], 2, "the launched kernel")
    # The sums are right, but the launch is impossible.
    replay(summed(whole, body, lambda head: head.replace(b"grid 1 1 1", b"grid 0 1 1")), 6)
    replay(summed(whole, body, lambda head: head.replace(b"block 1 1 1", b"block 4294967295 9 9")), 6)
    replay(summed(whole, body, lambda head: head.replace(b"parameter ", b"parameter 00")), 2, "has 9 bytes")
    replay(summed(whole, body, lambda head: head.replace(b"kernel gather", b"kernel x")), 2, "there is no kernel `x`")


def sum_of(data):
    total = 0xCBF29CE484222325
    for byte in data:
        total = (total ^ byte) * 0x100000001B3 % (1 << 64)
    return struct.pack("<Q", total)


def summed(whole, body, change):
    """Returns a recording with another head and its checksum, without the data after the launch."""
    after = whole.index(b"after 0\n", body)
    changed = change(whole[:body]) + whole[body : after - 8]
    return changed + sum_of(changed)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    os.environ.pop("LD_LIBRARY_PATH", None)
    file = recorded()
    limited()
    images()
    remembered()
    refused()
    damaged(file)
print("launches are recorded, replayed, bounded; damaged files are refused")
