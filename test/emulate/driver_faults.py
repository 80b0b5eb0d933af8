"""Tests the errors of the driver for kernels with faults: driver_faults.py LIBRARY. It also passes on an H100:
`driver_faults.py libcuda.so.1`. A process cannot use the driver after a fault, so that each kernel gets its own
process."""

import ctypes
import subprocess
import sys

from calls import checked

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
ENTRY = """.visible .entry faulty(.param .u64 to) {
  .shared .align 16 .b8 bytes[256];
  .shared .align 8 .b64 phase;
  .local .b32 own;
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, bytes;
  mov.u32 %r2, phase;
  mov.u32 %r3, %tid.x;
"""
GENERIC = "cvt.u64.u32 %rd3, %r1; cvta.shared.u64 %rd3, %rd3; "
OWN = "mov.u64 %rd3, own; cvta.local.u64 %rd3, %rd3; "
ELSEWHERE = "mapa.shared::cluster.u32 %r4, %r1, 5; "
NOWHERE = "mov.u64 %rd3, 0x123456789000; "
BULK = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
# The columns are the result, the threads of a block, and the instructions of each kernel.
KERNELS = {
    "nothing": (0, 32, "st.global.u32 [%rd2], %r3;"),
    "trap": (719, 32, "trap;"),
    "a breakpoint": (719, 32, "brkpt;"),
    "a breakpoint of one lane": (719, 32, "setp.eq.u32 %p1, %r3, 3; @%p1 brkpt;"),
    "no lane at a breakpoint": (0, 32, "setp.eq.u32 %p1, %r3, 32; @%p1 brkpt;"),
    "null": (700, 1, "mov.u64 %rd3, 0; st.global.u32 [%rd3], %r3;"),
    "elsewhere": (700, 1, NOWHERE + "ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd2], %r4;"),
    "misaligned": (716, 1, "st.global.u32 [%rd2 + 2], %r3;"),
    "misaligned in shared memory": (716, 1, "st.shared.u32 [%r1 + 2], %r3;"),
    "shared memory as global": (717, 1, GENERIC + "st.global.u32 [%rd3], %r3;"),
    "local memory as global": (717, 1, OWN + "st.global.u32 [%rd3], %r3;"),
    "shared memory read as global": (717, 1, GENERIC + "ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd2], %r4;"),
    "shared memory reduced as global": (717, 1, GENERIC + "red.global.add.u32 [%rd3], 1;"),
    "a barrier of 33": (218, 64, "barrier.sync 0, 33;"),
    "a barrier of 33 of 33 threads": (715, 33, "mov.u32 %r4, 33; barrier.sync 0, %r4;"),
    "a barrier of 33 of 32 threads": (715, 32, "mov.u32 %r4, 33; barrier.sync 0, %r4;"),
    "a barrier of 33 of 64 threads": (715, 64, "mov.u32 %r4, 33; bar.sync 0, %r4;"),
    "an arrival of 33": (715, 64, "mov.u32 %r4, 33; barrier.arrive 0, %r4;"),
    "a barrier of 2048": (715, 32, "mov.u32 %r4, 2048; barrier.sync 0, %r4;"),
    "a barrier of 0": (0, 32, "mov.u32 %r4, 0; barrier.sync 0, %r4;"),
    "a block that is not in the cluster": (715, 1, ELSEWHERE + "st.shared::cluster.u32 [%r4], %r3;"),
    "a block that is not in the cluster, read": (
        715,
        1,
        ELSEWHERE + "ld.shared::cluster.u32 %r5, [%r4]; st.global.u32 [%rd2], %r5;",
    ),
    "a block that is not in the cluster, unused": (0, 1, ELSEWHERE + "st.global.u32 [%rd2], %r4;"),
    "a bulk copy from nowhere": (
        700,
        1,
        NOWHERE
        + "mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster;"
        + "mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r2], 64;"
        + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd3], 64, [%r2];"
        + "wait: mbarrier.try_wait.shared.b64 %p1, [%r2], %rd4; @!%p1 bra wait;",
    ),
    "a bulk copy of shared memory as global": (
        700,
        1,
        GENERIC
        + "mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster;"
        + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd3], 64, [%r2];",
    ),
    "a bulk copy to nowhere": (
        700,
        1,
        "st.shared.u32 [%r1], %r3; fence.proxy.async;"
        + NOWHERE
        + "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 64;"
        + BULK,
    ),
    "a misaligned bulk copy": (
        716,
        1,
        "add.u64 %rd3, %rd2, 4; cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 64;" + BULK,
    ),
    "prefetches of nothing": (
        0,
        1,
        NOWHERE + "cp.async.bulk.prefetch.L2.global [%rd3], 64; prefetch.global.L2 [%rd3];",
    ),
    "a copy from nowhere": (700, 1, NOWHERE + "cp.async.ca.shared.global [%r1], [%rd3], 16; cp.async.wait_all;"),
}


def text(body):
    return HEAD + ENTRY + "  " + body.replace("; ", ";").replace(";", ";\n  ") + "ret;\n}\n"


def one(library, name):
    """Returns the result of loading the kernel, or of waiting for its launch."""
    cuda = ctypes.CDLL(library)
    call, _ = checked(cuda)
    _, threads, body = KERNELS[name]
    context, module, function, to = (ctypes.c_void_p() for _ in range(4))
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuMemAlloc_v2", ctypes.byref(to), ctypes.c_size_t(4096))
    bad = cuda.cuModuleLoadData(ctypes.byref(module), text(body).encode())
    if bad:
        return bad
    call("cuModuleGetFunction", ctypes.byref(function), module, b"faulty")
    places = (ctypes.c_void_p * 1)(ctypes.addressof(to))
    call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, places, None)
    return cuda.cuCtxSynchronize()


if len(sys.argv) > 2:
    print(one(sys.argv[1], sys.argv[2]))
    sys.exit()
wrong = []
for name, (expected, _, _) in KERNELS.items():
    command = [sys.executable, __file__, sys.argv[1], name]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if told.stdout.strip() != str(expected):
        wrong.append(f"{name}: {told.stdout.strip()}, {expected} expected\n{told.stderr}")
assert not wrong, "\n".join(wrong)
print(len(KERNELS), "kernels have the results of an H100")
