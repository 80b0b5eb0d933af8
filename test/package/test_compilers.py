"""Tests the examples of docs/python.md with the real Triton, Numba and Warp: test_compilers.py PTXRAY. None needs a
GPU."""

import sys

from common import CACHE, ROOT, python_with, run, wheel

requirements = [
    line
    for line in (ROOT / "tools/corpus-requirements.txt").read_text().split()
    if line.split("==")[0] not in ("halide", "tinygrad")
]
python = python_with(*requirements)
run(
    python,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-index",
    "--force-reinstall",
    "--disable-pip-version-check",
    wheel(sys.argv[1]),
)

triton = """
import ptxray, triton, triton.language as tl
from triton.backends.compiler import GPUTarget
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)
types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
source = triton.compiler.ASTSource(add, types, {"BLOCK": 256})
kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32))
text = kernel.asm["ptx"]
assert ".entry add" in text
ptxray.require(text)
d, = ptxray.check(text.replace("add.f32", "add.f23", 1))
assert d.origin and d.origin[0].endswith("triton_kernel.py"), d
"""
numba = """
import ptxray
from numba import cuda, float32
def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 2 * x[i]
text, result_type = cuda.compile_ptx(scale, (float32[:], float32[:]), cc=(9, 0))
assert ".entry" in text
ptxray.require(text)
assert ptxray.check(text.replace("ld.", "dl.", 1))
"""
warp = """
import pathlib, sys, ptxray, warp as wp
@wp.kernel
def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]
wp.config.quiet = True
wp.init()
folder = pathlib.Path(sys.argv[1])
wp.compile_aot_module(sys.modules["__main__"], arch=90, module_dir=folder, use_ptx=True)
text = next(folder.glob("*.ptx")).read_bytes()
ptxray.require(text)
assert ptxray.check(text.replace(b"ld.", b"dl.", 1))
"""
folder = CACHE / "compilers"
folder.mkdir(parents=True, exist_ok=True)
for name, text in (("triton", triton), ("numba", numba), ("warp", warp)):
    script = folder / f"{name}_kernel.py"
    script.write_text(text)
    run(python, script, folder / f"{name}-out")
print("what Triton, Numba and Warp make is clean, and a slip in it is found")
