"""Tests uninitialised device memory with the driver: unwritten.py LIBRARY."""

import ctypes
import os
import pathlib
import subprocess
import sys

from calls import checked

COUNT = 256
KERNELS = """.version 7.8
.target sm_75
.address_size 64
.visible .entry add(.param .u64 to, .param .u64 from) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.u32 %r3, %r2, %r1;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry copy(.param .u64 to, .param .u64 from) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  mov.u32 %r1, %tid.x;
  and.b32 %r1, %r1, 63;
  mul.wide.u32 %rd3, %r1, 16;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.v4.u32 {%r2, %r3, %r4, %r5}, [%rd5];
  st.v4.u32 [%rd4], {%r2, %r3, %r4, %r5};
  ret;
}
.visible .entry pass(.param .u64 to, .param .u64 from) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [from];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r2, [%rd1];
  setp.eq.u32 %p, %r2, 7;
  @%p trap;
  ret;
}
"""


def client(library, name, written):
    """Launches a kernel on two buffers whose first bytes are set, waits, and returns the error number."""
    cuda = ctypes.CDLL(library)
    call, _ = checked(cuda)
    call("cuInit", 0)
    context, module, kernel = (ctypes.c_void_p() for _ in range(3))
    buffers = [ctypes.c_void_p(), ctypes.c_void_p()]
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), KERNELS.encode())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    for buffer in buffers:
        call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(4 * COUNT))
        if written:
            call("cuMemsetD8_v2", buffer, 0, ctypes.c_size_t(written))
    places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, buffers))
    call("cuLaunchKernel", kernel, 1, 1, 1, COUNT, 1, 1, 0, None, places, None)
    return cuda.cuCtxSynchronize()


def launched(library, name, written, follow):
    environment = {**os.environ, "PTXRAY_DEVICE": "sm_90", "PYTHONPATH": str(pathlib.Path(__file__).parent)}
    environment |= {"PTXRAY_UNWRITTEN": "yes"} if follow else {}
    words = [sys.executable, __file__, "client", library, name, str(written)]
    done = subprocess.run(words, env=environment, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


def main():
    library = sys.argv[1]
    for name, written, found in (
        ("add", 4 * COUNT, ()),
        ("add", COUNT, ("st.global.u32", "(64, 0, 0)")),  # counts elements instead of bytes
        ("add", 0, ("st.global.u32", "(0, 0, 0)")),
        ("copy", 0, ()),
        ("copy", COUNT + 4, ()),
        ("pass", 0, ("@%p trap", "(0, 0, 0)")),
        ("pass", 4 * COUNT, ()),
    ):
        status, said = launched(library, name, written, True)
        if found:
            text, thread = found
            line = KERNELS[: KERNELS.index(text)].count("\n") + 1
            assert status and f":{line}:" in said and f"thread {thread}" in said and "run-unwritten" in said, said
        else:
            assert status == 0 and not said, (name, written, said)
        assert launched(library, name, written, False) == (0, ""), name
    print("what nothing has written is found where it is asked for")


if sys.argv[1] == "client":
    sys.exit(1 if client(sys.argv[2], sys.argv[3], int(sys.argv[4])) else 0)
main()
