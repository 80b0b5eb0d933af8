# Arithmetic, mathematical functions and conversions, one value a thread.
from max.gpu import global_idx
from max.gpu.host import DeviceContext
from std.math import ceil, cos, erf, exp, exp2, floor, fma, log, log2, recip, rsqrt, sin, sqrt, tanh

comptime Values[dtype: DType] = Pointer[Scalar[dtype], MutAnyOrigin]


def arithmetic[dtype: DType](a: Values[dtype], b: Values[dtype], n: Int):
    var i = global_idx.x
    if i < n:
        var x = a.unsafe_load(i)
        var y = b.unsafe_load(i)
        a.unsafe_store(i, fma(x, y, x - y) + min(x, y) * max(x, y) + abs(x) / y)


def integers[dtype: DType](a: Values[dtype], b: Values[dtype], n: Int):
    var i = global_idx.x
    if i < n:
        var x = a.unsafe_load(i)
        var y = b.unsafe_load(i)
        a.unsafe_store(i, (x // y) ^ (x % y) | (x << 3) & (y >> 2) + x * y)


def functions[dtype: DType](a: Values[dtype], n: Int) where dtype.is_floating_point():
    var i = global_idx.x
    if i < n:
        var x = a.unsafe_load(i)
        x = exp(x) + exp2(x) * log(x) - log2(x)
        x = sin(x) + cos(x) * tanh(x) + erf(x)
        a.unsafe_store(i, sqrt(x) + rsqrt(x) + recip(x) + floor(x) - ceil(x))


def vectors[dtype: DType, width: Int](a: Values[dtype], b: Values[dtype]):
    var i = global_idx.x * width
    var x = a.unsafe_load[width=width](i)
    var y = b.unsafe_load[width=width](i)
    a.unsafe_store(i, x * y + x)


def convert[source: DType, destination: DType](a: Values[source], b: Values[destination], n: Int):
    var i = global_idx.x * 2
    if i < n:
        b.unsafe_store(i, a.unsafe_load[width=2](i).cast[destination]())


def main() raises:
    with DeviceContext() as ctx:
        _ = ctx.compile_function[arithmetic[DType.float16]]()
        _ = ctx.compile_function[arithmetic[DType.bfloat16]]()
        _ = ctx.compile_function[arithmetic[DType.float32]]()
        _ = ctx.compile_function[arithmetic[DType.float64]]()
        _ = ctx.compile_function[integers[DType.int8]]()
        _ = ctx.compile_function[integers[DType.uint16]]()
        _ = ctx.compile_function[integers[DType.int32]]()
        _ = ctx.compile_function[integers[DType.uint64]]()
        _ = ctx.compile_function[functions[DType.float16]]()
        _ = ctx.compile_function[functions[DType.bfloat16]]()
        _ = ctx.compile_function[functions[DType.float32]]()
        _ = ctx.compile_function[vectors[DType.float16, 8]]()
        _ = ctx.compile_function[vectors[DType.float32, 4]]()
        _ = ctx.compile_function[vectors[DType.int64, 2]]()
        _ = ctx.compile_function[convert[DType.float32, DType.float16]]()
        _ = ctx.compile_function[convert[DType.float32, DType.bfloat16]]()
        _ = ctx.compile_function[convert[DType.bfloat16, DType.float16]]()
        _ = ctx.compile_function[convert[DType.float64, DType.int32]]()
        _ = ctx.compile_function[convert[DType.uint8, DType.float16]]()
        _ = ctx.compile_function[convert[DType.float32, DType.float8_e4m3fn]]()
        _ = ctx.compile_function[convert[DType.float16, DType.float8_e5m2]]()
        _ = ctx.compile_function[convert[DType.float8_e4m3fn, DType.float16]]()
        _ = ctx.compile_function[convert[DType.float8_e5m2, DType.float32]]()
