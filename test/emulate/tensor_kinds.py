#!/usr/bin/env python3
"""Compares products of tcgen05.mma on the emulator with products of integers: tensor_kinds.py PTXRAY

One kernel, whose instruction changes, copies images of A and B to shared memory, one of scale factors, metadata or A
to tensor memory, multiplies, and stores the contents of tensor memory. Numbers are so small that every sum is exact."""

import dataclasses
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from matrices import TYPES, lay, put

KERNEL = """
.version 8.8
.target sm_100a
.address_size 64
.visible .entry kernel(.param .u64 shared, .param .u64 tensor, .param .u64 out, .param .u64 a, .param .u64 b,
                       .param .u32 idesc)
{
  .reg .pred %p<5>;
  .reg .b16 %mask;
  .reg .b32 %r<16>, %v<32>;
  .reg .b64 %rd<12>;
  .shared .align 1024 .b8 tiles[16384];
  .shared .align 8 .b64 object;
  .shared .align 4 .b32 columns;
  ld.param.u64 %rd1, [shared];
  ld.param.u64 %rd2, [tensor];
  ld.param.u64 %rd3, [out];
  ld.param.u64 %rd4, [a];
  ld.param.u64 %rd5, [b];
  ld.param.u32 %r1, [idesc];
  mov.u32 %r2, %tid.x;
  mov.u32 %r12, %cluster_ctarank;  // each block of a pair has its own images
  mul.wide.u32 %rd10, %r12, 16384;
  add.u64 %rd1, %rd1, %rd10;
  add.u64 %rd2, %rd2, %rd10;
  add.u64 %rd3, %rd3, %rd10;
  mov.u32 %r3, tiles;
  mov.u32 %r4, 0;
copy:
  mad.lo.u32 %r5, %r4, 128, %r2;
  shl.b32 %r5, %r5, 4;
  cvt.u64.u32 %rd6, %r5;
  add.u64 %rd6, %rd1, %rd6;
  ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd6];
  add.u32 %r5, %r3, %r5;
  st.shared.v4.u32 [%r5], {%v0, %v1, %v2, %v3};
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 8;
  @%p1 bra copy;
  setp.ge.u32 %p2, %r2, 32;
  @%p2 bra allocated;
  tcgen05.alloc.GROUP.sync.aligned.shared::cta.b32 [columns], 64;
allocated:
  setp.ne.u32 %p3, %r2, 0;
  @%p3 bra made;
  mbarrier.init.shared.b64 [object], 1;
made:
  fence.proxy.async.shared::cta;
  bar.sync 0;
  ld.shared.u32 %r6, [columns];
  shr.u32 %r7, %r2, 5;
  shl.b32 %r7, %r7, 21;
  add.u32 %r7, %r6, %r7;
  add.u32 %r8, %r7, 32;
  mul.wide.u32 %rd7, %r2, 128;
  add.u64 %rd8, %rd2, %rd7;
LOADS
  tcgen05.st.sync.aligned.32x32b.x32.b32 [%r8], {VALUES};
  tcgen05.wait::st.sync.aligned;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  or.b32 %r13, %r12, %r2;  // one thread of the first block
  setp.ne.u32 %p4, %r13, 0;
  @%p4 bra wait;
  mov.u16 %mask, 3;
  shr.u32 %r9, %r3, 4;
  cvt.u64.u32 %rd9, %r9;
  add.u64 %rd4, %rd4, %rd9;
  add.u64 %rd5, %rd5, %rd9;
  add.u32 %r10, %r6, 32;
  add.u32 %r11, %r6, 48;
  MMA
  tcgen05.commit.GROUP.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [object], %mask;
wait:
  mbarrier.try_wait.parity.shared.b64 %p4, [object], 0;
  @!%p4 bra wait;
  tcgen05.ld.sync.aligned.32x32b.x32.b32 {VALUES}, [%r7];
  tcgen05.wait::ld.sync.aligned;
  add.u64 %rd8, %rd3, %rd7;
STORES
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%p2 exit;
  tcgen05.dealloc.GROUP.sync.aligned.b32 %r6, 64;
  ret;
}
"""
N, B_AT = 32, 8192
CODES = {
    "f16": {"f16": 0, "bf16": 1},
    "tf32": {"tf32": 2},
    "f8f6f4": {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5},
    "i8": {"u8": 0, "s8": 1},
    "mxf8f6f4": {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5},
    "mxf4": {"e2m1": 1},
    "mxf4nvf4": {"e2m1": 1},
}


