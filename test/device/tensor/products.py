"""Makes products of warpgroups: one kernel for each instruction, with random matrices, layouts, signs and metadata."""

import ctypes
import dataclasses
import functools
import random

SHARED = 49152
THREADS = 128
KERNEL = """
.version 8.5
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 image, .param .u64 before, .param .u64 after, .param .u64 left, .param .u64 a,
                       .param .u64 b, .param .u32 scale)
.maxntid 128, 1, 1
{
  .reg .pred %p<3>;
  .reg .b32 %r<16>, %d<128>, %a<4>, %m;
  .reg .b64 %rd<16>;
  .shared .align 1024 .b8 tiles[49152];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tiles;
  ld.param.u64 %rd1, [image];
  mov.u32 %r3, 0;
copy:
  mad.lo.u32 %r4, %r3, 128, %r1;
  shl.b32 %r4, %r4, 4;
  cvt.u64.u32 %rd2, %r4;
  add.u64 %rd2, %rd1, %rd2;
  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd2];
  add.u32 %r4, %r2, %r4;
  st.shared.v4.u32 [%r4], {%r8, %r9, %r10, %r11};
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 24;
  @%p1 bra copy;
  fence.proxy.async;
  bar.sync 0;
  shr.u32 %r5, %r2, 4;
  cvt.u64.u32 %rd3, %r5;
  ld.param.u64 %rd4, [a];
  ld.param.u64 %rd5, [b];
  add.u64 %rd4, %rd4, %rd3;
  add.u64 %rd5, %rd5, %rd3;
  ld.param.u32 %r6, [scale];
  setp.ne.u32 %p2, %r6, 0;
  ld.param.u64 %rd6, [left];
  mad.wide.u32 %rd6, %r1, 20, %rd6;
  ld.global.u32 %a0, [%rd6];
  ld.global.u32 %a1, [%rd6+4];
  ld.global.u32 %a2, [%rd6+8];
  ld.global.u32 %a3, [%rd6+12];
  ld.global.u32 %m, [%rd6+16];
  ld.param.u64 %rd7, [before];
  mad.wide.u32 %rd7, %r1, 512, %rd7;
  ld.param.u64 %rd8, [after];
  mad.wide.u32 %rd8, %r1, 512, %rd8;
LOADS
  wgmma.fence.sync.aligned;
  PRODUCT
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
STORES
  ret;
}
"""
FLOATS = {  # columns: exponent bits, fraction bits, bytes
    "f16": (5, 10, 2),
    "bf16": (8, 7, 2),
    "tf32": (8, 23, 4),
    "f32": (8, 23, 4),
    "e4m3": (4, 3, 1),
    "e5m2": (5, 2, 1),
}
INTEGER_N = [8, 16, 24, 32, *range(48, 257, 16)]


@dataclasses.dataclass
class Form:
    n: int
    k: int  # bytes in a row of A or B
    d: str
    a: str
    b: str
    sparse: bool
    in_registers: bool
    word: str = ""
    label: str = ""


@dataclasses.dataclass
class Case:
    label: str
    text: str
    form: Form
    seed: int
    a: int  # descriptors
    b: int
    style: str


def forms():
    eights = ("e4m3", "e5m2")
    types = [("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32")]
    types += [(d, a, b) for d in ("f16", "f32") for a in eights for b in eights]
    for sparse in (False, True):
        for in_registers in (False, True):
            for n in range(8, 257, 8):
                for d, a, b in types:
                    yield Form(n, 32, d, a, b, sparse, in_registers)
            for n in INTEGER_N:
                for a in ("s8", "u8"):
                    for b in ("s8", "u8"):
                        for word in ("", ".satfinite"):
                            yield Form(n, 32, "s32", a, b, sparse, in_registers, word)
                if not sparse:
                    yield Form(n, 32, "s32", "b1", "b1", sparse, in_registers, ".and.popc")


def instruction(rng, form):
    """Returns the instruction, and which of A and B are transposed."""
    bits = {"f16": 16, "bf16": 16, "tf32": 32, "b1": 1}.get(form.a, 8)
    k = 256 // bits * (2 if form.sparse else 1)
    shape = f".m64n{form.n}k{k}"
    before, behind = (form.word, "") if form.word == ".satfinite" else ("", form.word)
    count = form.n // 4 if form.d == "f16" else form.n // 2
    d = "{" + ", ".join(f"%d{i}" for i in range(count)) + "}"
    a = "{%a0, %a1, %a2, %a3}" if form.in_registers else "%rd4"
    operands = [d, a, "%rd5"]
    if form.sparse:
        operands += ["%m", str(rng.randrange(2 if bits >= 16 else 1))]
    operands.append("%p2")
    transposed = [False, False]
    if form.a in FLOATS:
        operands += [rng.choice(("1", "-1")) for _ in range(2)]
        if bits == 16:
            transposed = [not form.in_registers and rng.random() < 0.5, rng.random() < 0.5]
            operands += [str(int(one)) for one in transposed[form.in_registers :]]
    name = f"wgmma.mma_async{'.sp' if form.sparse else ''}.sync.aligned{shape}{before}"
    return f"{name}.{form.d}.{form.a}.{form.b}{behind} {', '.join(operands)};", transposed, count


