# What the threads of a warp and of a block do together: shuffles, votes, reductions, barriers, shared memory, atomics.
from max.gpu import block_idx, global_idx, lane_id, thread_idx, warp_id
from max.gpu.host import DeviceContext
from max.gpu.primitives import block, warp
from max.gpu.sync import Semaphore, barrier, named_barrier, syncwarp
from std.atomic import Atomic, Ordering, fence
from std.memory import unsafe_stack_allocation

comptime Values[dtype: DType] = Pointer[Scalar[dtype], MutAnyOrigin]


def shuffles[dtype: DType](a: Values[dtype]):
    var x = a.unsafe_load(global_idx.x)
    x += warp.shuffle_idx(x, UInt32(3))
    x += warp.shuffle_up(x, UInt32(1))
    x += warp.shuffle_down(x, UInt32(2))
    x += warp.shuffle_xor(x, UInt32(16))
    x += warp.broadcast(x)
    a.unsafe_store(global_idx.x, x)


def warp_reductions[dtype: DType](a: Values[dtype]):
    var x = a.unsafe_load(global_idx.x)
    x = warp.sum(x) + warp.max(x) - warp.min(x) + warp.prefix_sum(x)
    a.unsafe_store(global_idx.x, x)


def votes(a: Values[DType.float32], b: Values[DType.uint32]):
    var lanes = warp.vote[DType.uint32](a.unsafe_load(global_idx.x) > 0)
    b.unsafe_store(global_idx.x, lanes)
    syncwarp()


def block_reductions[dtype: DType](a: Values[dtype]):
    var x = a.unsafe_load(global_idx.x)
    x = block.sum[block_size=256](x) + block.max[block_size=256](x) + block.prefix_sum[block_size=256](x)
    a.unsafe_store(global_idx.x, block.broadcast[block_size=256](x))


def transpose[dtype: DType](a: Values[dtype], b: Values[dtype]):
    var tile = unsafe_stack_allocation[32 * 33, Scalar[dtype], address_space=AddressSpace.SHARED]()
    var row = thread_idx.y
    var column = thread_idx.x
    tile.unsafe_store(row * 33 + column, a.unsafe_load(row * 32 + column))
    barrier()
    b.unsafe_store(row * 32 + column, tile.unsafe_load(column * 33 + row))


def named_barriers(a: Values[DType.float32]):
    var tile = unsafe_stack_allocation[256, Float32, address_space=AddressSpace.SHARED]()
    tile.unsafe_store(thread_idx.x, a.unsafe_load(thread_idx.x))
    if warp_id() < 4:
        named_barrier[128](1)
    else:
        named_barrier[128](2)
    a.unsafe_store(thread_idx.x, tile.unsafe_load(thread_idx.x ^ 127))


def atomics[dtype: DType](a: Values[dtype]):
    _ = Atomic[Scalar[dtype]].fetch_add(a, 1)
    _ = Atomic[Scalar[dtype]].fetch_add[ordering=Ordering.RELAXED](a, 2)
    Atomic[Scalar[dtype]].max(a, 3)
    Atomic[Scalar[dtype]].min(a, 4)
    fence[Ordering.ACQUIRE_RELEASE]()


def semaphores(lock: Values[DType.int32], a: Values[DType.int32]):
    var semaphore = Semaphore(lock, thread_idx.x)
    semaphore.fetch()
    semaphore.wait(block_idx.x)
    a.unsafe_store(block_idx.x, Int32(lane_id()))
    semaphore.release(Int32(block_idx.x + 1))


def main() raises:
    with DeviceContext() as ctx:
        _ = ctx.compile_function[shuffles[DType.float32]]()
        _ = ctx.compile_function[shuffles[DType.bfloat16]]()
        _ = ctx.compile_function[shuffles[DType.int64]]()
        _ = ctx.compile_function[warp_reductions[DType.float32]]()
        _ = ctx.compile_function[warp_reductions[DType.int32]]()
        _ = ctx.compile_function[votes]()
        _ = ctx.compile_function[block_reductions[DType.float32]]()
        _ = ctx.compile_function[block_reductions[DType.int32]]()
        _ = ctx.compile_function[transpose[DType.float32]]()
        _ = ctx.compile_function[transpose[DType.uint8]]()
        _ = ctx.compile_function[named_barriers]()
        _ = ctx.compile_function[atomics[DType.int32]]()
        _ = ctx.compile_function[atomics[DType.uint64]]()
        _ = ctx.compile_function[atomics[DType.float32]]()
        _ = ctx.compile_function[semaphores]()