def kernel(instruction, group):
    loads = "\n".join(f"  ld.global.u32 %v{i}, [%rd8+{4 * i}];" for i in range(32))
    stores = "\n".join(f"  st.global.u32 [%rd8+{4 * i}], %v{i};" for i in range(32))
    values = ", ".join(f"%v{i}" for i in range(32))
    text = KERNEL.replace("LOADS", loads).replace("STORES", stores).replace("VALUES", values)
    return text.replace("MMA", instruction).replace("GROUP", group)


def place_of(one, row, n):
    """Returns the block of the pair, the lane and the column of an element of D."""
    m, blocks = one.m, 2 if one.pair else 1
    here = m // blocks
    if here == 128:
        return row // here, row % here, n
    if here == 64 and not one.ws and not one.pair:
        return 0, row // 16 * 32 + row % 16, n
    parts = 128 // here
    return row // here, row % here + here * (n // (N // parts)), n % (N // parts)


@dataclasses.dataclass
class Product:
    kind: str
    a: str  # type of each matrix
    b: str
    m: int = 128
    ws: bool = False
    sparse: bool = False
    in_tensor: bool = False
    negate: bool = False
    swizzled: bool = False
    pair: bool = False
    result: str = "f32"
    scale: str = ""

    @property
    def depth(self):
        return {"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}.get(self.kind, 32)

    @property
    def factors(self):
        return {"mxf8f6f4": 1, "mxf4": 2, "mxf4nvf4": 4}.get(self.kind, 0)

    @property
    def stride(self):
        """Returns the distance between groups of eight rows."""
        return 1024 if self.swizzled else 512 if self.sparse else 256

    def instruction(self):
        words = f"tcgen05.mma{'.ws' if self.ws else ''}{'.sp' if self.sparse else ''}.GROUP.kind::{self.kind}"
        operands = f"[%r6], {'[%r10]' if self.in_tensor else '%rd4'}, %rd5,{' [%r10],' if self.sparse else ''} %r1"
        if not self.factors:
            return f"{words} {operands}, 0;"
        return f"{words}.block_scale.scale_vec::{self.factors}X {operands}, [%r10], [%r11], 0;"

    def descriptors(self):
        codes = CODES[self.kind]
        number = codes[self.a] << 7 | codes[self.b] << 10 | (N >> 3) << 17
        number |= int(self.sparse) << 2 | int(self.negate) << 13
        if self.factors:
            number |= (self.m >> 7) << 27 | int(self.scale == "ue8m0") << 23
        else:
            number |= (self.m >> 4) << 24 | {"f16": 0, "f32": 1, "s32": 2}[self.result] << 4
        shared = 1 << 46 | self.stride // 16 << 32 | (2 << 61 | 1 << 16 if self.swizzled else 8 << 16)
        return [shared, shared + (B_AT >> 4), number]


def scale_image(tensor, at, exponents, scale):
    """Returns the image of scale factors. The factors of a row follow one another in a word, and a column holds 32
    rows. All four groups of lanes have the same factors."""
    for r, row in enumerate(exponents):
        for i, e in enumerate(row):
            for group in range(4):
                byte = 128 * (r % 32 + 32 * group) + at + 4 * (r // 32) + i
                tensor[byte] = 127 + e if scale == "ue8m0" else (7 + e) << 3


def images(one, a, b, scales_a, scales_b):
    """Returns the images of shared and of tensor memory for each block."""
    (wa, code_a), (wb, code_b) = TYPES[one.a], TYPES[one.b]
    blocks = 2 if one.pair else 1
    all_shared, all_tensor = b"", b""
    for block in range(blocks):
        shared, tensor = bytearray(16384), bytearray((b"\x44" if one.sparse else b"\0") * 16384)
        rows = slice(block * one.m // blocks, (block + 1) * one.m // blocks)
        if one.in_tensor:
            for r, row in enumerate(a[rows]):
                for k, n in enumerate(row):
                    put(tensor, 8 * 128 * r + k * wa, wa, code_a(n))
        else:
            lay(shared, 0, a[rows], one.kind, code_a, wa, one.swizzled, one.stride)
        columns = slice(block * N // blocks, (block + 1) * N // blocks)
        lay(shared, B_AT, b[columns], one.kind, code_b, wb, one.swizzled, one.stride)
        scale_image(tensor, 0, scales_a[rows], one.scale)
        scale_image(tensor, 64, scales_b, one.scale)
        all_shared += shared
        all_tensor += tensor
    return all_shared, all_tensor


def wanted_of(one, a, b, scales_a, scales_b):
    # A sparse A contains the first two of every four elements.
    chosen = [4 * (k // 2) + k % 2 if one.sparse else k for k in range(one.depth)]
    for r in range(one.m):
        for n in range(N):
            total = 0
            for k in range(one.depth):
                block = k * one.factors // one.depth
                scale = 2 ** (scales_a[r][block] + scales_b[n][block]) if one.factors else 1
                total += a[r][k] * b[n][chosen[k]] * scale
            yield r, n, -total if one.negate else total


def problem_of(ptxray, folder, one):
    rng = random.Random(1)
    a = [[rng.randint(0 if one.a == "u8" else -4, 4) for _ in range(one.depth)] for _ in range(one.m)]
    b = [[rng.randint(0 if one.b == "u8" else -4, 4) for _ in range(one.depth * (1 + one.sparse))] for _ in range(N)]
    scales_a = [[rng.randint(0, 2) for _ in range(one.factors)] for _ in range(one.m)]
    scales_b = [[rng.randint(0, 2) for _ in range(one.factors)] for _ in range(N)]
    (folder / "kernel.ptx").write_text(kernel(one.instruction(), f"cta_group::{1 + one.pair}"))
    for name, image in zip(("shared", "tensor"), images(one, a, b, scales_a, scales_b)):
        (folder / name).write_bytes(image)
    words = ["--block=128", f"--grid={1 + one.pair}", f"--cluster={1 + one.pair}", f"--out=2=file:{folder}/out"]
    words += [f"file:{folder}/shared", f"file:{folder}/tensor", f"zeros:{16384 * (1 + one.pair)}"]
    words += map(str, one.descriptors())
    command = [ptxray, "run", "--emulate", "--no-config", folder / "kernel.ptx", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        return done.stdout[-400:] + done.stderr[-400:]
    out = (folder / "out").read_bytes()
    for r, n, wanted in wanted_of(one, a, b, scales_a, scales_b):
        block, lane, column = place_of(one, r, n)
        form = {"f16": "<e", "f32": "<f", "s32": "<i"}[one.result]
        (found,) = struct.unpack_from(form, out, 16384 * block + 128 * lane + 4 * column)
        if found != wanted:
            return f"row {r}, column {n}: {found}, not {wanted}"
    return ""


def main():
    ptxray = sys.argv[1]
    narrow = list(CODES["f8f6f4"])
    cases = [
        Product("f16", "f16", "f16"),
        Product("f16", "bf16", "bf16"),
        Product("f16", "f16", "f16", result="f16"),
        Product("f16", "f16", "f16", m=64),
        Product("f16", "f16", "f16", negate=True),
        Product("f16", "f16", "f16", in_tensor=True),
        Product("f16", "f16", "f16", m=64, swizzled=True),
        Product("f16", "f16", "f16", sparse=True),
        Product("f16", "f16", "f16", sparse=True, m=64),
        Product("f16", "f16", "f16", ws=True, m=64),
        Product("f16", "f16", "f16", ws=True, m=32),
        Product("f16", "f16", "f16", pair=True, m=256),
        Product("f16", "f16", "f16", pair=True, m=128),
        Product("tf32", "tf32", "tf32"),
        Product("tf32", "tf32", "tf32", in_tensor=True),
        Product("tf32", "tf32", "tf32", m=64, negate=True),
        Product("i8", "s8", "u8", result="s32"),
        Product("f8f6f4", "e4m3", "e5m2", sparse=True),
        Product("mxf4", "e2m1", "e2m1", scale="ue8m0"),
        Product("mxf4nvf4", "e2m1", "e2m1", scale="ue4m3"),
        Product("mxf4nvf4", "e2m1", "e2m1", scale="ue4m3", pair=True, m=256),
        *(Product("f8f6f4", a, b) for a, b in zip(narrow, narrow[1:] + narrow[:1])),
        *(Product("mxf8f6f4", a, a, scale="ue8m0") for a in narrow),
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
