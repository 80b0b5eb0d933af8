"""Makes the kernels that tools/bench/embedding.py checks: kernels.py FOLDER, run by a Python with Triton, which
needs no GPU to compile them. The kernels are elementwise operations, reductions, norms, random numbers, matrix
products and attention, each in a few sizes for three targets."""

import os
import pathlib
import sys
import tempfile

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n).to(tl.float32)
    inner = 0.79788456 * (value + 0.044715 * value * value * value)
    tl.store(out + at, 0.5 * value * (1 + (2 / (1 + tl.exp(-2 * inner)) - 1)), at < n)


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, at < n, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * n + at, powers / tl.sum(powers, 0), at < n)


@triton.jit
def norm(x, weight, bias, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, at < n, other=0).to(tl.float32)
    mean = tl.sum(values, 0) / n
    shifted = tl.where(at < n, values - mean, 0)
    scale = 1 / tl.sqrt(tl.sum(shifted * shifted, 0) / n + 1e-5)
    tl.store(out + row * n + at, shifted * scale * tl.load(weight + at, at < n) + tl.load(bias + at, at < n), at < n)


@triton.jit
def dropout(x, out, n, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.where(tl.rand(seed, at) > 0.1, tl.load(x + at, at < n) / 0.9, 0.0), at < n)


@triton.jit
def scan(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at, at < n, other=0), 0), at < n)


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    for step in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + step + k[None, :], (m[:, None] < M) & (step + k[None, :] < K), other=0)
        right = tl.load(b + (step + k[:, None]) * N + n[None, :], (step + k[:, None] < K) & (n[None, :] < N), other=0)
        sums = tl.dot(left, right, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums.to(tl.float16), (m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    rows = tl.load(q + m[:, None] * D + d[None, :], m[:, None] < n, other=0)
    sums = tl.zeros((BM, D), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    for step in range(0, n, BN):
        at = step + tl.arange(0, BN)
        keys = tl.load(k + at[None, :] * D + d[:, None], at[None, :] < n, other=0)
        scores = tl.where(at[None, :] < n, tl.dot(rows, keys) * scale, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        powers = tl.exp(scores - larger[:, None])
        shrunk = tl.exp(largest - larger)
        total = total * shrunk + tl.sum(powers, 1)
        values = tl.load(v + at[:, None] * D + d[None, :], at[:, None] < n, other=0)
        sums = tl.dot(powers.to(tl.float16), values, sums * shrunk[:, None])
        largest = larger
    tl.store(out + m[:, None] * D + d[None, :], (sums / total[:, None]).to(tl.float16), m[:, None] < n)


def variants():
    """Yields the kernel, the types of its arguments, constants, and warps."""
    for kind in ("fp32", "fp16", "bf16"):
        for block in (512, 2048):
            rows = {"x": f"*{kind}", "out": f"*{kind}", "n": "i32"}
            yield gelu, rows, {"BLOCK": block}, 4
            yield softmax, rows, {"BLOCK": block}, 4
            yield norm, {**rows, "weight": f"*{kind}", "bias": f"*{kind}"}, {"BLOCK": block}, 8
    for block in (256, 1024):
        yield dropout, {"x": "*fp32", "out": "*fp32", "n": "i32", "seed": "i32"}, {"BLOCK": block}, 4
        yield scan, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": block}, 4
    matrices = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    for sizes in ((32, 32, 32), (64, 64, 32), (128, 64, 32)):
        yield product, matrices, dict(zip(("BM", "BN", "BK"), sizes, strict=True)), 4
    heads = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16", "n": "i32", "scale": "fp32"}
    yield attention, heads, {"BM": 64, "BN": 32, "D": 64}, 4


def main():
    os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kernel, types, constants, warps in variants():
        for capability in (80, 90, 100):
            signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
            made = triton.compile(
                ASTSource(kernel, signature, constants),
                target=GPUTarget("cuda", capability, 32),
                options={"num_warps": warps},
            )
            kinds = "-".join(str(value).strip("*") for value in (*list(types.values())[:1], *constants.values()))
            (folder / f"{kernel.__name__}-{kinds}-sm_{capability}.ptx").write_text(made.asm["ptx"])
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
