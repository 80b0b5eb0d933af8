"""Pairs of small kernels with known answers of `ptxray equal`: right and wrong twins of each law.

pairs.py PTXRAY"""

import pathlib
import subprocess
import sys
import tempfile

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<9>;
  .reg .b16 %h<9>;
  .reg .b32 %r<30>;
  .reg .f32 %f<30>;
  .reg .b64 %rd<9>;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
"""
FLOATS = "ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+128]; ld.global.f32 %f3, [%rd4+256];"
WORDS = "ld.global.u32 %r2, [%rd4]; ld.global.u32 %r3, [%rd4+128]; ld.global.u32 %r4, [%rd4+256];"
STORE = "st.global.f32 [%rd5], %f9; ret;"
KEEP = "st.global.u32 [%rd5], %r9; ret;"

# expected answer, type of the buffers, then A and B
PAIRS = [
    # A load that is narrower than its register.
    ("different", "u32", "ld.global.u16 %r5, [%rd4]; add.u32 %r9, %r5, %r3;", "mov.u32 %r9, %r3;"),
    ("different", "u32", "ld.global.u16 %r9, [%rd4];", "mov.u32 %r9, 5;"),
    ("bits", "f32", "add.f32 %f9, %f1, %f2;", "add.f32 %f9, %f2, %f1;"),
    ("bits", "f32", "sub.f32 %f9, %f1, %f2;", "neg.f32 %f4, %f2; add.f32 %f9, %f1, %f4;"),
    ("different", "f32", "sub.f32 %f9, %f1, %f2;", "sub.f32 %f9, %f2, %f1;"),
    ("bits", "f32", "fma.rn.f32 %f9, %f1, %f2, %f3;", "fma.rn.f32 %f9, %f2, %f1, %f3;"),
    ("real", "f32", "fma.rn.f32 %f9, %f1, %f2, %f3;", "mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f9, %f4, %f3;"),
    ("different", "f32", "fma.rn.f32 %f9, %f1, %f2, %f3;", "fma.rn.f32 %f9, %f1, %f3, %f2;"),
    ("real", "f32", "add.f32 %f4, %f1, %f2; add.f32 %f9, %f4, %f3;", "add.f32 %f4, %f2, %f3; add.f32 %f9, %f1, %f4;"),
    ("bits", "f32", "div.rn.f32 %f9, %f1, 0f40000000;", "mul.rn.f32 %f9, %f1, 0f3f000000;"),
    ("bits", "f32", "add.f32 %f9, %f1, %f1;", "mul.f32 %f9, %f1, 0f40000000;"),
    ("real", "f32", "mov.f32 %f9, %f1;", "mul.f32 %f9, %f1, 0f3f800000;"),
    ("bits", "f32", "max.f32 %f4, %f1, %f2; max.f32 %f9, %f4, %f3;", "max.f32 %f4, %f2, %f3; max.f32 %f9, %f4, %f1;"),
    ("different", "f32", "max.f32 %f9, %f1, %f2;", "min.f32 %f9, %f1, %f2;"),
    ("real", "f32", "mul.f32 %f4, %f1, %f1; sqrt.rn.f32 %f9, %f4;", "abs.f32 %f9, %f1;"),
    ("different", "f32", "mov.f32 %f9, %f1;", "min.f32 %f9, %f1, 0f3f800000;"),
    (
        "real",
        "f32",
        "ex2.approx.f32 %f4, %f1; ex2.approx.f32 %f5, %f2; mul.f32 %f9, %f4, %f5;",
        "add.f32 %f4, %f1, %f2; ex2.approx.f32 %f9, %f4;",
    ),
    (
        "bits",
        "u32",
        "add.u32 %r5, %r2, %r3; mul.lo.u32 %r9, %r5, %r5;",
        "mul.lo.u32 %r5, %r2, %r2; mul.lo.u32 %r6, %r2, %r3; mad.lo.u32 %r7, %r3, %r3, %r5;"
        " mad.lo.u32 %r9, %r6, 2, %r7;",
    ),
    (
        "different",
        "u32",
        "add.u32 %r5, %r2, %r3; mul.lo.u32 %r9, %r5, %r5;",
        "mul.lo.u32 %r5, %r2, %r2; mad.lo.u32 %r9, %r3, %r3, %r5;",
    ),
    (
        "bits",
        "u32",
        "prmt.b32 %r9, %r2, 0, 0x0123;",
        "shl.b32 %r5, %r2, 24; bfe.u32 %r6, %r2, 8, 8; shl.b32 %r6, %r6, 16; or.b32 %r5, %r5, %r6;"
        " bfe.u32 %r6, %r2, 16, 8; shl.b32 %r6, %r6, 8; or.b32 %r5, %r5, %r6; shr.u32 %r6, %r2, 24;"
        " or.b32 %r9, %r5, %r6;",
    ),
    ("different", "u32", "prmt.b32 %r9, %r2, 0, 0x0123;", "prmt.b32 %r9, %r2, 0, 0x0132;"),
    ("bits", "u32", "setp.lt.u32 %p1, %r2, %r3; selp.b32 %r9, %r2, %r3, %p1;", "min.u32 %r9, %r3, %r2;"),
    ("different", "u32", "min.u32 %r9, %r3, %r2;", "min.s32 %r9, %r3, %r2;"),
    (
        "bits",
        "u32",
        "setp.lt.u32 %p1, %r2, %r3; mov.u32 %r9, %r4; @%p1 mov.u32 %r9, %r2;",
        "setp.ge.u32 %p1, %r2, %r3; selp.b32 %r9, %r4, %r2, %p1;",
    ),
    ("different", "u32", "mov.u32 %r9, %r2;", "setp.eq.u32 %p1, %r2, 305419896; selp.b32 %r9, 0, %r2, %p1;"),
    (
        "bits",
        "u32",
        "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1; add.u32 %r9, %r5, %r2;",
        "xor.b32 %r6, %r1, 1; shfl.sync.idx.b32 %r5, %r2, %r6, 31, -1; add.u32 %r9, %r2, %r5;",
    ),
    (
        "bits",
        "u32",
        "mov.u32 %r9, %r2;",
        "mov.u32 %r5, s; mad.lo.u32 %r5, %r1, 4, %r5; st.shared.u32 [%r5], %r2; ld.shared.u32 %r9, [%r5];",
    ),
]


def text(kind, body):
    start, end = (FLOATS, STORE) if kind == "f32" else (WORDS, KEEP)
    return HEAD + "\n".join([start, body, end]) + "\n}\n"


def main(program):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (expected, kind, a, b) in enumerate(PAIRS):
            paths = [pathlib.Path(folder) / f"{number}{side}.ptx" for side in "ab"]
            for path, body in zip(paths, (a, b)):
                path.write_text(text(kind, body))
            command = [program, "equal", *map(str, paths), "--block", "32", "--format=json"]
            buffers = [f"random:{kind}:96:1", f"random:{kind}:32:2"]
            got = subprocess.run([*command, *buffers], capture_output=True, text=True)
            if f'"verdict": "{expected}"' not in got.stdout:
                failures += 1
                print(f"pair {number}: expected {expected}\n  A: {a}\n  B: {b}\n{got.stdout}{got.stderr}")
    return failures


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1]) else 0)
