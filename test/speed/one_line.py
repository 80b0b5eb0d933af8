#!/usr/bin/env python3
"""one_line.py PTXRAY: tests that 10,000 faults on one line cost little more than on separate lines. A quadratic
algorithm would cost a thousand times as much."""

import resource
import subprocess
import sys
import tempfile

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<10>;\n"
FAULTS = [
    "add.s32 %r1, %r2, %r3) ;",
    "ld.b32 {%r1 %r2}, [%r1] ;",
    "ld.b32 {%r1, ;",
    "mov.b32 %r1, ({%r1}) ;",
    "mul %r0 } { %r1 ;",
    "mov.u32 %r1, %none5;",
    "ad.s32 %r1, %r2, %r3;",
    "add.s33 %r1, %r2, %r3;",
    "add.s32 %r1 %r2, %r3;",
]
COUNT = 10_000
ALLOWED = 4


def cost(ptxray, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run([ptxray, "check", "--jobs=1", file.name], stdout=subprocess.DEVNULL, timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == 1, result
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


ptxray = sys.argv[1]
failed = False
for fault in FAULTS:
    lines, line = (min(cost(ptxray, HEAD + (fault + end) * COUNT + "\nret;\n}\n") for _ in range(3)) for end in "\n ")
    print(f"{line / lines:6.2f}x  {lines * 1e3:5.0f} ms  {fault}")
    failed |= line > ALLOWED * lines
sys.exit(failed)
