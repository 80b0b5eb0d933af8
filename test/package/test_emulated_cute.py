"""Runs kernels of CuTe DSL on the emulated driver: test_emulated_cute.py PTXRAY. The DSL makes PTX and assembles it.
The test loads the PTX instead of the binary, and replaces the functions that the DSL's host code calls by functions
of the driver (cute_runtime.c)."""

import os
import pathlib
import subprocess
import sys
import tempfile

if len(sys.argv) == 2:
    from common import need, python_with

    compiler, ptxray = need("cc"), pathlib.Path(sys.argv[1]).resolve()
    python = python_with("nvidia-cutlass-dsl==4.8.1", "numpy==2.4.6")
    driver = os.environ.get("PTXRAY_DRIVER") or ptxray.parents[2] / "lib" / "ptxray"
    with tempfile.TemporaryDirectory() as folder:
        runtime = pathlib.Path(folder) / "libcute_dsl_runtime.so"
        source = pathlib.Path(__file__).with_name("cute_runtime.c")
        built = [compiler, "-shared", "-fPIC", source, "-o", runtime, f"-L{driver}", "-l:libcuda.so.1"]
        subprocess.run(built, check=True)
        settings = {"CUTE_DSL_ARCH": "sm_100a", "CUTE_DSL_LIBS": str(runtime), "CUTE_DSL_DISABLE_FILE_CACHING": "1"}
        command = [ptxray, "emulate", "--device=sm_100", "--", python, __file__, folder, "run"]
        subprocess.run(command, env={**os.environ, **settings, "CUDA_LAUNCH_BLOCKING": "1"}, check=True)
    sys.exit()

import ctypes

import cuda.bindings.runtime as runtime
import cutlass
import cutlass.cute as cute
import numpy
from cutlass._mlir import ir, passmanager
from cutlass.base_dsl import compiler
from cutlass.cute.runtime import from_dlpack

FOLDER = pathlib.Path(sys.argv[1])
parse, compile_ = passmanager.PassManager.parse, compiler.Compiler.compile
texts = []


def parse_and_keep(pipeline, *arguments, **named):
    """Makes the compiler write the PTX to a file."""
    if "cute-to-nvvm" in pipeline:
        texts.append(f"{len(texts)}-")
        pipeline = pipeline.rstrip("})") + f" dump-ptx-path={FOLDER / texts[-1]}}})"
    return parse(pipeline, *arguments, **named)


def compile_to_text(self, module, *arguments, **named):
    """Replaces the binary by the PTX."""
    result = compile_(self, module, *arguments, **named)
    (path,) = FOLDER.glob(f"{texts[-1]}*")
    text = path.read_text().rstrip("\0") + "\0"
    for operation in module.body.operations:
        if operation.operation.name == "llvm.mlir.global" and "_binary" in str(operation.attributes["sym_name"]):
            with module.context, ir.Location.unknown():
                operation.attributes["value"] = ir.StringAttr.get(text)
                type_ = ir.Type.parse(f"!llvm.array<{len(text)} x i8>")
                operation.attributes["global_type"] = ir.TypeAttr.get(type_)
    return result


passmanager.PassManager.parse = staticmethod(parse_and_keep)
compiler.Compiler.compile = compile_to_text
runtime.cudaGetDeviceCount = lambda: (runtime.cudaError_t.cudaSuccess, 1)
runtime.cudaLibraryUnload = lambda library: (runtime.cudaError_t.cudaSuccess,)

driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert driver.cuInit(0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0


def on_device(array):
    """Returns a tensor in memory of the driver."""
    assert driver.cuMemHostRegister_v2(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), 0) == 0
    return from_dlpack(array)


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    at = block * 64 + thread
    c[at] = a[at] + 2 * b[at]


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    add_kernel(a, b, c).launch(grid=(4, 1, 1), block=(64, 1, 1))


@cute.kernel
def turn_kernel(a: cute.Tensor, b: cute.Tensor):
    """Transposes a tile through shared memory."""
    thread, _, _ = cute.arch.thread_idx()
    memory = cutlass.memory.SmemAllocator()
    tile = memory.allocate_tensor(cutlass.Float32, cute.make_layout((32, 32), stride=(33, 1)), 16)
    for row in cutlass.range(32):
        tile[row, thread] = a[row, thread]
    cute.arch.sync_threads()
    for row in cutlass.range(32):
        b[row, thread] = tile[thread, row]


@cute.jit
def turn(a: cute.Tensor, b: cute.Tensor):
    turn_kernel(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))


a, b, c = numpy.arange(256, dtype="f4"), numpy.ones(256, "f4"), numpy.zeros(256, "f4")
add(on_device(a), on_device(b), on_device(c))
assert (c == a + 2).all()
a, b = numpy.arange(1024, dtype="f4").reshape(32, 32), numpy.zeros((32, 32), "f4")
turn(on_device(a), on_device(b))
assert (b == a.T).all()
print("2 kernels are right")
