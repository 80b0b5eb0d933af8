"""Runs Triton kernels, small versions of its tutorials, on an emulated GPU: test_emulated_triton.py LIBRARY. Arrays
of numpy replace torch's tensors, since torch is large and Triton uses few of their functions."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, python_with

TARGETS = ("sm_80", "sm_90", "sm_100", "sm_120")
if len(sys.argv) == 2:
    for version in ("3.9.0", "3.6.0"):
        python = python_with(f"triton=={version}", "numpy==2.4.6")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PTXRAY_LIBRARY": str(pathlib.Path(sys.argv[1]).resolve())}
            environment |= {"TRITON_CACHE_DIR": folder}
            subprocess.run([python, __file__, sys.argv[1], *TARGETS], env=environment, check=True)
    sys.exit()

sys.path.insert(0, str(ROOT / "tools" / "python"))
import numpy  # noqa: E402
import ptxray.triton  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402


class Tensor:
    """Provides the parts of a tensor that Triton uses."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape
        self.nbytes = array.nbytes

    def data_ptr(self):
        return self.array.ctypes.data

    def element_size(self):
        return self.array.itemsize

    def stride(self, axis=None):
        strides = [stride // self.array.itemsize for stride in self.array.strides]
        return strides if axis is None else strides[axis]


random = numpy.random.default_rng(1)


def normal(*shape, dtype="f4"):
    return Tensor(random.standard_normal(shape).astype(dtype))


def empty(*shape, dtype="f4"):
    return Tensor(numpy.full(shape, 77, dtype))


def assert_close(found, expected, tolerance):
    assert numpy.allclose(found.array.astype("f8"), expected, rtol=tolerance, atol=tolerance), numpy.abs(
        found.array - expected
    ).max()


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


def vector_add():
    x, y, out = normal(5000), normal(5000), empty(5000)
    add_kernel[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](x, y, out, 5000, BLOCK=1024)
    assert (out.array == x.array + y.array).all()
    try:
        add_kernel[(8,)](x, y, out, 8000, BLOCK=1024)
    except ptxray.PtxError as error:
        path, line = error.diagnostics[0].origin
        assert os.path.samefile(path, __file__)
        # Triton 3.9 also counts the lines of inline assembly.
        assert any("tl.store(out" in text for text in pathlib.Path(path).read_text().splitlines()[line - 5 : line])
    else:
        raise AssertionError("nobody noticed the end of the arrays")


@triton.jit
def softmax_kernel(out, x, row_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * row_stride + at, at < columns, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * row_stride + at, powers / tl.sum(powers, axis=0), at < columns)


def softmax():
    x, out = normal(37, 781), empty(37, 781)
    softmax_kernel[(8,)](out, x, 781, 37, 781, BLOCK=1024, STAGES=4)
    powers = numpy.exp(x.array - x.array.max(axis=1, keepdims=True))
    assert_close(out, powers / powers.sum(axis=1, keepdims=True), 1e-5)


@triton.autotune(
    [triton.Config({"M": m, "N": 64, "K": 32}, num_stages=s, num_warps=4) for m, s in ((128, 3), (64, 2))], ["k"]
)
@triton.jit
def matmul_kernel(a, b, c, m, n, k, sam, sak, sbk, sbn, scm, scn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    columns = tl.cdiv(n, N)
    row, column = tl.program_id(0) // columns, tl.program_id(0) % columns
    at_m, at_n = (row * M + tl.arange(0, M)) % m, (column * N + tl.arange(0, N)) % n
    at_k = tl.arange(0, K)
    pointers_a = a + at_m[:, None] * sam + at_k[None, :] * sak
    pointers_b = b + at_k[:, None] * sbk + at_n[None, :] * sbn
    total = tl.zeros((M, N), dtype=tl.float32)
    for i in range(0, tl.cdiv(k, K)):
        left = tl.load(pointers_a, mask=at_k[None, :] < k - i * K, other=0.0)
        right = tl.load(pointers_b, mask=at_k[:, None] < k - i * K, other=0.0)
        total = tl.dot(left, right, total)
        pointers_a += K * sak
        pointers_b += K * sbk
    out_m, out_n = row * M + tl.arange(0, M), column * N + tl.arange(0, N)
    inside = (out_m[:, None] < m) & (out_n[None, :] < n)
    tl.store(c + scm * out_m[:, None] + scn * out_n[None, :], total.to(tl.float16), mask=inside)


def matmul():
    m, n, k = 200, 136, 160
    a, b, c = normal(m, k, dtype="f2"), normal(k, n, dtype="f2"), empty(m, n, dtype="f2")
    grid = lambda meta: (triton.cdiv(m, meta["M"]) * triton.cdiv(n, meta["N"]),)  # noqa: E731
    matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    assert_close(c, a.array.astype("f4") @ b.array.astype("f4"), 2e-2)


@triton.jit
def norm_kernel(x, y, w, b, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, at < n, other=0.0)
    average = tl.sum(values, axis=0) / n
    centred = tl.where(at < n, values - average, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    tl.store(y + row * stride + at, centred * scale * tl.load(w + at, at < n) + tl.load(b + at, at < n), at < n)


@triton.jit
def norm_gradient(dy, x, dw, mean, rstd, lock, stride, n, BLOCK: tl.constexpr):
    """Sums rows under a lock, like the tutorial."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values, gradient = tl.load(x + row * stride + at, at < n), tl.load(dy + row * stride + at, at < n)
    part = gradient * (values - tl.load(mean + row)) * tl.load(rstd + row)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(dw + at, tl.load(dw + at, at < n) + part, at < n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def layer_norm():
    rows, n = 40, 500
    x, y, w, b = normal(rows, n), empty(rows, n), normal(n), normal(n)
    mean, rstd, dw, lock = empty(rows), empty(rows), Tensor(numpy.zeros(n, "f4")), Tensor(numpy.zeros(1, "i4"))
    norm_kernel[(rows,)](x, y, w, b, mean, rstd, n, n, 1e-5, BLOCK=512)
    average = x.array.mean(axis=1, keepdims=True)
    normed = (x.array - average) / numpy.sqrt(x.array.var(axis=1, keepdims=True) + 1e-5)
    assert_close(y, normed * w.array + b.array, 1e-4)
    dy = normal(rows, n)
    norm_gradient[(rows,)](dy, x, dw, mean, rstd, lock, n, n, BLOCK=512)
    assert_close(dw, (dy.array * normed).sum(axis=0), 1e-3)


@triton.jit
def attention_kernel(q, k, v, out, scale, length, HEAD: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at_m, at_n, at_d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, HEAD)
    base = tl.program_id(1) * length * HEAD
    queries = tl.load(q + base + at_m[:, None] * HEAD + at_d[None, :])
    most = tl.full([M], -float("inf"), dtype=tl.float32)
    total = tl.full([M], 1.0, dtype=tl.float32)
    result = tl.zeros([M, HEAD], dtype=tl.float32)
    for start in tl.range(0, (tl.program_id(0) + 1) * M, N):
        keys = tl.load(k + base + (start + at_n)[None, :] * HEAD + at_d[:, None])
        products = tl.dot(queries, keys) * scale
        products = tl.where(at_m[:, None] >= (start + at_n)[None, :], products, -1.0e6)
        greatest = tl.maximum(most, tl.max(products, 1))
        powers = tl.math.exp2(products - greatest[:, None])
        factor = tl.math.exp2(most - greatest)
        total = total * factor + tl.sum(powers, 1)
        values = tl.load(v + base + (start + at_n)[:, None] * HEAD + at_d[None, :])
        result = tl.dot(powers.to(tl.float16), values, result * factor[:, None])
        most = greatest
    tl.store(out + base + at_m[:, None] * HEAD + at_d[None, :], (result / total[:, None]).to(tl.float16))


def attention():
    heads, length, width = 2, 128, 64
    q, k, v = (normal(heads, length, width, dtype="f2") for _ in range(3))
    out = empty(heads, length, width, dtype="f2")
    grid = (length // 64, heads)
    attention_kernel[grid](q, k, v, out, 0.125 * 1.44269504, length, HEAD=width, M=64, N=32, num_warps=4, num_stages=2)
    scores = q.array.astype("f4") @ k.array.astype("f4").transpose(0, 2, 1) * 0.125
    scores = numpy.where(numpy.tri(length, dtype=bool), scores, -numpy.inf)
    powers = numpy.exp(scores - scores.max(axis=2, keepdims=True))
    assert_close(out, powers / powers.sum(axis=2, keepdims=True) @ v.array.astype("f4"), 1e-2)


@triton.jit
def described_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, WS: tl.constexpr):
    """Computes a product with the host's tensor descriptors: TMA, and wgmma or tcgen05 if available."""
    total = tl.zeros((M, N), dtype=tl.float32)
    for i in tl.range(0, tl.cdiv(k, K), warp_specialize=WS):
        left = a.load([tl.program_id(0) * M, i * K])
        right = b.load([tl.program_id(1) * N, i * K])
        total = tl.dot(left, right.T, total)
    c.store([tl.program_id(0) * M, tl.program_id(1) * N], total.to(tl.float16))


def described(specialized=False, **options):
    m, n, k = 256, 256, 192
    a, b, c = normal(m, k, dtype="f2"), normal(n, k, dtype="f2"), empty(m, n, dtype="f2")
    blocks = {"M": 128, "N": 128, "K": 64}
    maps = [
        TensorDescriptor(x, list(x.shape), x.stride(), [blocks[rows], blocks[columns]])
        for x, rows, columns in ((a, "M", "K"), (b, "N", "K"), (c, "M", "N"))
    ]
    described_kernel[(2, 2)](*maps, m, n, k, **blocks, WS=specialized, **{"num_warps": 4, "num_stages": 3, **options})
    assert_close(c, a.array.astype("f4") @ b.array.astype("f4").T, 2e-2)


def specialized():
    described(specialized=True)


def in_clusters():
    """Shares the work of a program between two blocks of a cluster."""
    described(num_ctas=2)


@triton.jit
def device_descriptors(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    """Makes tensor descriptors in the kernel, in memory that it requests from Triton."""
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [M, N])
    target = tl.make_tensor_descriptor(out, [m, n], [n, 1], [M, N])
    at = [tl.program_id(0) * M, tl.program_id(1) * N]
    target.store(at, source.load(at) * 2)


def device_made():
    triton.set_allocator(lambda size, alignment, stream: Tensor(numpy.zeros(size, "i1")))
    x, out = normal(70, 96), empty(70, 96)
    device_descriptors[(3, 3)](x, out, 70, 96, M=32, N=32)
    assert (out.array == 2 * x.array).all()


@triton.jit
def printing_kernel(x):
    tl.device_print("value", tl.load(x + tl.program_id(0)))


def printing():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        printing_kernel[(2,)](Tensor(numpy.array([7, 8], "i4")), num_warps=1)
    assert printed.getvalue().splitlines()[::32] == [f"pid ({i}, 0, 0) idx () value: {7 + i}" for i in range(2)]


KERNELS = (vector_add, softmax, matmul, layer_norm, attention, described, device_made, printing)
MORE = {"sm_90": (in_clusters,), "sm_100": (in_clusters, specialized)}
failed = []
for target in sys.argv[2:]:
    ptxray.triton.install(target=target)
    for test in (*KERNELS, *MORE.get(target, ())):
        try:
            test()
        except Exception as problem:
            failed.append(f"{target} {test.__name__}: {type(problem).__name__}: {str(problem)[:400]}")
            if "PTXRAY_TRACE" in os.environ:
                raise
print(f"Triton {triton.__version__}: {len(failed)} failures", *failed, sep="\n")
sys.exit(bool(failed))
