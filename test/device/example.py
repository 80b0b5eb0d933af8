#!/usr/bin/env python3
"""Packs the example of docs/assembling.md for `ptxray run` on a machine that only has a GPU.

  example.py PTXRAY PTXRAY_RUN PTXAS FOLDER

Packs the programs, the kernel and its input data into FOLDER. `run.sh` there prints three commands and their output.
The first one validates the product. The second one compares it with a result that is wrong in one element, to show
that results are compared. The third one uses an object file."""

import lzma
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
DATA = (
    "--buffer a=file:a.npy --buffer b=file:b.npy --expect 2=file:{expected} --tolerance 0.001{more} "
    "'tma=f16:64x64:swizzle=128:&a' 'tma=f16:64x64:swizzle=128:&b' zeros:f32:4096"
)
COMMANDS = [  # columns: exit status, command
    (0, "ptxray run product.ptx " + DATA.format(expected="c.npy", more=" --repeat 100")),
    (6, "ptxray run product.ptx " + DATA.format(expected="wrong.npy", more="")),
    (0, "ptxray as product.ptx -o product.cubin"),
    (0, "ptxray run product.cubin --block 128 " + DATA.format(expected="c.npy", more="")),
]
SCRIPT = """#!/bin/sh
# Exit status 1 when a command ends with another status than it should.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/* "$work" && cd "$work"
for part in *.xz; do
  python3 -c "import lzma, sys; sys.stdout.buffer.write(lzma.open('$part').read())" >"${part%.xz}"
done
chmod +x ptxray ptxray-run ptxas
export PTXAS=$work/ptxas PATH=$work:$PATH
wrong=0
run() {
  echo "\\$ $2"
  eval "$2" 2>&1
  found=$?
  [ $found = 0 ] || echo "status $found"
  [ $found = $1 ] || wrong=1
}
"""


def pack(ptxray, launcher, ptxas, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for program, name in ((ptxray, "ptxray"), (launcher, "ptxray-run"), (ptxas, "ptxas")):
        with lzma.open(folder / f"{name}.xz", "wb", preset=3) as packed:
            packed.write(pathlib.Path(program).read_bytes())
    shutil.copy(EXAMPLES / "product.ptx", folder)
    subprocess.run([sys.executable, EXAMPLES / "product.py", folder], check=True)
    right = (folder / "c.npy").read_bytes()
    (folder / "wrong.npy").write_bytes(right[:-4] + bytes(4))
    lines = [f"run {status} {shlex.quote(command)}" for status, command in COMMANDS]
    (folder / "run.sh").write_text(SCRIPT + "\n".join([*lines, "exit $wrong"]) + "\n")


if __name__ == "__main__":
    pack(*sys.argv[1:4], pathlib.Path(sys.argv[4]))
