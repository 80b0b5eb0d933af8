"""Tests PyPI's PyTorch with CUDA, and Triton's own driver, on an emulated GPU: test_emulated_torch.py PTXRAY.

PTXRAY_TORCH names a Python that has torch and triton. Without it, the test downloads them (6 GB) if PTXRAY_REQUIRE
names torch. Otherwise its exit status is 77."""

import os
import subprocess
import sys
import tempfile

from common import ROOT, python_with

if len(sys.argv) == 2:
    python = os.environ.get("PTXRAY_TORCH")
    if not python and "torch" not in os.environ.get("PTXRAY_REQUIRE", "").split(","):
        print("PTXRAY_TORCH names no Python with torch")
        sys.exit(77)
    python = python or python_with("torch==2.15.0", "numpy==2.4.6")
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.argv[1], "emulate", "--", python, __file__, "inside", folder]
        environment = {**os.environ, "TRITON_CACHE_DIR": folder}
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and "1 kernel, launched 1 time" in done.stderr, done
    sys.exit()

sys.path.insert(0, str(ROOT / "tools" / "python"))
import ptxray.torch
import torch
import triton
import triton.language as tl
from torch.testing import assert_close


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


def without_kernels_of_torch():
    assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
    numbers = torch.tensor([1.0, 2.0, 3.0])
    on_gpu = numbers.cuda()
    assert on_gpu.cpu().equal(numbers) and on_gpu.clone().cpu().equal(numbers)
    stream, begin, end = torch.cuda.Stream(), *(torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.stream(stream):
        begin.record()
        copy = on_gpu.clone()
        end.record()
    end.synchronize()
    assert copy.cpu().equal(numbers) and begin.elapsed_time(end) >= 0
    try:
        torch.arange(4, device="cuda")
    except RuntimeError as error:
        assert "the emulated GPU needs PTX" in str(error), error
    else:
        raise AssertionError("a kernel without PTX ran")


def with_operations_of_the_cpu():
    ptxray.torch.install()
    assert torch.arange(5, device="cuda").tolist() == [0, 1, 2, 3, 4]
    a, b = torch.randn(4, 5, device="cuda"), torch.randn(5, 6, device="cuda")
    assert_close((a @ b).cpu(), a.cpu() @ b.cpu())
    assert a.t().contiguous().cpu().equal(a.cpu().t()) and (a == a).all()
    assert (torch.arange(6, device="cuda", dtype=torch.uint8) % 4).cpu().tolist() == [0, 1, 2, 3, 0, 1]
    a[1:3, 2] = 7
    assert (a.cpu()[1:3, 2] == 7).all()
    total = torch.zeros(3, device="cuda")
    torch.add(total, 1, out=total)
    assert total.tolist() == [1, 1, 1]
    weights = torch.randn(3, 3, device="cuda", requires_grad=True)
    (weights.sin() ** 2).sum().backward()
    assert_close(weights.grad, 2 * weights.sin() * weights.cos())
    image, mask = torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(1, 1, 2, 2, device="cuda")
    assert torch.nn.functional.conv2d(image, mask).eq(4).all()
    query = torch.randn(1, 2, 8, 16, device="cuda")
    attend = torch.nn.functional.scaled_dot_product_attention
    assert_close(attend(query, query, query).cpu(), attend(*[query.cpu()] * 3))
    ptxray.torch.TABLE["relu"] = lambda operation, value: operation(value) + 1  # an extension by a user
    assert torch.relu(torch.tensor([-1.0, 2.0]).cuda()).tolist() == [1, 3]


def driver_of_triton():
    x, y = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    add[(4,)](x, y, out, 1000, BLOCK=256)
    assert out.cpu().equal(x.cpu() + y.cpu())


without_kernels_of_torch()
with_operations_of_the_cpu()
driver_of_triton()
