#!/usr/bin/env python3
"""Compares products of wgmma on the emulator with products of integers: group_kinds.py PTXRAY

One kernel, whose instruction changes, copies images of A and B to shared memory, or A to registers, multiplies, and
stores the registers. Numbers are so small that every sum is exact."""

import dataclasses
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from matrices import TYPES, lay, put

KERNEL = """
.version 8.4
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 shared, .param .u64 registers, .param .u64 out, .param .u64 a, .param .u64 b)
{
  .reg .pred %p<5>;
  .reg .b32 %r<16>, %a<4>, %d<16>, %e;
  .reg .b64 %rd<12>;
  .shared .align 1024 .b8 tiles[16384];
  ld.param.u64 %rd1, [shared];
  ld.param.u64 %rd2, [registers];
  ld.param.u64 %rd3, [out];
  ld.param.u64 %rd4, [a];
  ld.param.u64 %rd5, [b];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, tiles;
  mov.u32 %r4, 0;
copy:
  mad.lo.u32 %r5, %r4, 128, %r2;
  shl.b32 %r5, %r5, 4;
  cvt.u64.u32 %rd6, %r5;
  add.u64 %rd6, %rd1, %rd6;
  ld.global.v4.u32 {%d0, %d1, %d2, %d3}, [%rd6];
  add.u32 %r5, %r3, %r5;
  st.shared.v4.u32 [%r5], {%d0, %d1, %d2, %d3};
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 8;
  @%p1 bra copy;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mul.wide.u32 %rd7, %r2, 16;
  add.u64 %rd7, %rd2, %rd7;
  ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%rd7];
  shr.u32 %r9, %r3, 4;
  cvt.u64.u32 %rd9, %r9;
  add.u64 %rd4, %rd4, %rd9;
  add.u64 %rd5, %rd5, %rd9;
  mov.u32 %e, 0x44444444;
  wgmma.fence.sync.aligned;
  PRODUCTS
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mul.wide.u32 %rd7, %r2, 64;
  add.u64 %rd7, %rd3, %rd7;
STORES
  ret;
}
"""
N, B_AT = 32, 8192


