"""Compiles kernels to PTX with Triton's compiler, without a GPU."""

import triton
import triton.language as tl
from common import archs, write
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(o, x, stride, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * stride + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(
            tl.load(a + rm[:, None] * K + (k + rk)[None, :]), tl.load(b + (k + rk)[:, None] * N + rn[None, :]), acc
        )
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, o, n, scale, B: tl.constexpr, D: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    rd = tl.arange(0, D)
    Q = tl.load(q + rm[:, None] * D + rd[None, :])
    m = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, n, B):
        rn = start + tl.arange(0, B)
        s = tl.dot(Q, tl.trans(tl.load(k + rn[:, None] * D + rd[None, :]))) * scale
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        alpha = tl.exp2(m - top)
        total = total * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + rn[:, None] * D + rd[None, :]), acc * alpha[:, None])
        m = top
    tl.store(o + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def scan_and_sort(x, o, h, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o + i, tl.cumsum(v, 0), mask=i < n)
    tl.store(o + B + i, tl.sort(v), mask=i < n)
    tl.atomic_add(h + v % 64, 1, mask=i < n)
    tl.store(o + 2 * B + i, tl.argmax(v, 0) + i, mask=i < n)


def source(fn, constants, **types):
    signature = {**types, **dict.fromkeys(constants, "constexpr")}
    ordered = {name: signature[name] for name in fn.arg_names}
    return ASTSource(fn=fn, signature=ordered, constexprs=constants)


def cases():
    yield "add", source(add, {"B": 1024}, x="*fp32", y="*fp32", o="*fp32", n="i32"), {}
    yield "add_bf16", source(add, {"B": 2048}, x="*bf16", y="*bf16", o="*bf16", n="i32"), {}
    yield "softmax", source(softmax, {"B": 2048}, o="*fp32", x="*fp16", stride="i32", n="i32"), {"num_warps": 8}
    for t in ("fp16", "bf16", "fp32", "fp8e4nv"):
        tiles = {"BM": 128, "BN": 128, "BK": 64}
        yield (
            f"matmul_{t}",
            source(matmul, tiles, a=f"*{t}", b=f"*{t}", c="*fp32", M="i32", N="i32", K="i32"),
            {"num_stages": 3},
        )
    yield (
        "attention",
        source(attention, {"B": 64, "D": 64}, q="*fp16", k="*fp16", v="*fp16", o="*fp16", n="i32", scale="fp32"),
        {"num_warps": 4},
    )
    yield "scan_and_sort", source(scan_and_sort, {"B": 512}, x="*i32", o="*i32", h="*i32", n="i32"), {}


for number, _ in archs(plain=True):
    for name, kernel, options in cases():
        try:
            compiled = triton.compile(kernel, target=GPUTarget("cuda", number, 32), options=options)
        except Exception as error:  # the target lacks a type
            print(name, number, type(error).__name__)
            continue
        write(f"{name}-{number}", compiled.asm["ptx"])
