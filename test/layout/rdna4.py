#!/usr/bin/env python3
"""Compiles docs/examples/rdna4 for gfx1200 with clang, and searches for the instructions that the example demonstrates.

  rdna4.py SOURCE CLANG...

uses the first CLANG that supports AMD's GPUs. Exit status 77: there is none. With PTXRAY_REQUIRE=clang (or all),
this is a failure."""

import os
import re
import shutil
import subprocess
import sys

EXPECTED = {"transposeBoth": ["v_wmma_f16_16x16x16_f16", "ds_bpermute_b32"], "loadBoth": ["v_wmma_f16_16x16x16_f16"]}


def main():
    source, names = sys.argv[1], sys.argv[2:]
    for name in names:
        clang = shutil.which(name)
        if clang and "amdgcn" in subprocess.run([clang, "--print-targets"], capture_output=True, text=True).stdout:
            break
    else:
        print(f"skipped: none of {', '.join(names)} compiles for AMD's GPUs")
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        sys.exit(1 if "clang" in required or "all" in required else 77)
    text = subprocess.run(
        [
            clang,
            "-x",
            "hip",
            "--cuda-device-only",
            "--offload-arch=gfx1200",
            "-nogpuinc",
            "-nogpulib",
            "-O2",
            "-S",
            "-o",
            "-",
            source,
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    kernels = dict(re.findall(r"^(\w+):(.*?)^\s*s_endpgm", text, re.M | re.S))
    missing = [
        f"{kernel}: no {instruction}"
        for kernel, instructions in EXPECTED.items()
        for instruction in instructions
        if instruction not in kernels.get(kernel, "")
    ]
    print("\n".join(missing) or f"{os.path.basename(clang)}: all instructions are there")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
