"""Tests the runtime `libcudart.so.13` with the emulated driver: runtime_work.py LIBRARY. This script registers
kernels and variables, as the code of nvcc does in a program."""

import ctypes
import os
import struct
import sys

from calls import checked

os.environ.setdefault("PTXRAY_DEVICE", "sm_90")
cuda = ctypes.CDLL(sys.argv[1])
call, expect = checked(cuda)
pointer, size, i32, u64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint64
TO_DEVICE, TO_HOST, ON_DEVICE, ANY = 1, 2, 3, 4
for name in ("cudaGetErrorName", "cudaGetErrorString"):
    getattr(cuda, name).restype = ctypes.c_char_p
getattr(cuda, "__cudaRegisterFatBinary").restype = pointer

TEXT = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .const .align 4 .u32 factor;
.visible .global .align 4 .u32 calls;
.visible .global .attribute(.managed) .align 4 .u32 shared[2] = {5, 6};
.visible .entry scale(.param .u64 to, .param .u32 count) {
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  ld.const.u32 %r3, [factor];
  mul.lo.u32 %r4, %r2, %r3;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  mov.u64 %rd4, calls;
  atom.global.add.u32 %r5, [%rd4], 1;
  mov.u64 %rd5, shared;
  atom.global.add.u32 %r6, [%rd5+4], 1;
done:
  ret;
}
.visible .entry row(.param .u64 to, .param .u64 image) {
  .reg .f32 %f<5>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [image];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 1;
  tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r2}];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd1, %rd1, %rd3;
  st.global.f32 [%rd1], %f1;
  ret;
}
"""


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def dim3(x, y=1, z=1):
    return Dim3(x, y, z)


kept = []  # objects whose addresses the runtime keeps


def fatbin(text):
    """Returns a fat binary with one PTX text."""
    text += bytes(8 - len(text) % 8)
    entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(text), 0, 0, 0, 8, 75, 0, 0, 0x11, 0, 0) + text
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry


def program(text):
    """Registers a binary, as nvcc's code does, and returns it."""
    wrapper = ctypes.create_string_buffer(struct.pack("<II", 0x466243B1, 1) + bytes(16))
    image = ctypes.create_string_buffer(text)
    struct.pack_into("<Q", wrapper, 8, ctypes.addressof(image))
    kept.extend([wrapper, image])
    return pointer(getattr(cuda, "__cudaRegisterFatBinary")(wrapper))


def stand_in():
    """Returns a host address by which the runtime identifies a kernel or a variable."""
    kept.append(ctypes.create_string_buffer(8))
    return pointer(ctypes.addressof(kept[-1]))


def register_kernel(binary, name):
    stands = stand_in()
    getattr(cuda, "__cudaRegisterFunction")(binary, stands, None, name, -1, *[None] * 5)
    return stands


def arguments(*values):
    kept.append(values)
    kept.append((pointer * len(values))(*map(ctypes.addressof, values)))
    return kept[-1]


def memory(count):
    place = pointer()
    call("cudaMalloc", ctypes.byref(place), size(count))
    return place


def numbers(place, count, kind=ctypes.c_uint32):
    read = (kind * count)()
    call("cudaMemcpy", read, place, size(ctypes.sizeof(read)), TO_HOST)
    return list(read)


binary = program(fatbin(TEXT))
scale, row = (register_kernel(binary, name) for name in (b"scale", b"row"))
factor, calls = stand_in(), stand_in()
getattr(cuda, "__cudaRegisterVar")(binary, factor, None, b"factor", 0, size(4), 1, 0)
getattr(cuda, "__cudaRegisterVar")(binary, calls, None, b"calls", 0, size(4), 0, 0)
managed = pointer()
getattr(cuda, "__cudaRegisterManagedVar")(binary, ctypes.byref(managed), None, b"shared", 0, size(8), 0, 0)
getattr(cuda, "__cudaRegisterFatBinaryEnd")(binary)