@dataclasses.dataclass
class Product:
    a: str  # type of each matrix
    b: str
    result: str = "f32"
    in_registers: bool = False
    sparse: bool = False
    negate: bool = False
    transposed: bool = False
    swizzled: bool = False

    @property
    def depth(self):
        return 256 // TYPES[self.a][0]

    @property
    def count(self):
        """Returns the number of registers of D."""
        return 8 if self.result == "f16" else 16

    @property
    def stride(self):
        return 1024 if self.swizzled else 512 if self.sparse else 256

    def products(self):
        """Returns the product, and its double added to it."""
        k = self.depth * (1 + self.sparse)
        d = ", ".join(f"%d{i}" for i in range(self.count))
        a = "{%a0, %a1, %a2, %a3}" if self.in_registers else "%rd4"
        words = f"wgmma.mma_async{'.sp' if self.sparse else ''}.sync.aligned.m64n{N}k{k}"
        words += f"{'.satfinite' if self.result == 's32' and self.sparse else ''}.{self.result}.{self.a}.{self.b}"
        words += ".and.popc" if self.a == "b1" else ""
        line = f"{words} {{{d}}}, {a}, %rd5{', %e, 0' if self.sparse else ''}, SCALE"
        if self.result != "s32":
            line += f", {-1 if self.negate else 1}, 1"
        if self.a in ("f16", "bf16"):
            line += f"{'' if self.in_registers else f', {int(self.transposed)}'}, {int(self.transposed)}"
        return f"{line.replace('SCALE', '0')};\n  {line.replace('SCALE', '1')};"

    def descriptors(self):
        if self.transposed:  # rows of 128 bytes contain 64 elements of A, and rows of 64 bytes 32 elements of B
            return [1024 // 16 << 32 | 1 << 62 | 1 << 16, (512 // 16 << 32 | 2 << 62 | 1 << 16) + (B_AT >> 4)]
        one = self.stride // 16 << 32 | (1 << 62 | 1 << 16 if self.swizzled else 8 << 16)
        return [one, one + (B_AT >> 4)]


def lay_transposed(image, at, matrix, code_of, row_bytes):
    for r, row in enumerate(matrix):
        for k, n in enumerate(row):
            turn = k % 8 if row_bytes == 128 else k // 2 % 4
            offset = k * row_bytes + ((r // 8) ^ turn) * 16 + r % 8 * 2
            put(image, 8 * (at + offset), 16, code_of(n))


def images(one, a, b):
    (wa, code_a), (wb, code_b) = TYPES[one.a], TYPES[one.b]
    shared, registers = bytearray(16384), bytearray(128 * 16)
    if one.in_registers:
        run = max(1, 32 // wa)
        for r, row in enumerate(a):
            for k, n in enumerate(row):
                lane = r % 8 * 4 + k // run % 4
                register = r % 16 // 8 + 2 * (k // (4 * run))
                at = 16 * (r // 16 * 32 + lane) + 4 * register
                put(registers, 8 * at + k % run * wa, wa, code_a(n))
    elif one.transposed:
        lay_transposed(shared, 0, a, code_a, 128)
    else:
        lay(shared, 0, a, "", code_a, wa, one.swizzled, one.stride)
    if one.transposed:
        lay_transposed(shared, B_AT, b, code_b, 64)
    else:
        lay(shared, B_AT, b, "", code_b, wb, one.swizzled, one.stride)
    return shared, registers


def found_in(one, out, r, n):
    lane = r // 16 * 32 + r % 8 * 4 + n % 8 // 2
    if one.result == "f16":
        register, half = r % 16 // 8 + 2 * (n // 8), n % 2
        return struct.unpack_from("<e", out, 64 * lane + 4 * register + 2 * half)[0]
    register = n % 2 + 2 * (r % 16 // 8) + 4 * (n // 8)
    return struct.unpack_from("<f" if one.result == "f32" else "<i", out, 64 * lane + 4 * register)[0]


def problem_of(ptxray, folder, one):
    rng = random.Random(1)
    most = 1 if one.a == "b1" else 4
    a = [[rng.randint(0 if one.a in ("u8", "b1") else -4, most) for _ in range(one.depth)] for _ in range(64)]
    depth = one.depth * (1 + one.sparse)
    b = [[rng.randint(0 if one.b in ("u8", "b1") else -4, most) for _ in range(depth)] for _ in range(N)]
    stores = "\n".join(f"  st.global.u32 [%rd7+{4 * i}], %d{i};" for i in range(one.count))
    (folder / "kernel.ptx").write_text(KERNEL.replace("PRODUCTS", one.products()).replace("STORES", stores))
    for name, image in zip(("shared", "registers"), images(one, a, b)):
        (folder / name).write_bytes(image)
    words = ["--block=128", f"--out=2=file:{folder}/out", f"file:{folder}/shared", f"file:{folder}/registers"]
    command = [ptxray, "run", "--emulate", "--no-config", folder / "kernel.ptx", *words, "zeros:8192"]
    done = subprocess.run([*command, *map(str, one.descriptors())], capture_output=True, text=True, timeout=60)
    if done.returncode:
        return done.stdout[-400:] + done.stderr[-400:]
    out = (folder / "out").read_bytes()
    chosen = [4 * (k // 2) + k % 2 if one.sparse else k for k in range(one.depth)]
    for r in range(64):
        for n in range(N):
            wanted = 2 * sum(a[r][k] * b[n][chosen[k]] for k in range(one.depth)) * (-1 if one.negate else 1)
            found = found_in(one, out, r, n)
            if found != wanted:
                return f"row {r}, column {n}: {found}, not {wanted}"
    return ""


def main():
    ptxray = sys.argv[1]
    cases = [
        Product("f16", "f16"),
        Product("f16", "f16", swizzled=True),
        Product("f16", "f16", transposed=True),
        Product("f16", "f16", "f16", in_registers=True),
        Product("f16", "f16", sparse=True),
        Product("f16", "f16", sparse=True, in_registers=True),
        Product("bf16", "bf16", in_registers=True, negate=True),
        Product("bf16", "bf16", transposed=True, negate=True),
        Product("tf32", "tf32"),
        Product("tf32", "tf32", in_registers=True, swizzled=True),
        Product("e4m3", "e5m2"),
        Product("e5m2", "e4m3", "f16", in_registers=True),
        Product("e4m3", "e4m3", sparse=True),
        Product("s8", "u8", "s32", swizzled=True),
        Product("u8", "s8", "s32", in_registers=True),
        Product("s8", "s8", "s32", sparse=True),
        Product("b1", "b1", "s32"),
        Product("b1", "b1", "s32", in_registers=True),
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for one in cases:
            problem = problem_of(ptxray, pathlib.Path(name), one)
            if problem:
                print(f"{one}: {problem}")
                failed += 1
    print(f"{len(cases) - failed} of {len(cases)} products are right")
    sys.exit(failed != 0)


main()
