"""Compiles kernels of CuTe DSL for the target that the environment names. with_cute.py runs this script."""

import os

import cutlass
import cutlass.cute as cute
from common import write
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import make_fake_compact_tensor


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


@cute.kernel
def sum_kernel(a: cute.Tensor, b: cute.Tensor):
    """Adds the rows by exchanges between lanes."""
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    value = a[block, thread]
    for i in cutlass.range_constexpr(5):
        value = value + cute.arch.shuffle_sync_bfly(value, offset=1 << i)
    if thread == 0:
        b[block, 0] = value


@cute.jit
def sums(a: cute.Tensor, b: cute.Tensor):
    sum_kernel(a, b).launch(grid=(32, 1, 1), block=(32, 1, 1))


@cute.kernel
def stage_kernel(a: cute.Tensor, b: cute.Tensor):
    """Copies by cp.async."""
    thread, _, _ = cute.arch.thread_idx()
    memory = cutlass.memory.SmemAllocator()
    tile = memory.allocate_tensor(cutlass.Float32, cute.make_layout((32, 32), stride=(32, 1)), 16)
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float32, num_bits_per_copy=32)
    copy = cute.make_tiled_copy_tv(atom, cute.make_layout((1, 32), stride=(32, 1)), cute.make_layout((1, 1)))
    mine = copy.get_slice(thread)
    cute.copy(copy, mine.partition_S(a), mine.partition_D(tile))
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.arch.sync_threads()
    for row in cutlass.range(32):
        b[row, thread] = tile[31 - row, thread]


@cute.jit
def stage(a: cute.Tensor, b: cute.Tensor):
    stage_kernel(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))


@cute.kernel
def product_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, tiled: cute.TiledMma):
    """Multiplies one tile with one warp."""
    thread, _, _ = cute.arch.thread_idx()
    mine = tiled.get_slice(thread)
    of_a, of_b, of_c = mine.partition_A(a), mine.partition_B(b), mine.partition_C(c)
    in_a, in_b, in_c = tiled.make_fragment_A(of_a), tiled.make_fragment_B(of_b), tiled.make_fragment_C(of_c)
    in_c.fill(0.0)
    cute.autovec_copy(of_a, in_a)
    cute.autovec_copy(of_b, in_b)
    cute.gemm(tiled, in_c, in_a, in_b, in_c)
    cute.autovec_copy(in_c, of_c)


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    tiled = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)))
    product_kernel(a, b, c, tiled).launch(grid=(1, 1, 1), block=(32, 1, 1))


def tensor(kind, rows, columns):
    return make_fake_compact_tensor(kind, (rows, columns), stride_order=(1, 0))


square, half = tensor(cutlass.Float32, 32, 32), cutlass.Float16
kernels = {
    "turn": (turn, square, square),
    "sums": (sums, square, tensor(cutlass.Float32, 32, 1)),
    "stage": (stage, square, square),
    "product": (product, tensor(half, 64, 64), tensor(half, 64, 64), tensor(cutlass.Float32, 64, 64)),
}
for name, (kernel, *tensors) in kernels.items():
    write(f"{name}-{os.environ['CUTE_DSL_ARCH']}", cute.compile(kernel, *tensors).__ptx__)
