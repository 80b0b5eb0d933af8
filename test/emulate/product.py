#!/usr/bin/env python3
"""Tests the products of docs/examples with the commands of docs/assembling.md, but without a GPU: product.py PTXRAY

The output must equal that of an H100 on that page, to the last bit of the greatest error."""

import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, DOCS / "examples" / "product.py", folder], check=True)
        words = ["--buffer", "a=file:a.npy", "--buffer", "b=file:b.npy", "--expect", "2=file:c.npy"]
        words += ["--tolerance", "0.001", "tma=f16:64x64:swizzle=128:&a", "tma=f16:64x64:swizzle=128:&b"]
        wanted = re.search(r"^ptxray-run: (buffer 2 .*)$", (DOCS / "assembling.md").read_text(), re.MULTILINE)[1]
        for name in ("product.ptx", "product-blackwell.ptx"):
            kernel = DOCS / "examples" / name
            command = [sys.argv[1], "run", "--emulate", "--no-config", kernel, *words, "zeros:f32:4096"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
            if done.returncode or wanted not in done.stderr:
                sys.exit(f"{name}, wanted: {wanted}\nfound, with status {done.returncode}: {done.stdout}{done.stderr}")


main()
