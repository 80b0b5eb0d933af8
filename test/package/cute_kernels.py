"""Compiles a kernel in the CuTe DSL as often as requested, with a different kernel each time. test_examples.py
imports it."""

import cutlass
from cutlass import cute
from cutlass.cute.runtime import make_ptr


@cute.kernel
def scaled(source: cute.Pointer, target: cute.Pointer, count: cutlass.Int32, factor: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    place = block * 128 + thread
    read = cute.make_tensor(source, cute.make_layout(1 << 20))
    written = cute.make_tensor(target, cute.make_layout(1 << 20))
    if place < count:
        for step in cutlass.range_constexpr(factor + 48):
            written[place + step] = read[place + step] * cutlass.Float32(factor) + written[place]


@cute.jit
def launched(source: cute.Pointer, target: cute.Pointer, count: cutlass.Int32, factor: cutlass.Constexpr):
    scaled(source, target, count, factor).launch(grid=[8, 1, 1], block=[128, 1, 1])


def compile_scaled(factor):
    data = make_ptr(cutlass.Float32, 0, cute.AddressSpace.gmem, assumed_align=16)
    return cute.compile(launched, data, data, cutlass.Int32(1000), factor)
