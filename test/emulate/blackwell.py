#!/usr/bin/env python3
"""Runs Triton kernels for Blackwell on the emulated GPU: blackwell.py [NAME...]

The result of each is compared with torch. One line shows the used features and whether the result is right. Needs
triton and torch, and PTXRAY_LIBRARY or an installed ptxray."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/python"))
import ptxray.triton

ptxray.triton.install(target="sm_100")
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

WATCHED = ["tcgen05.mma", "tcgen05.cp", "tcgen05.ld", "cp.async.bulk.tensor", "cp.async", "mbarrier", "mma.sync"]
E4M3, BLOCK = torch.float8_e4m3fn, 128


@triton.jit
def by_pointers(a, b, c, n, k, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, k, DEPTH):
        depth = first + tl.arange(0, DEPTH)
        left = tl.load(a + rows[:, None] * k + depth[None, :])
        right = tl.load(b + depth[:, None] * n + columns[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


@triton.jit
def by_descriptors(a, b, c, m, n, k, BLOCK: tl.constexpr, DEPTH: tl.constexpr, PROGRAMS: tl.constexpr,
                   PARTED: tl.constexpr):  # fmt: skip
    of_a = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BLOCK, DEPTH])
    of_b = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BLOCK, DEPTH])
    of_c = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BLOCK, BLOCK])
    across = tl.cdiv(n, BLOCK)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BLOCK) * across, PROGRAMS, warp_specialize=PARTED):
        row, column = tile // across * BLOCK, tile % across * BLOCK
        sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
        for first in range(0, k, DEPTH):
            sums = tl.dot(of_a.load([row, first]), of_b.load([column, first]).T, sums)
        of_c.store([row, column], sums.to(c.dtype.element_ty))


@triton.jit
def scaled(a, b, c, of_a, of_b, n, k, A: tl.constexpr, B: tl.constexpr, PER: tl.constexpr, PACK: tl.constexpr,
           BLOCK: tl.constexpr, DEPTH: tl.constexpr):  # fmt: skip
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, k, DEPTH):
        bytes = first // PACK + tl.arange(0, DEPTH // PACK)
        scales = first // PER + tl.arange(0, DEPTH // PER)
        left = tl.load(a + rows[:, None] * (k // PACK) + bytes[None, :])
        right = tl.load(b + columns[None, :] * (k // PACK) + bytes[:, None])
        left_scales = tl.load(of_a + rows[:, None] * (k // PER) + scales[None, :])
        right_scales = tl.load(of_b + columns[:, None] * (k // PER) + scales[None, :])
        sums = tl.dot_scaled(left, left_scales, A, right, right_scales, B, sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


@triton.jit
def attention(q, k, v, o, length, WIDTH: tl.constexpr, BLOCK: tl.constexpr, IS_CAUSAL: tl.constexpr):
    of_q = tl.make_tensor_descriptor(q, [length, WIDTH], [WIDTH, 1], [BLOCK, WIDTH])
    of_k = tl.make_tensor_descriptor(k, [length, WIDTH], [WIDTH, 1], [BLOCK, WIDTH])
    of_v = tl.make_tensor_descriptor(v, [length, WIDTH], [WIDTH, 1], [BLOCK, WIDTH])
    of_o = tl.make_tensor_descriptor(o, [length, WIDTH], [WIDTH, 1], [BLOCK, WIDTH])
    first = tl.program_id(0) * BLOCK
    query = of_q.load([first, 0])
    most = tl.full((BLOCK,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    sums = tl.zeros((BLOCK, WIDTH), dtype=tl.float32)
    for at in range(0, first + BLOCK if IS_CAUSAL else length, BLOCK):
        scores = tl.dot(query, of_k.load([at, 0]).T)
        if IS_CAUSAL:
            rows, columns = first + tl.arange(0, BLOCK), at + tl.arange(0, BLOCK)
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -1e30)
        greatest = tl.maximum(most, tl.max(scores, 1))
        shares, fade = tl.exp2(scores - greatest[:, None]), tl.exp2(most - greatest)
        total = total * fade + tl.sum(shares, 1)
        sums = tl.dot(shares.to(tl.float16), of_v.load([at, 0]), sums * fade[:, None])
        most = greatest
    of_o.store([first, 0], (sums / total[:, None]).to(tl.float16))


@triton.jit
def grouped(a, b, c, sizes, count, BLOCK: tl.constexpr, DEPTH: tl.constexpr, PROGRAMS: tl.constexpr):
    """Computes products of several sizes in one launch. Their matrices are adjacent in memory."""
    tile, before, at_a, at_b, at_c = tl.program_id(0), 0, 0, 0, 0
    for one in range(count):
        m, n, k = tl.load(sizes + 3 * one), tl.load(sizes + 3 * one + 1), tl.load(sizes + 3 * one + 2)
        across, tiles = n // BLOCK, m // BLOCK * (n // BLOCK)
        while tile < before + tiles:
            rows = (tile - before) // across * BLOCK + tl.arange(0, BLOCK)
            columns = (tile - before) % across * BLOCK + tl.arange(0, BLOCK)
            sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
            for first in range(0, k, DEPTH):
                depth = first + tl.arange(0, DEPTH)
                left = tl.load(a + at_a + rows[:, None] * k + depth[None, :])
                right = tl.load(b + at_b + depth[:, None] * n + columns[None, :])
                sums = tl.dot(left, right, sums)
            tl.store(c + at_c + rows[:, None] * n + columns[None, :], sums)
            tile += PROGRAMS
        before, at_a, at_b, at_c = before + tiles, at_a + m * k, at_b + k * n, at_c + m * n


@triton.jit
def attention_backward(q, k, v, do, logs, deltas, dq, dk, dv, length, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Computes the gradients of k and v for some keys, then the gradient of q for as many queries."""
    mine, lane, width = tl.program_id(0) * BLOCK, tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    here = (mine + lane)[:, None] * WIDTH + width[None, :]
    key, value = tl.load(k + here), tl.load(v + here)
    of_k, of_v = tl.zeros((BLOCK, WIDTH), dtype=tl.float32), tl.zeros((BLOCK, WIDTH), dtype=tl.float32)
    for at in range(0, length, BLOCK):
        there = (at + lane)[:, None] * WIDTH + width[None, :]
        query, slope = tl.load(q + there), tl.load(do + there)
        shares = tl.exp2(tl.dot(key, query.T) - tl.load(logs + at + lane)[None, :])
        of_v = tl.dot(shares.to(tl.float16), slope, of_v)
        slopes = shares * (tl.dot(value, slope.T) - tl.load(deltas + at + lane)[None, :])
        of_k = tl.dot(slopes.to(tl.float16), query, of_k)
    tl.store(dk + here, of_k)
    tl.store(dv + here, of_v)
    query, slope = tl.load(q + here), tl.load(do + here)
    of_q = tl.zeros((BLOCK, WIDTH), dtype=tl.float32)
    for at in range(0, length, BLOCK):
        there = (at + lane)[:, None] * WIDTH + width[None, :]
        key, value = tl.load(k + there), tl.load(v + there)
        shares = tl.exp2(tl.dot(query, key.T) - tl.load(logs + mine + lane)[:, None])
        slopes = shares * (tl.dot(slope, value.T) - tl.load(deltas + mine + lane)[:, None])
        of_q = tl.dot(slopes.to(tl.float16), key, of_q)
    tl.store(dq + here, of_q)


