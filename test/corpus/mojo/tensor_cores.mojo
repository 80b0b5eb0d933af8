# Asynchronous copies, ldmatrix and warp-wide matrix products.
from max.gpu import lane_id, thread_idx
from max.gpu.compute.mma import ld_matrix, mma
from max.gpu.host import DeviceContext
from max.gpu.memory import (
    CacheEviction,
    async_copy,
    async_copy_commit_group,
    async_copy_wait_all,
    async_copy_wait_group,
)
from max.gpu.sync import barrier
from std.memory import unsafe_stack_allocation

comptime Values[dtype: DType] = Pointer[Scalar[dtype], MutAnyOrigin]


def copies[size: Int](a: Values[DType.float32], b: Values[DType.float32], n: Int32):
    var tile = unsafe_stack_allocation[1024, Float32, address_space=AddressSpace.SHARED, alignment=16]()
    var source = a.unsafe_address_space_cast[AddressSpace.GLOBAL]() + thread_idx.x * 4
    var target = tile + thread_idx.x * 4
    async_copy[size](source, target)
    async_copy_commit_group()
    async_copy[size, fill=Float32(0)](source, target, n)
    async_copy[size, eviction_policy=CacheEviction.EVICT_FIRST](source, target)
    async_copy[size, bypass_L1_16B=False, l2_prefetch=128](source, target)
    async_copy_commit_group()
    async_copy_wait_group(1)
    async_copy_wait_all()
    barrier()
    b.unsafe_store(thread_idx.x, tile.unsafe_load(thread_idx.x ^ 31))


def product[a_type: DType, a_size: Int, b_type: DType, b_size: Int, c_type: DType, c_size: Int](
    a: Values[a_type], b: Values[b_type], c: Values[c_type]
):
    var i = lane_id()
    var sum = c.unsafe_load[width=c_size](i * c_size)
    mma(sum, a.unsafe_load[width=a_size](i * a_size), b.unsafe_load[width=b_size](i * b_size), sum)
    c.unsafe_store(i * c_size, sum)


def matrices[dtype: DType, size: Int, transpose: Bool](a: Values[dtype]):
    var tile = unsafe_stack_allocation[1024, Scalar[dtype], address_space=AddressSpace.SHARED, alignment=16]()
    tile.unsafe_store(thread_idx.x, a.unsafe_load(thread_idx.x))
    barrier()
    a.unsafe_store(thread_idx.x * size, ld_matrix[size, transpose=transpose](tile + lane_id() * 8))


def main() raises:
    with DeviceContext() as ctx:
        _ = ctx.compile_function[copies[4]]()
        _ = ctx.compile_function[copies[16]]()
        _ = ctx.compile_function[product[DType.float16, 4, DType.float16, 2, DType.float16, 4]]()
        _ = ctx.compile_function[product[DType.float16, 8, DType.float16, 4, DType.float32, 4]]()
        _ = ctx.compile_function[product[DType.bfloat16, 8, DType.bfloat16, 4, DType.float32, 4]]()
        _ = ctx.compile_function[product[DType.float32, 4, DType.float32, 2, DType.float32, 4]]()
        _ = ctx.compile_function[matrices[DType.bfloat16, 8, False]]()
        _ = ctx.compile_function[matrices[DType.float16, 4, True]]()
        _ = ctx.compile_function[matrices[DType.float32, 1, False]]()