def devices():
    count, attribute = i32(), i32()
    call("cudaGetDeviceCount", ctypes.byref(count))
    assert count.value == 1
    properties = ctypes.create_string_buffer(1008)
    call("cudaGetDeviceProperties", properties, 0)
    assert b"emulated" in properties.value or b"NVIDIA" in properties.value
    for offset, number in ((304, 12), (308, 10), (360, 75), (364, 76), (384, 16), (604, 39)):
        call("cudaDeviceGetAttribute", ctypes.byref(attribute), number, 0)
        assert struct.unpack_from("<i", properties, offset)[0] == attribute.value, offset
    expect(101, "cudaSetDevice", 1)
    call("cudaSetDevice", 0)
    assert cuda.cudaGetLastError() == 101 and cuda.cudaGetLastError() == 0
    assert cuda.cudaGetErrorName(101) == b"cudaErrorInvalidDevice"
    assert cuda.cudaGetErrorString(700) == b"an illegal memory access was encountered"
    assert cuda.cudaGetErrorString(9) == b"invalid configuration argument"
    assert cuda.cudaGetErrorName(0) == b"cudaSuccess" and cuda.cudaGetErrorName(12345) == b"unrecognized error code"


def launches():
    place, three, got = memory(64), ctypes.c_uint32(3), ctypes.c_uint32()
    call("cudaMemcpyToSymbol", factor, ctypes.byref(three), size(4), size(0), TO_DEVICE)
    call("cudaLaunchKernel", scale, dim3(1), dim3(32), arguments(place, ctypes.c_uint32(16)), size(0), None)
    call("cudaDeviceSynchronize")
    assert numbers(place, 16) == [3 * i for i in range(16)]
    call("cudaMemcpyFromSymbol", ctypes.byref(got), calls, size(4), size(0), TO_HOST)
    assert got.value == 16
    expect(1, "cudaMemcpyFromSymbol", ctypes.byref(got), calls, size(4), size(1), TO_HOST)
    expect(13, "cudaMemcpyFromSymbol", ctypes.byref(got), scale, size(4), size(0), TO_HOST)
    # The program's own variable points to the memory that the kernel changes.
    assert list((ctypes.c_uint32 * 2).from_address(managed.value)) == [5, 6 + 16]
    assert managed.value % 256 == 0
    # nvcc makes these calls for `<<<...>>>`.
    handle, grid, block, shared, stream = pointer(), Dim3(), Dim3(), size(), pointer()
    call("__cudaGetKernel", ctypes.byref(handle), scale)
    call("__cudaPushCallConfiguration", dim3(1), dim3(8), size(0), None)
    call("__cudaPopCallConfiguration", *map(ctypes.byref, (grid, block, shared, stream)))
    assert (grid.x, block.x, shared.value, stream.value) == (1, 8, 0, None)
    expect(52, "__cudaPopCallConfiguration", *map(ctypes.byref, (grid, block, shared, stream)))
    call("__cudaLaunchKernel", handle, grid, block, arguments(place, ctypes.c_uint32(16)), shared, stream)
    expect(9, "cudaLaunchKernel", scale, dim3(0), dim3(32), arguments(place, three), size(0), None)
    expect(98, "cudaLaunchKernel", factor, dim3(1), dim3(32), arguments(place, three), size(0), None)
    attributes = ctypes.create_string_buffer(256)
    call("cudaFuncGetAttributes", attributes, scale)
    most, _, ptx, chip = struct.unpack_from("<4i", attributes, 24)
    assert (most, ptx, chip) == (1024, 75, 90)
    blocks = i32()
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(blocks), scale, 1024, size(0))
    assert blocks.value == 2
    call("cudaFree", place)
    expect(1, "cudaFree", pointer(12345))


def copies():
    place, pitch = pointer(), size()
    call("cudaMallocPitch", ctypes.byref(place), ctypes.byref(pitch), size(12), size(3))
    rows = (ctypes.c_uint32 * 9)(*range(9))
    call("cudaMemcpy2D", place, pitch, rows, size(12), size(12), size(3), TO_DEVICE)
    assert numbers(pointer(place.value + pitch.value), 3) == [3, 4, 5]
    expect(12, "cudaMemcpy2D", place, pitch, rows, size(8), size(12), size(3), TO_DEVICE)
    expect(21, "cudaMemcpy", place, rows, size(4), 9)
    call("cudaMemset2D", place, pitch, 1, size(4), size(2))
    call("cudaMemcpy2D", rows, size(12), place, pitch, size(12), size(3), ANY)
    assert list(rows) == [0x01010101, 1, 2, 0x01010101, 4, 5, 6, 7, 8]
    attributes = ctypes.create_string_buffer(256)
    for what, kind in ((place, 2), (managed, 3), (pointer(ctypes.addressof(rows)), 0)):
        call("cudaPointerGetAttributes", attributes, what)
        assert struct.unpack_from("<i", attributes)[0] == kind
    call("cudaFree", place)


