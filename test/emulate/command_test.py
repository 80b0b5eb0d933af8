"""Tests `ptxray emulate -- COMMAND...`: command_test.py PTXRAY. It covers exit statuses, signals, and the report."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
program = sys.argv[1]
SCRATCH = os.path.join(tempfile.gettempdir(), f"ptxray-assembled-{os.getpid()}")

# This program launches saxpy on 16 elements, with one thread for each unit of the first argument. It executes the
# second argument at the end.
CLIENT = f"""
import ctypes, os, signal, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
assert not cuda.cuInit(0)
assert not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) and not cuda.cuCtxSetCurrent(context)
assert not cuda.cuModuleLoadData(ctypes.byref(module), open({str(ROOT / "test/emulate/saxpy.ptx")!r}, "rb").read())
assert not cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"saxpy")
assert not cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64))
values = [ctypes.c_float(2), memory, memory, ctypes.c_uint32(int(sys.argv[1]))]
places = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
assert not cuda.cuMemsetD8_v2(memory, 0, ctypes.c_size_t(64))
cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, places, None)
cuda.cuCtxSynchronize()
exec(sys.argv[2])
"""

# This program writes to a managed buffer, then to the middle of a megabyte that the kernel allocates.
HEAP = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
PTX = b'''
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 result) malloc(.param .b64 size);
.visible .entry growing(.param .u64 to) {
  .reg .b64 %rd<4>;
  .param .b64 size;
  .param .b64 result;
  ld.param.u64 %rd1, [to];
  st.u64 [%rd1], %rd1;
  mov.b64 %rd2, 1048576;
  st.param.b64 [size], %rd2;
  call (result), malloc, (size);
  ld.param.b64 %rd3, [result];
  st.u64 [%rd3+524288], %rd1;
  ld.u64 %rd2, [%rd3+524288];
  st.u64 [%rd1+8], %rd2;
  ret;
}'''
assert not cuda.cuInit(0)
assert not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) and not cuda.cuCtxSetCurrent(context)
assert not cuda.cuModuleLoadData(ctypes.byref(module), PTX)
assert not cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"growing")
assert not cuda.cuMemAlloc_v2(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(64))
assert not cuda.cuMemAllocManaged(ctypes.byref(memory), ctypes.c_size_t(64), 1)
places = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
assert not cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, places, None)
assert not cuda.cuCtxSynchronize()
assert list((ctypes.c_uint64 * 2).from_address(memory.value)) == [memory.value] * 2
"""


def emulate(*words, options=(), environment=None):
    ran = subprocess.run(
        [program, "emulate", *options, "--", *words],
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return ran.returncode, ran.stderr


def client(elements, last="", options=()):
    return emulate(sys.executable, "-c", CLIENT, str(elements), last, options=options)


def is_running(process):
    try:
        return ") Z " not in pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def expect(answer, status, *texts):
    assert answer[0] == status and all(text in answer[1] for text in texts), answer


expect(client(16), 0, "1 kernel, launched 1 time on the emulated sm_90", "nothing was found", "18 of 18 instructions")
expect(client(17, options=["--device=sm_80"]), 1, "emulated sm_80", "1 finding", "1 run-out-of-bounds")
expect(client(17, "sys.exit(5)"), 5, "1 finding")
expect(emulate(sys.executable, "-c", HEAP), 0, "1 kernel, launched 1 time", "nothing was found")
# The context keeps a fault, as on a GPU, or one call returns it as its error.
AGAIN = "sys.exit(cuda.cuCtxSynchronize() and 4)"
expect(client(17, AGAIN), 4, "1 finding")
expect(client(17, AGAIN, options=["--go-on"]), 1, "1 finding")
expect(client(16, options=["--no-fidelity", "--no-checks", "--schedule=lazy"]), 0, "nothing was found")
expect(client(16, options=["--schedules=3"]), 0, "launched 1 time on", "nothing was found")
expect(client(17, options=["--schedules=3"]), 1, "1 finding")
expect(emulate("true", options=["--schedules=0"]), 2, "expected a number of launches")
expect(client(16, "os._exit(0)"), 0, "1 of 1 process ended without a report")
expect(client(16, "os.kill(os.getpid(), signal.SIGKILL)"), -signal.SIGKILL, "without a report")
# A forked process has no driver, and its launches are not counted twice.
expect(client(16, "pid = os.fork(); pid or sys.exit(cuda.cuCtxSynchronize()); assert os.waitpid(pid, 0)[1] == 3 << 8"),
       0, "launched 1 time ")  # fmt: skip
expect(emulate("true"), 7, "has not called the CUDA driver, so no kernel ran", "-cudart shared")
expect(emulate("false"), 1)
expect(emulate("/no/such"), 2, "`/no/such` cannot be started: No such file or directory")
expect(emulate("/"), 2, "Permission denied")
expect(emulate(), 2, "the command is missing")
expect(emulate("true", options=["--device=sm_12"]), 2, "expected one of sm_75, ")
expect(emulate("true", options=["--time-limit=soon"]), 2, "expected a number of seconds")
expect(emulate("sh", "-c", "$TRITON_PTXAS_PATH --version | grep -q 'ptxray.* release 13' && echo a > $0.ptx && "
       "$TRITON_PTXAS_PATH -v --gpu-name=sm_90a $0.ptx -o $0 && cmp $0 $0.ptx && rm $0 $0.ptx", SCRATCH),
       7, "has not called the CUDA driver")  # fmt: skip
# A program whose RPATH leads to another CUDA runtime also loads this one.
expect(emulate(sys.executable, "-c", "import ctypes; v = ctypes.c_int(); print(ctypes.CDLL(None).cudaRuntimeGetVersion("
       "ctypes.byref(v)), v.value, file=__import__('sys').stderr)"), 7, "0 13050", "no kernel ran")  # fmt: skip
expect(emulate("true", options=["--schedule=late"]), 2, "expected eager, lazy")
expect(emulate("true", environment={"PTXRAY_DRIVER": "/"}), 2, "libcuda.so.1, is missing")

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "report.json"
    expect(client(17, "sys.exit(3)", options=[f"--report={path}"]), 3)
    report = json.loads(path.read_text())
    assert report["status"] == 3 and report["kernels"] == {"saxpy": 1} and report["processes"] == 1, report
    assert report["findings"] == {"run-out-of-bounds": 1} and report["notExact"] == {} and report["exact"], report
    expect(emulate("true", options=[f"--report={folder}/none/report"]), 2)

for number in (signal.SIGTERM, signal.SIGKILL):  # the first signal reaches the command, the second kills it
    with subprocess.Popen([program, "emulate", "--", "sleep", "60"], stderr=subprocess.PIPE) as sleeping:
        while not (children := pathlib.Path(f"/proc/{sleeping.pid}/task/{sleeping.pid}/children").read_text()):
            time.sleep(0.01)
        while pathlib.Path(f"/proc/{int(children)}/comm").read_text() != "sleep\n":
            time.sleep(0.01)
        sleeping.send_signal(number)
        assert sleeping.wait(timeout=30) == -number
        end = time.time() + 30
        while is_running(int(children)):
            assert time.time() < end, "the command goes on"
            time.sleep(0.01)
print("`ptxray emulate` runs commands, reports, and ends as they end")
