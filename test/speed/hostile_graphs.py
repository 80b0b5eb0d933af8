#!/usr/bin/env python3
"""hostile_graphs.py PTXRAY: what `check --pedantic` costs for functions whose graphs no compiler makes.

Each family of texts is made in one size and in four times that size: cost must grow as the text does. The
largest have 100,000 instructions, or 20,000 blocks."""

import os
import subprocess
import sys
import tempfile

HEAD = """.version 9.0
.target sm_90a
.address_size 64
.func helper(.param .b32 a) { ret; }
.visible .entry k(.param .u64 out, .param .u32 n)
.reqntid 256
{
.reg .pred %p<8>;
.reg .b32 %r<40000>;
.reg .b64 %rd<4>;
.shared .align 16 .b8 tile[1024];
ld.param.u64 %rd1, [out];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
mov.u32 %r3, tile;
setp.lt.u32 %p1, %r2, %r1;
"""
TAIL = "st.global.u32 [%rd1], %r2;\nret;\n}\n"
GROWTH = 4
ALLOWED = 1.8 * GROWTH  # and what is too short to be measured
SLACK_SECONDS, SLACK_BYTES = 0.1, 32 << 20
BYTES_A_BYTE = 20  # of the text; a body of one function is held at once


def straight(n):
    return "".join(f"add.u32 %r{i % 30000 + 10}, %r{(i * 7) % 30000 + 10}, %r2;\n" for i in range(n))


def ladder(n):
    """Each block may skip the next."""
    return "".join(f"L{i}:\n@%p1 bra L{i + 1};\nadd.u32 %r{i % 30000 + 10}, %r2, {i};\n" for i in range(n)) + f"L{n}:\n"


def irreducible(n):
    """Loops that are entered in their middle, one after the other."""
    return "".join(
        f"@%p1 bra M{i};\nL{i}:\nadd.u32 %r4, %r4, 1;\n"
        f"M{i}:\nadd.u32 %r{i % 30000 + 10}, %r4, %r5;\nsetp.lt.u32 %p2, %r4, %r1;\n@%p2 bra L{i};\n"
        for i in range(n)
    )


def deep(n):
    """Loops in loops."""
    heads = "".join(f"L{i}:\nadd.u32 %r{i + 10}, %r{i + 11}, 1;\n" for i in range(n))
    return heads + "".join(f"setp.lt.u32 %p2, %r{i + 10}, %r1;\n@%p2 bra L{i};\n" for i in reversed(range(n)))


def lists(n):
    """Branches by a list of all labels."""
    labels = ", ".join(f"B{i}" for i in range(n))
    text = f"T: .branchtargets {labels};\n"
    return text + "".join(f"B{i}:\nadd.u32 %r{i + 10}, %r{i + 11}, 1;\nbrx.idx %r2, T;\n" for i in range(n))


def many_lists(n):
    """A branch by a list of its own after each label."""
    return "".join(
        f"T{i}: .branchtargets B{i}, B{n // 2}, B{n - 1 - i};\n"
        f"B{i}:\nadd.u32 %r{i + 10}, %r{i + 11}, 1;\nbrx.idx %r2, T{i};\n"
        for i in range(n)
    )


def calls(n):
    return "".join(
        f"{{ .param .b32 a{i}; st.param.b32 [a{i}], %r{i % 30000 + 10}; call helper, (a{i}); }}\n"
        f"@%p1 bra L{i};\nL{i}:\n"
        for i in range(n)
    )


def unwritten(n):
    """Registers that each branch leaves open on one way."""
    return "".join(
        f"@%p1 bra L{i};\nmov.u32 %r{i + 10}, 1;\nmov.u32 %r9, 1;\nL{i}:\nst.global.u32 [%rd1], %r{i + 10};\n"
        for i in range(n)
    )


def diamonds(n):
    """Values that double their sources, and addresses made of them."""
    text = "and.b32 %r10, %r2, 127;\n"
    for i in range(n):
        text += f"xor.b32 %r{i + 11}, %r{i + 10}, %r{max(10, i + 9)};\nadd.u32 %r5, %r3, %r{i + 11};\n"
        text += f"add.u32 %r{20000 + i}, %r3, %r{i + 11};\nst.shared.u32 [%r{20000 + i}], %r2;\n"
    return text


def counters(n):
    """Loops that count, whose addresses leave the variable."""
    return "".join(
        f"mov.u32 %r{i * 3 + 10}, 0;\nL{i}:\nshl.b32 %r{i * 3 + 11}, %r{i * 3 + 10}, 2;\n"
        f"add.u32 %r{i * 3 + 12}, %r3, %r{i * 3 + 11};\n@%p1 st.shared.u32 [%r{i * 3 + 12}], %r2;\n"
        f"add.u32 %r{i * 3 + 10}, %r{i * 3 + 10}, 1;\nsetp.lt.u32 %p2, %r{i * 3 + 10}, 60000;\n@%p2 bra L{i};\n"
        for i in range(n)
    )


def barriers(n):
    """Barriers and warpgroups on many sides of conditions on the thread."""
    return "".join(
        f"setp.lt.u32 %p2, %r2, {i % 256};\n@%p2 bra L{i};\nbar.sync {i % 16}, 32;\nwgmma.fence.sync.aligned;\nL{i}:\n"
        for i in range(n)
    )


FAMILIES = {
    straight: 100_000,
    ladder: 20_000,
    irreducible: 10_000,
    deep: 10_000,
    lists: 20_000,
    many_lists: 20_000,
    calls: 20_000,
    unwritten: 10_000,
    diamonds: 10_000,
    counters: 8_000,
    barriers: 10_000,
}


def cost(ptxray, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = [ptxray, "check", "--jobs=1", "--no-config", "--pedantic", file.name]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 1), status
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


ptxray = sys.argv[1]
failed = False
for family, size in FAMILIES.items():
    (small, small_bytes), (large, large_bytes) = (cost(ptxray, HEAD + family(n) + TAIL) for n in (size // GROWTH, size))
    length = len(HEAD + family(size) + TAIL)
    is_slow = large > ALLOWED * small + SLACK_SECONDS
    is_fat = large_bytes > BYTES_A_BYTE * length + SLACK_BYTES
    print(
        f"{family.__name__:12} {length:9} bytes  {small * 1e3:6.0f} ms, {large * 1e3:6.0f} ms  {large_bytes >> 20:5} MB"
        + (" too slow" if is_slow else "")
        + (" too much" if is_fat else "")
    )
    failed |= is_slow or is_fat
sys.exit(failed)