def textures():
    channels = (i32 * 5)(32, 0, 0, 0, 2)
    array, image, place = pointer(), u64(), memory(16)
    call("cudaMallocArray", ctypes.byref(array), channels, size(4), size(2), 0)
    texels = (ctypes.c_float * 8)(*range(8))
    call("cudaMemcpy2DToArray", array, size(0), size(0), texels, size(16), size(16), size(2), TO_DEVICE)
    resource, texture = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)
    struct.pack_into("<i4xQ", resource, 0, 0, array.value)
    call("cudaCreateTextureObject", ctypes.byref(image), resource, texture, None)
    call("cudaLaunchKernel", row, dim3(1), dim3(4), arguments(place, image), size(0), None)
    assert numbers(place, 4, ctypes.c_float) == [4, 5, 6, 7]
    call("cudaDestroyTextureObject", image)
    call("cudaFreeArray", array)
    expect(20, "cudaMallocArray", ctypes.byref(array), (i32 * 5)(32, 16, 0, 0, 2), size(4), size(2), 0)


def graphs():
    graph, first, second, ready, stream = (pointer() for _ in range(5))
    place, read, event = memory(64), (ctypes.c_uint32 * 4)(), pointer()
    call("cudaStreamCreate", ctypes.byref(stream))
    call("cudaGraphCreate", ctypes.byref(graph), 0)
    node = ctypes.create_string_buffer(256)
    given = arguments(place, ctypes.c_uint32(4))
    struct.pack_into("<Q7I4xQQ", node, 0, scale.value, 1, 1, 1, 32, 1, 1, 0, ctypes.addressof(given), 0)
    call("cudaGraphAddKernelNode", ctypes.byref(first), graph, None, size(0), node)
    call(
        "cudaGraphAddMemcpyNode1D", ctypes.byref(second), graph, ctypes.byref(first), size(1), read, place, size(16), 2
    )
    call("cudaGraphInstantiate", ctypes.byref(ready), graph, u64(0))
    call("cudaGraphLaunch", ready, stream)
    call("cudaEventCreate", ctypes.byref(event))
    call("cudaEventRecord", event, stream)
    call("cudaEventSynchronize", event)
    assert list(read) == [0, 3, 6, 9]
    # Hints of a stream are kept.
    hint, kept_hint = ctypes.create_string_buffer(bytes(range(64)), 64), ctypes.create_string_buffer(64)
    call("cudaStreamSetAttribute", stream, 1, hint)
    call("cudaStreamGetAttribute", stream, 1, kept_hint)
    assert kept_hint.raw == hint.raw
    expect(1, "cudaStreamSetAttribute", stream, 99, hint)
    call("cudaStreamDestroy", stream)


def faults():
    place = memory(4)
    call("cudaLaunchKernel", scale, dim3(1), dim3(32), arguments(place, ctypes.c_uint32(2)), size(0), None)
    expect(700, "cudaDeviceSynchronize")
    expect(700, "cudaMalloc", ctypes.byref(pointer()), size(4))
    call("cudaDeviceReset")
    assert cuda.cudaGetLastError() == 700
    place = memory(64)
    call("cudaLaunchKernel", scale, dim3(1), dim3(32), arguments(place, ctypes.c_uint32(4)), size(0), None)
    assert numbers(place, 4) == [0, 0, 0, 0]  # the module was loaded again, and its factor is 0
    # A binary without PTX causes an error when its kernel is launched.
    empty = register_kernel(program(b"\x7fELF" + bytes(60)), b"nothing")
    expect(209, "cudaLaunchKernel", empty, dim3(1), dim3(1), None, size(0), None)


for test in (devices, launches, copies, textures, graphs, faults):
    test()
