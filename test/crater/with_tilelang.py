"""Compiles kernels to PTX with TileLang's compiler and nvcc, without a GPU."""

import importlib.util
import os
import pathlib
import subprocess
import tempfile

import tilelang
import tilelang.language as T
from common import archs, write
from tilelang import tvm

TILELANG = pathlib.Path(importlib.util.find_spec("tilelang").origin).parent
NVCC = pathlib.Path(os.environ["PTXRAY_CORPUS_CUDA"])


def product(kind, threads, stages):
    size, tile, deep = 256, 64, 32

    @T.prim_func
    def main(A: T.Tensor((size, size), kind), B: T.Tensor((size, size), kind), C: T.Tensor((size, size), "float32")):
        with T.Kernel(size // tile, size // tile, threads=threads) as (bx, by):
            a, b = T.alloc_shared((tile, deep), kind), T.alloc_shared((deep, tile), kind)
            c = T.alloc_fragment((tile, tile), "float32")
            T.clear(c)
            for k in T.Pipelined(size // deep, num_stages=stages):
                T.copy(A[by * tile, k * deep], a)
                T.copy(B[k * deep, bx * tile], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * tile, bx * tile])

    return main


def softmax():
    rows, columns = 64, 512

    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float32"), B: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows, threads=128) as row:
            a = T.alloc_fragment((1, columns), "float32")
            most, total = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(A[row, 0], a)
            T.reduce_max(a, most, dim=1)
            for i, j in T.Parallel(1, columns):
                a[i, j] = T.exp(a[i, j] - most[i])
            T.reduce_sum(a, total, dim=1)
            for i, j in T.Parallel(1, columns):
                a[i, j] = a[i, j] / total[i]
            T.copy(a, B[row, 0])

    return main


kernels = {
    "product": product("float16", 128, 2),
    "bfloat": product("bfloat16", 128, 3),
    "straight": product("float16", 128, 0),
    "softmax": softmax(),
}
with tempfile.TemporaryDirectory() as folder:
    source, output = pathlib.Path(folder) / "kernel.cu", pathlib.Path(folder) / "kernel.ptx"
    for number, suffix in archs():
        for name, kernel in kernels.items():
            target = tvm.target.Target({"kind": "cuda", "arch": f"sm_{number}{suffix}"})
            with target:
                source.write_text(tilelang.lower(kernel, target=target).kernel_source)
            includes = [TILELANG / "src", TILELANG / "3rdparty" / "cutlass" / "include", NVCC / "include"]
            command = [NVCC / "bin" / "nvcc", "-ptx", "-w", "-std=c++20", f"-arch=compute_{number}{suffix}"]
            command += [f"-I{path}" for path in (*includes, NVCC / "include" / "cccl")]
            subprocess.run([*command, source, "-o", output], check=True)
            write(f"{name}-sm_{number}{suffix}", output.read_text())
