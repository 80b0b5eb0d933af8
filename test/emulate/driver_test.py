"""Tests libcuda.so.1 of the emulator: driver_test.py PTXRAY LIBRARY. The launcher for GPUs works with it, and wrong
arguments return the errors of a driver."""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

from calls import checked

ROOT = pathlib.Path(__file__).resolve().parents[2]
program, library = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
environment = {**os.environ, "LD_LIBRARY_PATH": str(library.parent), "PTXRAY_DEVICE": "sm_90"}


def launched():
    """Tests that `ptxray run` with this library prints the same as `ptxray run --emulate`."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "docs" / "examples" / "product.py", folder], check=True)
        maps = ["tma=f16:64x64:swizzle=128:&a", "tma=f16:64x64:swizzle=128:&b", "zeros:f32:4096"]
        buffers = ["--buffer=a=file:a.npy", "--buffer=b=file:b.npy", "--out=2=f32"]
        saxpy = ["2.5", "iota:f32:12", "fill:f32:12:1", "12"]
        for words in (
            [ROOT / "docs" / "examples" / "product.ptx", *buffers, *maps],
            [ROOT / "test/emulate/saxpy.ptx", "--grid=2", "--block=8", "--out=2=f32", *saxpy],
        ):
            said = [
                subprocess.run(
                    [program, "run", how, *words], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True
                ).stdout
                for how in ("--emulate", "--jit")
            ]
            assert said[0] == said[1] and said[0], words


def hostile():
    cuda = ctypes.CDLL(str(library))
    out, context, module, kernel, found = (ctypes.c_void_p() for _ in range(5))
    number, size = ctypes.c_int(), ctypes.c_size_t(1)

    _, expect = checked(cuda)
    wild = ctypes.c_void_p(0x123456789)
    expect(3, "cuDeviceGetCount", ctypes.byref(number))
    expect(1, "cuInit", 7)
    expect(0, "cuInit", 0)
    expect(101, "cuDeviceGet", ctypes.byref(number), 1)
    expect(1, "cuDeviceGetCount", None)
    expect(1, "cuDeviceGetAttribute", ctypes.byref(number), 100000, 0)
    expect(201, "cuMemAlloc_v2", ctypes.byref(out), size)
    expect(201, "cuCtxSetCurrent", wild)
    expect(0, "cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    expect(0, "cuCtxSetCurrent", context)
    expect(1, "cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(0))
    expect(2, "cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(1 << 60))
    expect(0, "cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(64))
    expect(1, "cuMemcpyDtoH_v2", ctypes.create_string_buffer(128), out, ctypes.c_size_t(128))
    expect(1, "cuMemsetD8_v2", wild, 1, size)
    expect(1, "cuMemFree_v2", wild)
    # These are the answers of the driver on an H100.
    expect(713, "cuMemHostUnregister", wild)
    expect(1, "cuMemHostUnregister", None)
    expect(1, "cuMemFreeAsync", wild, None)
    for name, *rest in (("cuMemAlloc_v2",), ("cuMemAllocManaged", 1), ("cuMemHostAlloc", 0), ("cuMemAllocAsync", None)):
        expect(2, name, ctypes.byref(found), ctypes.c_size_t(1 << 60), *rest)
    twice = ctypes.c_void_p()
    expect(0, "cuMemAlloc_v2", ctypes.byref(twice), ctypes.c_size_t(64))
    expect(1, "cuMemsetD8_v2", twice, 0, ctypes.c_size_t(1 << 40))
    expect(0, "cuMemFree_v2", twice)
    expect(1, "cuMemFree_v2", twice)
    expect(101, "cuDeviceGet", ctypes.byref(found), 99)
    text = (ROOT / "test" / "emulate" / "saxpy.ptx").read_bytes()
    expect(218, "cuModuleLoadData", ctypes.byref(module), text.replace(b"ret;", b"rte;"))
    expect(1, "cuModuleLoadData", ctypes.byref(module), None)
    expect(209, "cuModuleLoadData", ctypes.byref(module), b"\x7fELF" + bytes(60))
    expect(0, "cuModuleLoadData", ctypes.byref(module), text.replace(b"\n{", b"\n.maxntid 8\n{", 1))
    expect(0, "cuModuleGetFunction", ctypes.byref(kernel), module, b"saxpy")
    expect(0, "cuFuncGetAttribute", ctypes.byref(number), 0, kernel)
    assert number.value == 8
    values = [ctypes.c_float(1), out, out, ctypes.c_uint32(8)]
    many = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
    expect(1, "cuLaunchKernel", kernel, 1, 1, 1, 9, 1, 1, 0, None, many, None)
    expect(0, "cuLaunchKernel", kernel, 1, 1, 1, 8, 1, 1, 0, None, many, None)
    expect(0, "cuModuleLoadData", ctypes.byref(module), text)
    expect(500, "cuModuleGetFunction", ctypes.byref(kernel), module, b"none")
    expect(400, "cuModuleGetFunction", ctypes.byref(kernel), wild, b"saxpy")
    expect(0, "cuModuleGetFunction", ctypes.byref(kernel), module, b"saxpy")
    values = [ctypes.c_float(1), out, out, ctypes.c_uint32(16)]
    places = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
    one = [1, 1, 1]
    expect(400, "cuLaunchKernel", wild, *one, *one, 0, None, places, None)
    expect(1, "cuLaunchKernel", kernel, *one, 2000, 1, 1, 0, None, places, None)
    expect(1, "cuLaunchKernel", kernel, *one, *one, 0, None, None, None)
    expect(1, "cuLaunchKernel", kernel, *one, *one, 1 << 20, None, places, None)
    expect(0, "cuLaunchKernel", kernel, *one, 16, 1, 1, 0, None, places, None)
    expect(400, "cuStreamSynchronize", wild)
    expect(400, "cuEventRecord", wild, None)
    expect(801, "cuMulticastCreate", ctypes.byref(found), None)
    expect(500, "cuGetProcAddress_v2", b"cuNoSuchFunction", ctypes.byref(found), 13000, ctypes.c_uint64(0), None)
    expect(0, "cuGetProcAddress_v2", b"cuMemAlloc", ctypes.byref(found), 13000, ctypes.c_uint64(0), None)
    assert found.value == ctypes.cast(cuda.cuMemAlloc_v2, ctypes.c_void_p).value
    # A program with per-thread default streams gets the functions that use them.
    expect(0, "cuGetProcAddress_v2", b"cuMemcpyHtoD", ctypes.byref(found), 13000, ctypes.c_uint64(2), None)
    assert found.value == ctypes.cast(cuda.cuMemcpyHtoD_v2_ptds, ctypes.c_void_p).value
    expect(0, "cuGetProcAddress_v2", b"cuMemAlloc", ctypes.byref(found), 13000, ctypes.c_uint64(2), None)
    expect(900, "cuStreamBeginCapture_v2", None, 0)
    expect(0, "cuStreamBeginCapture_v2_ptsz", None, 0)
    expect(0, "cuStreamEndCapture_ptsz", None, ctypes.byref(found))
    values[3].value = 17  # one element too many
    expect(0, "cuLaunchKernel", kernel, *one, 32, 1, 1, 0, None, places, None)
    expect(700, "cuCtxSynchronize")
    expect(700, "cuMemAlloc_v2", ctypes.byref(out), size)


launched()
hostile()
print("the emulated driver launches, and refuses what a driver refuses")
