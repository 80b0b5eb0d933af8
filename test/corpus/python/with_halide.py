"""Compiles pipelines with Halide, which puts their PTX into the host module as one constant."""

import pathlib
import re
import tempfile

import halide as hl
from common import archs, write

x, y, bx, by, tx, ty = [hl.Var(n) for n in ("x", "y", "bx", "by", "tx", "ty")]


def blur(image):
    f = hl.Func("blur")
    f[x, y] = (image[x, y] + image[x + 1, y] + image[x + 2, y]) / 3
    return f


def waves(image):
    f = hl.Func("waves")
    f[x, y] = hl.sin(image[x, y]) * image[x + 1, y] + hl.sqrt(image[x, y + 1]) - hl.pow(image[x, y], 2.5)
    return f


for number, _ in archs(plain=True):
    if number > 86:
        continue
    for make in (blur, waves):
        for kind in (hl.Float(32), hl.Float(64), hl.Int(16)):
            if make is waves and kind == hl.Int(16):
                continue
            image = hl.ImageParam(kind, 2, "image")
            f = make(image)
            f.gpu_tile(x, y, bx, by, tx, ty, 16, 16)
            with tempfile.TemporaryDirectory() as folder:
                output = pathlib.Path(folder) / "host.ll"
                f.compile_to(
                    {hl.OutputFileType.llvm_assembly: str(output)},
                    [image],
                    "f",
                    hl.Target(f"x86-64-linux-cuda-cuda_capability_{number}"),
                )
                constant = re.search(r'c"([^"]*\.version[^"]*)"', output.read_text()).group(1)
            text = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), constant)
            write(f"{make.__name__}-{number}-{kind}".replace(" ", ""), text[text.index(".version") :])
