# Kernels of Mojo's own libraries: matrix product, sorting, search, running sums.
from layout import Coord, TileTensor, row_major
from linalg.matmul.gpu import _matmul_gpu
from max.gpu.host import DeviceContext
from nn.argmaxmin_gpu import argmax_gpu
from nn.argsort import argsort
from nn.cumsum import cumsum


def product[dtype: DType](ctx: DeviceContext) raises:
    comptime N = 4096
    var a = ctx.enqueue_create_buffer[dtype](N * N)
    var b = ctx.enqueue_create_buffer[dtype](N * N)
    var c = ctx.enqueue_create_buffer[dtype](N * N)
    comptime layout = row_major[N, N]()
    _matmul_gpu[use_tensor_core=True, transpose_b=True](
        TileTensor(c, layout), TileTensor(a, layout), TileTensor(b, layout), ctx
    )


def largest[dtype: DType](ctx: DeviceContext) raises:
    var values = ctx.enqueue_create_buffer[dtype](4096)
    var places = ctx.enqueue_create_buffer[DType.int64](4)
    argmax_gpu(ctx, TileTensor(values, row_major(Coord(4, 1024))), TileTensor(places, row_major(Coord(4, 1))))


def order[dtype: DType](ctx: DeviceContext) raises:
    var values = ctx.enqueue_create_buffer[dtype](4096)
    var places = ctx.enqueue_create_buffer[DType.int64](4096)
    argsort[ascending=True, target="gpu"](TileTensor(places, row_major(4096)), TileTensor(values, row_major(4096)), ctx)


def running_sums[dtype: DType](ctx: DeviceContext) raises:
    var values = ctx.enqueue_create_buffer[dtype](4096)
    var sums = ctx.enqueue_create_buffer[dtype](4096)
    var layout = row_major(Coord(16, 256))
    cumsum[dtype, False, False, axis=1, target="gpu"](TileTensor(sums, layout), TileTensor(values, layout), ctx)


def main() raises:
    with DeviceContext() as ctx:
        largest[DType.float32](ctx)
        order[DType.float32](ctx)
        running_sums[DType.float32](ctx)
        product[DType.bfloat16](ctx)
