# What sm_100 has: tensor memory, products in it, cancellation of launches, bulk copies.
from layout.tma_async import SharedMemBarrier
from max.gpu import block_idx, thread_idx
from max.gpu.compute.arch.mma_nvidia_sm100 import MMASmemDescriptor, UMMAInsDescriptor, UMMAKind, mma, mma_arrive
from max.gpu.compute.arch.tcgen05 import (
    tcgen05_alloc,
    tcgen05_cp,
    tcgen05_dealloc,
    tcgen05_fence_after,
    tcgen05_fence_before,
    tcgen05_ld,
    tcgen05_load_wait,
    tcgen05_release_allocation_lock,
    tcgen05_st,
    tcgen05_store_wait,
)
from max.gpu.host import DeviceContext
from max.gpu.intrinsics import Scope
from max.gpu.memory import (
    CacheEviction,
    ReduceOp,
    cp_async_bulk_global_shared_cta,
    cp_async_bulk_prefetch,
    cp_async_bulk_reduce_global_shared_cta,
    cp_async_bulk_shared_cluster_global,
)
from max.gpu.primitives.cluster import (
    cluster_sync_acquire,
    cluster_sync_release,
    clusterlaunchcontrol_query_cancel_get_first_ctaid,
    clusterlaunchcontrol_query_cancel_is_canceled,
    clusterlaunchcontrol_try_cancel,
    elect_one_sync,
)
from max.gpu.sync import barrier, cp_async_bulk_commit_group, cp_async_bulk_wait_group
from std.memory import unsafe_stack_allocation
from std.utils.index import Index

comptime Values[dtype: DType] = Pointer[Scalar[dtype], MutAnyOrigin]


def tensor_memory[datapaths: Int, bits: Int, repeat: Int, cta_group: Int32](a: Values[DType.float32]):
    var address = unsafe_stack_allocation[1, UInt32, address_space=AddressSpace.SHARED]()
    tcgen05_alloc[cta_group](address, 256)
    barrier()
    var values = tcgen05_ld[datapaths=datapaths, bits=bits, repeat=repeat, dtype=DType.float32, pack=False](address[0])
    tcgen05_load_wait()
    a.unsafe_store(thread_idx.x, values[0])
    tcgen05_st[datapaths=datapaths, bits=bits, repeat=repeat, pack=False](address[0], values)
    tcgen05_store_wait()
    tcgen05_release_allocation_lock[cta_group]()
    tcgen05_dealloc[cta_group](address[0], 256)


def product(a: Values[DType.float32]):
    var address = unsafe_stack_allocation[1, UInt32, address_space=AddressSpace.SHARED]()
    var mbarrier = unsafe_stack_allocation[1, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8]()
    var tile = unsafe_stack_allocation[8192, BFloat16, address_space=AddressSpace.SHARED, alignment=128]()
    tcgen05_alloc[1](address, 64)
    mbarrier[0].init()
    barrier()
    comptime instruction = UMMAInsDescriptor[UMMAKind.KIND_F16].create[
        DType.float32, DType.bfloat16, DType.bfloat16, Index[dtype=DType.uint32](128, 64)
    ]()
    var lhs = MMASmemDescriptor.create[128, 256](tile)
    var rhs = MMASmemDescriptor.create[128, 256](tile + 4096)
    tcgen05_cp[cta_group=1, datapaths=128, bits=256](address[0], lhs)
    if elect_one_sync():
        mma[1](lhs, rhs, address[0], instruction, c_scale=UInt32(0))
        mma_arrive[1](mbarrier)
    mbarrier[0].wait()
    tcgen05_fence_after()
    var values = tcgen05_ld[datapaths=32, bits=32, repeat=1, dtype=DType.float32, pack=False](address[0])
    tcgen05_load_wait()
    tcgen05_fence_before()
    a.unsafe_store(thread_idx.x, values[0])
    barrier()
    tcgen05_release_allocation_lock[1]()
    tcgen05_dealloc[1](address[0], 64)


def cancellation(a: Values[DType.uint32]):
    var result = unsafe_stack_allocation[1, UInt128, address_space=AddressSpace.SHARED, alignment=16]()
    var mbarrier = unsafe_stack_allocation[1, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8]()
    if thread_idx.x == 0:
        mbarrier[0].init()
        cluster_sync_acquire()
        clusterlaunchcontrol_try_cancel(result, mbarrier.unsafe_bitcast[Int64]())
        _ = mbarrier[0].expect_bytes_relaxed(16)
    mbarrier[0].wait_acquire[Scope.BLOCK](0)
    if clusterlaunchcontrol_query_cancel_is_canceled(result):
        a.unsafe_store(block_idx.x, clusterlaunchcontrol_query_cancel_get_first_ctaid["x"](result))
    cluster_sync_release()


def bulk_copies(a: Values[DType.float32]):
    var tile = unsafe_stack_allocation[1024, Float32, address_space=AddressSpace.SHARED, alignment=128]()
    var mbarrier = unsafe_stack_allocation[1, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8]()
    if thread_idx.x == 0:
        cp_async_bulk_prefetch(a, 4096)
        mbarrier[0].init()
        mbarrier[0].expect_bytes(4096)
        cp_async_bulk_shared_cluster_global(tile, a, 4096, mbarrier)
    barrier()
    mbarrier[0].wait()
    cp_async_bulk_global_shared_cta[eviction_policy=CacheEviction.EVICT_FIRST](a, tile, 4096)
    cp_async_bulk_reduce_global_shared_cta[reduction_kind=ReduceOp.ADD](a, tile, 4096)
    cp_async_bulk_commit_group()
    cp_async_bulk_wait_group[0]()


def main() raises:
    with DeviceContext() as ctx:
        _ = ctx.compile_function[tensor_memory[32, 32, 64, 1]]()
        _ = ctx.compile_function[tensor_memory[16, 256, 4, 2]]()
        _ = ctx.compile_function[tensor_memory[16, 64, 8, 1]]()
        _ = ctx.compile_function[product]()
        _ = ctx.compile_function[cancellation]()
        _ = ctx.compile_function[bulk_copies]()
