"""Compiles kernels with tinygrad, which writes PTX itself."""

import os

os.environ["DEV"] = "CUDA:PTX:sm_80"
from common import archs, write
from tinygrad import Tensor, dtypes
from tinygrad.codegen import to_program
from tinygrad.helpers import Target
from tinygrad.renderer.ptx import PTXRenderer


def tensor(*shape, dtype=dtypes.float32):
    return Tensor.empty(*shape, dtype=dtype, device="CUDA")


half, byte, integer, double = dtypes.float16, dtypes.int8, dtypes.int32, dtypes.float64
CASES = {
    "matmul": lambda: tensor(64, 64) @ tensor(64, 64),
    "matmul-f16": lambda: tensor(128, 128, dtype=half) @ tensor(128, 128, dtype=half),
    "matmul-mixed": lambda: tensor(64, 64, dtype=half).matmul(tensor(64, 64, dtype=half), dtype=dtypes.float32),
    "softmax": lambda: tensor(32, 100).softmax(),
    "layernorm": lambda: tensor(32, 100).layernorm(),
    "convolution": lambda: tensor(1, 4, 16, 16).conv2d(tensor(8, 4, 3, 3)),
    "integers": lambda: (tensor(200, dtype=integer) * 7 // 3 + tensor(200, dtype=integer) % 5).cast(byte),
    "bytes": lambda: (tensor(64, dtype=byte) ^ 3) << 1,
    "double": lambda: (tensor(50, dtype=double) / 3 + tensor(50, dtype=double)).cast(half),
    "where": lambda: (tensor(77) > 0).where(tensor(77).exp2(), tensor(77).log2()),
    "sum": lambda: tensor(1000, 7).sum(axis=0),
    "maximum": lambda: tensor(1000, dtype=integer).max(),
    "gather": lambda: tensor(100, 4)[tensor(10, dtype=integer)],
    "cumsum": lambda: tensor(300).cumsum(),
}

for number, _ in archs(plain=True):
    if number >= 100 and number != 120:
        continue  # its PTX version lacks these instructions
    renderer = PTXRenderer(Target(device="CUDA", arch=f"sm_{number}"))
    for name, make in CASES.items():
        calls = [call for call in make().schedule_linear().src if call.src[0].op.name == "SINK"]
        for i, call in enumerate(calls):
            source = next(part.arg for part in to_program(call.src[0], renderer).src if part.op.name == "SOURCE")
            write(f"{name}-{i}-{number}", renderer.compiler.compile(source).decode())
