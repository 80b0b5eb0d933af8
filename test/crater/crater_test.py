#!/usr/bin/env python3
"""Tests tools/crater.py with a package that is already present. New reports are shown until they have been judged.

crater_test.py PTXRAY"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = '__device__ void f(int *p) {\n  asm("ld.globl.u32 %0, [%1];" : "=r"(*p) : "l"(p));\n}\n'


def run(lists, *words):
    command = [sys.executable, ROOT / "tools" / "crater.py", "--ptxray", sys.argv[1], "--lists", lists, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory() as folder:
    lists = pathlib.Path(folder)
    package = lists / "crater" / "wrong-kernels"
    (package / "files").mkdir(parents=True)
    (package / "wheel").write_text("wrong_kernels-1.0-py3-none-any.whl")
    (package / "files" / "f.cu").write_text(SOURCE)
    (lists / "packages.txt").write_text("# one\nwrong-kernels\n")
    (lists / "judged.txt").write_text("# none\n")

    status, said = run(lists, "--folder", lists / "crater")
    line = next(line for line in said.splitlines() if "[unknown-qualifier]" in line)
    assert status == 1 and "wrong-kernels/f.cu:2: error" in line, said

    # The same line at another position is the same report.
    (package / "files" / "f.cu").write_text("\n\n" + SOURCE)
    (lists / "judged.txt").write_text(f"{line.split()[0]} true a letter is missing\n")
    status, said = run(lists, "--folder", lists / "crater")
    assert status == 0 and "1 true" in said and "unknown-qualifier" not in said, said

    (lists / "judged.txt").write_text(f"{line.split()[0]} perhaps\n")
    status, said = run(lists, "--folder", lists / "crater")
    assert status == 1 and "judged.txt:1: expected" in said, said

    # A tree that was read before is not read again, nor is the same module in another tree.
    module = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret.unl; }\n"
    for tree in ("one", "two"):
        (lists / "trees" / tree).mkdir(parents=True)
        (lists / "trees" / tree / "k.ptx").write_text(module)
    (lists / "trees" / "two" / "f.cu").write_text(SOURCE)
    (lists / "judged.txt").write_text("# none\n")
    words = ("--trees", lists / "trees", "--jobs", "1")
    status, said = run(lists, *words, "--only", "one", "--remember")
    assert status == 1 and "one/k.ptx:4: error" in said and "1 trees" in said, said
    assert (lists / "seen.txt").read_text().count("\n") == 2, "a tree and a module"
    status, said = run(lists, *words)
    assert status == 1 and "one: seen" in said and "k.ptx" not in said and "two/f.cu:2: error" in said, said