def random(rows, columns, type):
    return torch.randn(rows, columns).to(type)


def run_pointers(type, size=256):
    a, b, c = random(size, size, type), random(size, size, type), torch.zeros(size, size)
    kernel = by_pointers[(size // BLOCK, size // BLOCK)](a, b, c, size, size, BLOCK, 64, num_warps=4)
    return kernel, c, a.float() @ b.float()


def run_descriptors(type, programs, parted, result=torch.float32, size=256):
    triton.set_allocator(lambda bytes, align, stream: torch.empty(bytes, dtype=torch.int8))
    a, b, c = random(size, size, type), random(size, size, type), torch.zeros(size, size, dtype=result)
    kernel = by_descriptors[(programs,)](
        a, b, c, size, size, size, BLOCK, 64, programs, parted, num_warps=4, num_stages=3
    )
    return kernel, c, a.float() @ b.float().T


def run_scaled(name, per, size=256):
    """Tests scaled products. A byte contains two e2m1 numbers. Scales are powers of two, or e4m3 for every 16
    elements."""
    pack = 2 if name == "e2m1" else 1
    codes = [torch.randint(0, 256 if pack == 2 else 120, (size, size // pack), dtype=torch.uint8) for _ in range(2)]
    if per == 16:
        scales = [(torch.rand(size, size // per) + 0.5).to(E4M3) for _ in range(2)]
        factors = [one.float() for one in scales]
    else:
        scales = [torch.randint(125, 130, (size, size // per), dtype=torch.uint8) for _ in range(2)]
        factors = [torch.exp2(one.float() - 127) for one in scales]
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    if pack == 2:
        numbers = [values[torch.stack((one & 15, one >> 4), 2).long()].reshape(size, size) for one in codes]
    else:
        codes = [one.view(E4M3) for one in codes]
        numbers = [one.float() for one in codes]
    c = torch.zeros(size, size)
    kernel = scaled[(size // BLOCK, size // BLOCK)](
        *codes, c, *scales, size, size, name, name, per, pack, BLOCK, 128, num_warps=4
    )
    a, b = (one * factor.repeat_interleave(per, 1) for one, factor in zip(numbers, factors))
    return kernel, c, a @ b.T


def run_attention(is_causal, length=256, width=64):
    triton.set_allocator(lambda bytes, align, stream: torch.empty(bytes, dtype=torch.int8))
    q, k, v = (random(length, width, torch.float16) for _ in range(3))
    q = (q.float() * (1.4427 / width**0.5)).half()
    o = torch.zeros_like(q)
    kernel = attention[(length // BLOCK,)](q, k, v, o, length, width, BLOCK, is_causal, num_warps=4)
    scores = q.float() @ k.float().T * 0.6931472
    if is_causal:
        scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), -1e30)
    return kernel, o.float(), torch.softmax(scores, 1) @ v.float()


def run_grouped(sizes=((256, 128, 192), (128, 384, 64), (128, 128, 256))):
    a = [random(m, k, torch.float16) for m, n, k in sizes]
    b = [random(k, n, torch.float16) for m, n, k in sizes]
    c = torch.zeros(sum(m * n for m, n, k in sizes))
    flat_a, flat_b = (torch.cat([one.flatten() for one in all]) for all in (a, b))
    numbers = torch.tensor(sizes, dtype=torch.int32).flatten()
    kernel = grouped[(3,)](flat_a, flat_b, c, numbers, len(sizes), BLOCK, 64, 3, num_warps=4)
    return kernel, c, torch.cat([(x.float() @ y.float()).flatten() for x, y in zip(a, b)])


def run_attention_backward(length=256, width=64):
    q, k, v, slope = (random(length, width, torch.float16) for _ in range(4))
    q = (q.float() * (1.4427 / width**0.5)).half()
    inputs = [one.float().requires_grad_() for one in (q, k, v)]
    scores = inputs[0] @ inputs[1].T * 0.6931472
    result = torch.softmax(scores, 1) @ inputs[2]
    result.backward(slope.float())
    logs = (torch.logsumexp(scores, 1) * 1.442695).detach()
    deltas = (result * slope.float()).sum(1).detach()
    found = [torch.zeros(length, width) for _ in range(3)]
    kernel = attention_backward[(length // BLOCK,)](
        q, k, v, slope, logs, deltas, *found, length, width, BLOCK, num_warps=8
    )
    factors = (0.6931472, 0.6931472, 1.0)  # of powers of two
    return (
        kernel,
        torch.cat([one * factor for one, factor in zip(found, factors)]),
        torch.cat([one.grad for one in inputs]),
    )


CASES = {
    "matmul-f16": lambda: run_pointers(torch.float16),
    "matmul-bf16": lambda: run_pointers(torch.bfloat16),
    "matmul-tf32": lambda: run_pointers(torch.float32),
    "matmul-e4m3": lambda: run_pointers(E4M3),
    "descriptors-f16": lambda: run_descriptors(torch.float16, 4, False),
    "descriptors-e4m3": lambda: run_descriptors(E4M3, 4, False, torch.float16),
    "persistent-f16": lambda: run_descriptors(torch.float16, 2, False, torch.float16),
    "persistent-parted-f16": lambda: run_descriptors(torch.float16, 2, True, torch.float16),
    "scaled-mxfp8": lambda: run_scaled("e4m3", 32),
    "scaled-mxfp4": lambda: run_scaled("e2m1", 32),
    "scaled-nvfp4": lambda: run_scaled("e2m1", 16),
    "attention": lambda: run_attention(False),
    "attention-causal": lambda: run_attention(True),
    "attention-backward": run_attention_backward,
    "grouped-f16": run_grouped,
}


def main():
    failed = 0
    for name in sys.argv[1:] or CASES:
        torch.manual_seed(1)
        try:
            kernel, found, wanted = CASES[name]()
            used = [word for word in WATCHED if re.search(rf"\b{word}(?!\.bulk)", kernel.asm["ptx"])]
            spread = wanted.abs().mean()
            error = ((found.float() - wanted).abs().max() / spread).item()
            failed += not error < 0.02
            print(f"{name}: {'right' if error < 0.02 else 'WRONG'}, error {error:.1e}; {', '.join(used)}", flush=True)
        except Exception as error:
            failed += 1
            print(f"{name}: FAILED {type(error).__name__} {str(error)[:300]}", flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
