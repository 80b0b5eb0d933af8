"""Tests the shared library in a Python process that has imported Triton, which contains another LLVM:
test_embedded.py LIBRARY. Both must work. Triton compiles a kernel before and after, which needs no GPU."""

import ctypes
import pathlib
import subprocess
import sys

from common import BAD, GOOD, python_with

if len(sys.argv) == 2:
    python = python_with("triton==3.9.0", "numpy==2.4.6")
    sys.exit(subprocess.run([python, __file__, sys.argv[1], "inside"]).returncode)

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


def compiled(capability):
    source = triton.compiler.ASTSource(
        add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256}
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["ptx"]


first = compiled(80)
library = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).resolve()))
library.ptxray_check.restype = ctypes.c_void_p
library.ptxray_check.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
library.ptxray_result_count.restype = ctypes.c_size_t
library.ptxray_result_count.argtypes = library.ptxray_result_free.argtypes = [ctypes.c_void_p]


def count(text):
    result = library.ptxray_check(text.encode(), len(text.encode()), None)
    found = library.ptxray_result_count(result)
    library.ptxray_result_free(result)
    return found


assert count(BAD) == 2 and count(GOOD) == 0
assert count(first) == 0, first
second = compiled(90)
assert ".target sm_90" in second and count(second) == 0
assert count(second.replace("ret;", "rte;")) > 0
print("Triton", triton.__version__, "and the library work in one process")
