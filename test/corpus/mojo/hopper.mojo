# What sm_90 has: clusters, mbarriers, tensor copies, products of a warp group, multicast memory.
from layout import Coord, Idx, row_major
from layout.tile_tensor import stack_allocation
from layout.tma_async import SharedMemBarrier, TMATensorTile
from max.gpu import MAX_THREADS_PER_BLOCK_METADATA, block_idx, lane_id, thread_idx
from max.gpu.compute.mma import (
    WGMMADescriptor,
    st_matrix,
    wgmma_async,
    wgmma_commit_group_sync,
    wgmma_fence_aligned,
    wgmma_wait_group_sync,
)
from max.gpu.host import DeviceContext
from max.gpu.intrinsics import Scope, warpgroup_reg_alloc, warpgroup_reg_dealloc
from max.gpu.memory import (
    Consistency,
    ReduceOp,
    fence_async_view_proxy,
    fence_mbarrier_init,
    multimem_ld_reduce,
    multimem_st,
)
from max.gpu.primitives.cluster import (
    block_rank_in_cluster,
    cluster_arrive_relaxed,
    cluster_sync,
    cluster_wait,
    elect_one_sync,
    elect_one_sync_with_mask,
)
from max.gpu.primitives.grid_controls import launch_dependent_grids, wait_on_dependent_grids
from max.gpu.sync import barrier, cp_async_bulk_commit_group, cp_async_bulk_wait_group
from std.memory import unsafe_stack_allocation
from std.utils.static_tuple import StaticTuple

comptime Values[dtype: DType] = Pointer[Scalar[dtype], MutAnyOrigin]
comptime TMA = TMATensorTile[DType.float32, Coord(Idx[16], Idx[32])]


@__llvm_metadata(`nvvm.cluster_dim`=StaticTuple[Int32, 3](2, 1, 1))
def clusters(a: Values[DType.uint32]):
    wait_on_dependent_grids()
    cluster_sync()
    if elect_one_sync():
        a.unsafe_store(block_idx.x, block_rank_in_cluster())
    cluster_arrive_relaxed()
    if elect_one_sync_with_mask(255):
        a.unsafe_store(block_idx.x + 64, UInt32(lane_id()))
    cluster_wait()
    launch_dependent_grids()


def barriers(a: Values[DType.float32]):
    var mbarrier = unsafe_stack_allocation[2, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8]()
    if thread_idx.x == 0:
        mbarrier[0].init(128)
        mbarrier[1].init()
        fence_mbarrier_init()
        mbarrier[1].expect_bytes(64)
    barrier()
    _ = mbarrier[0].arrive()
    mbarrier[0].wait()
    mbarrier[1].arrive_cluster(1)
    mbarrier[1].wait_acquire[Scope.CLUSTER](1)
    a.unsafe_store(thread_idx.x, 1)


@__llvm_arg_metadata(source, `nvvm.grid_constant`)
def tensor_load(a: Values[DType.float32], source: TMA):
    var tile = stack_allocation[DType.float32, address_space=AddressSpace.SHARED, alignment=128](row_major[16, 32]())
    var mbarrier = unsafe_stack_allocation[1, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8]()
    if thread_idx.x == 0:
        source.prefetch_descriptor()
        mbarrier[0].init()
        mbarrier[0].expect_bytes(2048)
        source.async_copy(tile, mbarrier[0], (block_idx.x * 32, block_idx.y * 16))
        source.async_multicast_load(tile, mbarrier[0], (0, block_idx.y * 16), UInt16(3))
    barrier()
    mbarrier[0].wait()
    a.unsafe_store(thread_idx.x, tile.ptr.unsafe_load(thread_idx.x))


@__llvm_arg_metadata(target, `nvvm.grid_constant`)
def tensor_store(a: Values[DType.float32], target: TMA):
    var tile = stack_allocation[DType.float32, address_space=AddressSpace.SHARED, alignment=128](row_major[16, 32]())
    tile.ptr.unsafe_store(thread_idx.x, a.unsafe_load(thread_idx.x))
    fence_async_view_proxy()
    barrier()
    if thread_idx.x == 0:
        target.async_store(tile, (block_idx.x * 32, block_idx.y * 16))
        cp_async_bulk_commit_group()
    cp_async_bulk_wait_group[0]()


@__llvm_metadata(MAX_THREADS_PER_BLOCK_METADATA=StaticTuple[Int32, 1](128))
def warp_group_product[N: Int, in_registers: Bool](a: Values[DType.bfloat16], c: Values[DType.float32]):
    comptime registers = 64 * N // 128
    var tile = unsafe_stack_allocation[4096, BFloat16, address_space=AddressSpace.SHARED, alignment=128]()
    warpgroup_reg_alloc[160]()
    tile.unsafe_store(thread_idx.x, a.unsafe_load(thread_idx.x))
    fence_async_view_proxy()
    var lhs = WGMMADescriptor.create[16, 8](tile)
    var rhs = WGMMADescriptor.create[16, 8](tile + 1024)
    barrier()
    var sum = SIMD[DType.float32, registers](0)
    comptime if in_registers:
        var fragment = a.unsafe_load[width=8](thread_idx.x * 8)
        wgmma_fence_aligned()
        sum = wgmma_async[64, N, 16, a_type=DType.bfloat16, b_type=DType.bfloat16](fragment, rhs, sum)
    else:
        wgmma_fence_aligned()
        sum = wgmma_async[64, N, 16, a_type=DType.bfloat16, b_type=DType.bfloat16](
            lhs, rhs, sum
        )
    wgmma_commit_group_sync()
    wgmma_wait_group_sync()
    warpgroup_reg_dealloc[40]()
    c.unsafe_store(thread_idx.x * registers, sum)


def matrices(a: Values[DType.float32]):
    var tile = unsafe_stack_allocation[512, BFloat16, address_space=AddressSpace.SHARED, alignment=16]()
    st_matrix[4](tile + thread_idx.x * 8, a.unsafe_load[width=4](thread_idx.x * 4))
    st_matrix[2, transpose=True](tile + thread_idx.x * 8, a.unsafe_load[width=2](thread_idx.x * 4))
    barrier()
    a.unsafe_store(thread_idx.x, tile.unsafe_load(thread_idx.x).cast[DType.float32]())


def multicast_memory(a: Values[DType.bfloat16]):
    var x = multimem_ld_reduce[
        DType.bfloat16,
        count=4,
        reduction=ReduceOp.ADD,
        scope=Scope.SYSTEM,
        consistency=Consistency.RELAXED,
        output_width=2,
    ](a.unsafe_address_space_cast[AddressSpace.GLOBAL]())
    multimem_st[DType.bfloat16, count=4, scope=Scope.GPU, consistency=Consistency.RELEASE, width=2](
        a.unsafe_address_space_cast[AddressSpace.GLOBAL]() + 8, x
    )


def main() raises:
    with DeviceContext() as ctx:
        _ = ctx.compile_function[clusters]()
        _ = ctx.compile_function[barriers]()
        _ = ctx.compile_function[tensor_load]()
        _ = ctx.compile_function[tensor_store]()
        _ = ctx.compile_function[warp_group_product[8, False]]()
        _ = ctx.compile_function[warp_group_product[64, True]]()
        _ = ctx.compile_function[warp_group_product[256, False]]()
        _ = ctx.compile_function[matrices]()
        _ = ctx.compile_function[multicast_memory]()
