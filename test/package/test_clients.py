"""Runs tests of other projects on the emulated driver: test_clients.py PTXRAY. Modules of numba-cuda's own tests run
under `ptxray emulate`, each in a process with a time limit. docs/clients.md lists the results of the whole suite."""

import re
import subprocess
import sys

from common import python_with

# numba-cuda needs these packages, and nvJitLink, which links to binaries without PTX and is omitted.
PACKAGES = (
    *("numba-cuda==0.30.4", "cuda-bindings==13.5.0", "cuda-core==1.2.2", "nvidia-nvvm==13.5.37"),
    *("nvidia-cuda-nvrtc==13.5.37", "nvidia-cuda-runtime==13.5.37", "filecheck==1.0.6", "psutil==7.2.2"),
    "pytest==9.2.0",
)
# Together these modules use streams, events, the linker, graphs, shared memory, atomics and printf, in a few minutes.
MODULES = (
    *("cudadrv.test_cuda_memory", "cudadrv.test_events", "cudadrv.test_module_callbacks", "cudadrv.test_profiler"),
    *("cudadrv.test_streams", "cudapy.test_boolean", "cudapy.test_reduction", "cudapy.test_transpose"),
)
SECONDS = 300  # time limit of a module

program = sys.argv[1]
python = python_with(*PACKAGES)
passed, wrong = 0, []
for module in MODULES:
    words = ["emulate", "--no-fidelity", "--", python, "-m", "numba.runtests", "-v", f"numba.cuda.tests.{module}"]
    try:
        ran = subprocess.run(
            [program, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
        said, status = ran.stdout, ran.returncode
    except subprocess.TimeoutExpired:
        said, status = "", "out of time"
    count = re.search(r"^Ran (\d+) tests?", said, re.M)
    passed += int(count[1]) if count else 0
    if status != 0 or not count or int(count[1]) == 0:
        wrong.append(module)
        print(f"{module}: {status}\n{said[-3000:]}")
print(f"{passed} tests of {len(MODULES)} modules of numba-cuda ran; modules that failed: {', '.join(wrong) or 'none'}")
sys.exit(bool(wrong))
