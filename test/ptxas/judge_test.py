#!/usr/bin/env python3
"""Tests tools/inline_judge.py on statements with known verdicts, with and without nvcc.

    judge_test.py PTXAS NVCC

Exit status 77: one of them is missing. With PTXRAY_REQUIRE=nvcc (or all), this is a failure."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import inline_judge

ptxas, nvcc = sys.argv[1:]
if not os.access(ptxas, os.X_OK) or not os.access(nvcc, os.X_OK):
    print("skipped: no", ptxas, "or no", nvcc)
    sys.exit(1 if {"all", "nvcc"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77)

ACCEPTED = [
    'asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" :: "r"(t), "r"(f(1, 2)), "n"(GROUP))',
    'asm("add.s32 %0, %1, %2;" : "=r"(d.x[3]) : "r"((int)(a)), "n"(sizeof(T)) : "memory")',
    'asm(R"(mov.f32 %0, %1;)" /* ":" */ : "=f"(d) : "f"(a))',
    'asm volatile("bar.sync 0;")',
]
REFUSED = [
    ('asm volatile("tcgen05.dealloc.cta_grup::%2.sync.aligned.b32 %0, %1;" :: "r"(t), "r"(n), "n"(GROUP))', "cta_grup"),
    ('asm("add.s32 %0, %1, %3;" : "=r"(d) : "r"(a), "r"(b))', "operand"),
    ('asm("add.s32 %0, %1, 1;" : "=g"(d) : "r"(a))', "constraint"),
    ('asm("add.s33 %0, %1, 1;" : "=r"(d) : "r"(a))', "s33"),
]
judge = inline_judge.Judge(ptxas, nvcc)
for statement in ACCEPTED:
    who, said, accepted = judge.confirm("unknown-qualifier", None, statement)
    assert who == "nvcc" and accepted, (statement, said)
for statement, word in REFUSED:
    who, said, accepted = judge.confirm("unknown-qualifier", None, statement)
    assert who == "nvcc" and not accepted and word in said, (statement, said, accepted)
# Only code generation rejects a 32-bit address.
ADDRESS = 'asm volatile("mbarrier.arrive.expect_tx.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes))'
for rule, is_accepted in [("codegen-address-32", False), ("unknown-qualifier", True)]:
    who, said, accepted = judge.confirm(rule, None, ADDRESS)
    assert who == "nvcc" and bool(accepted) == is_accepted, (rule, said)
MODULE = ".version 9.0\n.target sm_90a\n.address_size 64\n.func f()\n{\n%s\nret;\n}\n"
for text, is_accepted in [("bar.sync 0;", True), ("bar.snc 0;", False)]:
    who, said, accepted = inline_judge.Judge(ptxas).confirm("unknown-qualifier", MODULE % text, "ASM(x)")
    assert who == "ptxas" and bool(accepted) == is_accepted, (text, said)