def descriptor(rng, rows, is_transposed, is_wide):
    """Returns a layout of some rows. A row of the matrix that is multiplied with a sparse matrix is twice as long."""
    modes = 3 if is_wide and not is_transposed else 4  # a row is at most as long as that of the swizzle
    swizzle = rng.randrange(modes)
    width = (16, 128, 64, 32)[swizzle]
    atom = 8 * width
    if is_transposed:  # rows are 16 bits long, and extend along the atoms
        groups, parts = max(1, rows * 2 // width), 4 if is_wide else 2
    else:
        groups, parts = rows // 8, max(1, (64 if is_wide else 32) // width)
    most = (SHARED - 8192) // groups // atom
    strides = [atom * rng.randint(1, max(1, min(most, 3))) for _ in range(2)]
    if groups * max(strides) + parts * max(strides) > SHARED - 2048:
        strides = [atom, atom]
    start = 1024 * rng.randrange(2)
    if swizzle and not is_transposed and not is_wide and width > 32:
        start += 32 * rng.randrange(width // 32)
    elif swizzle and not is_transposed and is_wide and width == 128:
        start += 64 * rng.randrange(2)
    if not swizzle:
        start = 16 * rng.randrange(64)
    return start >> 4 | strides[0] >> 4 << 16 | strides[1] >> 4 << 32 | swizzle << 62


def cases(seed, count):
    """Returns the cases. `count` is the number of runs of each form."""
    rng = random.Random(seed)
    made = []
    for form in forms():
        product, transposed, registers = instruction(rng, form)
        loads = "\n".join(f"  ld.global.u32 %d{i}, [%rd7+{4 * i}];" for i in range(registers))
        stores = "\n".join(f"  st.global.u32 [%rd8+{4 * i}], %d{i};" for i in range(registers))
        text = KERNEL.replace("LOADS", loads).replace("STORES", stores).replace("PRODUCT", product)
        for _ in range(count):
            a = descriptor(rng, 64, transposed[0], False)
            b = descriptor(rng, form.n, transposed[1], form.sparse)
            style = rng.choice(("moderate", "wide", "wide", "bits"))
            label = f"wgmma {'sparse ' if form.sparse else ''}{form.d} {form.a} {form.b}{form.word}"
            made.append(Case(label, text, form, rng.randrange(1 << 32), a, b, style))
    return made


def number(rng, kind, style):
    exponents, fractions, size = FLOATS[kind]
    bits = rng.getrandbits(8 * size)
    if style == "bits" and rng.randrange(8) == 0:
        return bits.to_bytes(size, "little")
    most = (1 << exponents) - 1
    middle = most // 2
    spread = 3 if style == "moderate" else min(middle - 1, 14)
    exponent = rng.randint(middle - spread, middle + spread)
    if style != "moderate" and rng.randrange(32) == 0:
        exponent = 0
    bits = bits & ~(most << fractions) | exponent << fractions
    return bits.to_bytes(size, "little")


@functools.cache
def image(kind, style, which):
    rng = random.Random(f"{kind} {style} {which}")
    if kind not in FLOATS:
        return rng.randbytes(SHARED)
    return b"".join(number(rng, kind, style) for _ in range(SHARED // FLOATS[kind][2]))


def metadata(rng, form):
    """Returns a word for each thread: pairs of positions for two of four, and one of two for tf32."""
    places = (4, 14) if form.a == "tf32" else (4, 8, 9, 12, 13, 14)
    return sum(rng.choice(places) << 4 * i for i in range(8))


def run(gpu, case):
    rng, form = random.Random(case.seed), case.form
    from_a, from_b = image(form.a, case.style, rng.randrange(4)), image(form.b, case.style, rng.randrange(4))
    both = bytearray(from_b)
    if not form.in_registers:  # both are in the same memory: rows of either kind
        both = bytearray(from_a if rng.randrange(4) == 0 else from_b)
    before = image(form.d, case.style, rng.randrange(4))
    before = (before + before)[: 512 * THREADS]
    left = bytearray()
    for _ in range(THREADS):
        at = rng.randrange(SHARED // 16) * 16
        left += from_a[at : at + 16] + metadata(rng, form).to_bytes(4, "little")
    for place, data in zip(gpu.scratch, (both, before, None, left)):
        if data is not None:
            gpu.write(place, bytes(data))
    gpu.clear(gpu.scratch[2], 512 * THREADS)
    scale = rng.randrange(4) != 0
    arguments = [gpu.scratch[0], gpu.scratch[1], gpu.scratch[2], gpu.scratch[3]]
    arguments += [ctypes.c_uint64(case.a), ctypes.c_uint64(case.b), ctypes.c_uint32(scale)]
    gpu.run(case.text, arguments, THREADS)
    return gpu.read(gpu.scratch[2], 512 * THREADS)
