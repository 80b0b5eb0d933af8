"""Makes random copies between tensors and shared memory: kernels, and the resulting shared memory or tensor."""

import ctypes
import dataclasses
import random

import maps

SHARED = 18432
HEAD = """
.version 8.5
.target sm_90a
.address_size 64
.visible .entry kernel(.param .align 64 .b8 map[128], .param .u64 pattern, .param .u64 out, .param .u32 bytes,
                       .param .u32 offset, .param .align 4 .b32 at[8])
{
  .reg .pred %p<4>;
  .reg .b16 %o<3>;
  .reg .b32 %r<16>, %c<5>;
  .reg .b64 %rd<8>;
  .shared .align 1024 .b8 tile[18432];
  .shared .align 8 .b64 object;
  .shared .align 128 .b8 made[128];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r3, %r1, 16;
  mov.u32 %r4, tile;
  add.u32 %r5, %r4, %r3;
  ld.param.u64 %rd1, [pattern];
  cvt.u64.u32 %rd3, %r3;
  add.u64 %rd1, %rd1, %rd3;
  ld.param.u64 %rd2, [out];
  add.u64 %rd2, %rd2, %rd3;
PATTERN
  fence.proxy.async;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  ld.param.u32 %r2, [bytes];
  ld.param.u32 %r6, [offset];
  add.u32 %r6, %r4, %r6;
  mov.b64 %rd4, map;
  cvta.param.u64 %rd4, %rd4;
COORDINATES
"""
REPLACED = """
  setp.gt.u32 %p2, %r1, 31;
  @%p2 bra replaced;
  ld.param.u64 %rd5, [pattern];
  mad.wide.u32 %rd5, %r1, 4, %rd5;
  ld.global.u32 %r8, [%rd5+18432];
  mov.u32 %r9, made;
  mad.lo.u32 %r9, %r1, 4, %r9;
  st.shared.u32 [%r9], %r8;
  bar.warp.sync -1;
  @%p1 bra made_it;
FIELDS
made_it:
  bar.warp.sync -1;
  ld.param.u64 %rd6, [out];
  add.u64 %rd6, %rd6, 20480;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd6], [made], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;
  mov.u64 %rd4, %rd6;
replaced:
"""
LOAD = """
  @%p1 bra wait;
  mbarrier.init.shared.b64 [object], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [object], %r2;
  OPERATION
wait:
  bar.sync 0;
  mov.u32 %r7, 0;
again:
  mbarrier.try_wait.parity.shared.b64 %p2, [object], 0;
  @%p2 bra done;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, 2000;
  @%p3 bra again;
  st.global.u32 [%rd2+18432], 1;
done:
DUMP
  ret;
}
"""
STORE = """
  @%p1 exit;
  OPERATION
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
"""


@dataclasses.dataclass
class Case:
    label: str
    text: str
    description: maps.Description
    seed: int
    coordinates: list
    offsets: list
    bytes: int
    place: int  # offset of the tile in shared memory
    is_store: bool
    span: int  # bytes of the tensor
    base: maps.Description = None  # a map that the kernel changes to the map of the description


def text_of(rank, mode, store=""):
    """Returns the kernel of a mode. `store` is `copy` or an operation of a reduction."""
    rows = range(SHARED // 2048)
    pattern = "\n".join(
        f"  ld.global.v4.u32 {{%r8, %r9, %r10, %r11}}, [%rd1+{2048 * i}];\n"
        f"  st.shared.v4.u32 [%r5+{2048 * i}], {{%r8, %r9, %r10, %r11}};"
        for i in rows
    )
    dump = "\n".join(
        f"  ld.shared.v4.u32 {{%r8, %r9, %r10, %r11}}, [%r5+{2048 * i}];\n"
        f"  st.global.v4.u32 [%rd2+{2048 * i}], {{%r8, %r9, %r10, %r11}};"
        for i in rows
    )
    coordinates = "\n".join(
        [f"  ld.param.u32 %c{i}, [at+{4 * i}];" for i in range(5)]
        + [f"  ld.param.u16 %o{i}, [at+{20 + 4 * i}];" for i in range(3)]
    )
    at = ", ".join(f"%c{i}" for i in range(rank))
    if not store:
        offsets = ", {" + ", ".join(f"%o{i}" for i in range(rank - 2)) + "}" if mode == "im2col" else ""
        operation = (
            f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes"
            f" [%r6], [%rd4, {{{at}}}], [object]{offsets};"
        )
    else:
        mode = "im2col_no_offs" if mode == "im2col" else mode
        first = "cp.async.bulk" if store == "copy" else "cp.reduce.async.bulk"
        word = "" if store == "copy" else "." + store
        operation = f"{first}.tensor.{rank}d.global.shared::cta{word}.{mode}.bulk_group [%rd4, {{{at}}}], [%r6];"
    text = HEAD + (STORE if store else LOAD)
    text = text.replace("PATTERN", pattern).replace("COORDINATES", coordinates).replace("OPERATION", operation)
    return text.replace("DUMP", dump)


def reductions(kind):
    """Returns the operations for elements of a type, from the manual's table."""
    table = {
        2: ("add", "min", "max", "inc", "dec", "and", "or", "xor"),
        3: ("add", "min", "max"),
        4: ("add", "min", "max", "and", "or", "xor"),
        5: ("min", "max"),
        6: ("add", "min", "max"),
        7: ("add",),
        9: ("add", "min", "max"),
    }
    return table.get(kind, ())


def tensor_of(rng, how, rank, kind, interleave):
    """Returns extents and strides of a small tensor. If it is interleaved, the innermost dimension counts slices of
    16 or 32 bytes."""
    bits = maps.BITS[kind]
    alignment = 32 if interleave == 2 or kind in maps.UNPACKED else 16
    innermost = rng.randint(1, 40) if bits > 8 else rng.randint(1, 80)
    if how == "im2col" and not interleave:
        innermost = rng.choice((8, 16, 20, 32, 40))
    if kind >= maps.PACKED_8:
        innermost = 128 * rng.randint(1, 3)
    if interleave:
        innermost = rng.randint(1, 12)
    extents = [innermost] + [rng.randint(1, 9) for _ in range(rank - 1)]
    if rank == 5:
        extents[4] = rng.randint(1, 3)
    last = extents[0] * 16 * interleave if interleave else -(-extents[0] * bits // 8)
    strides = []
    for extent in extents[1:]:
        stride = -(-last // alignment) * alignment + rng.choice((0, 0, alignment))
        strides.append(stride)
        last = stride * extent
    return extents, strides, last


def corners(rng, one, store):
    """Returns corners, coordinates and offsets of a copy by im2col, or None if the box is empty."""
    rank, first = one.rank, 0 if one.interleave else 1
    at, offsets = [0] * rank, []
    for i in range(rank - 2):
        extent, step = one.extents[first + i], one.steps[first + i]
        lower, upper = rng.randint(-3, 2), rng.randint(-3, 2)
        if store:
            lower, upper = abs(lower), -abs(upper)
        one.lower.append(lower)
        one.upper.append(upper)
        last = extent - 1 + upper
        if last < lower:
            return None
        base = lower + step * rng.randint(0, (last - lower) // step)
        at[first + i] = base if rng.random() < 0.8 else rng.randint(lower, last)
        offsets.append(rng.randint(0, 3))
    at[-1] = rng.randint(0 if store else -1, one.extents[-1] - 1)
    if one.interleave:
        at[-2] = rng.randint(0 if store else -1, one.extents[-2] - 1)
    return at, offsets


def make(rng, kinds):
    """Returns a case, or None if the tile is too large."""
    how = rng.choice(("tiled", "tiled", "im2col"))
    rank = rng.randint(1 if how == "tiled" else 3, 5)
    kind = rng.choice(kinds)
    bits = maps.BITS[kind]
    interleave = rng.choice((0, 0, 0, 1, 2)) if rank >= 3 and kind < maps.PACKED_8 else 0
    swizzle = rng.choice((0, 3, 4, 6)) if kind in maps.UNPACKED else rng.choice((0, 1, 2, 3, 3, rng.randrange(7)))
    store = rng.random() < 0.4
    extents, strides, span = tensor_of(rng, how, rank, kind, interleave)
    most = maps.SWIZZLE_BYTES[swizzle] or 128
    row = min(rng.choice((16, 32, 48, 64, most)), most)
    one = maps.Description(
        how,
        kind,
        rank,
        0,
        extents,
        strides,
        [rng.choice((1, 1, 2, 3)) for _ in range(rank)],
        interleave=interleave,
        swizzle=swizzle,
        fill=rng.randrange(2) if 6 <= kind < 13 else 0,
    )
    inner = row * 8 // bits
    if kind in maps.UNPACKED:
        inner, row = 128, 16 * bits  # gaps are not counted
    unit = 128 if kind in maps.UNPACKED else 1 if interleave else 128 // bits
    if rng.random() < 0.01:
        unit = 1  # this unit is not allowed
    offsets = []
    if how == "tiled":
        if interleave:  # dimensions are slices
            inner = -(-rng.randint(1, 12) * bits // 128) * (128 // bits)
            row = -(-inner // one.steps[0]) * 16 * interleave
        one.box = [inner] + [rng.randint(1, 5) for _ in range(rank - 1)]
        size = row
        for i in range(1, rank):
            if not interleave or i != rank - 2:  # a copy takes one slice of the channels
                size *= -(-one.box[i] // one.steps[i])
        at = [rng.randint(-inner // unit, extents[0] // unit) * unit]
        at += [rng.randint(-3, extent) for extent in extents[1:]]
        if store and rng.random() < 0.98:
            at = [max(c, 0) for c in at]
    else:
        one.channels, one.pixels = inner, rng.randint(1, 40)
        row = 16 * interleave if interleave else row
        size = row * one.pixels
        found = corners(rng, one, store)
        if not found:
            return None
        at, offsets = found
        if not interleave:
            at[0] = rng.choice((0, rng.randint(-inner // unit, extents[0] // unit) * unit))
            at[0] = max(at[0], 0) if store else at[0]
    if size > 16384:
        return None
    word = rng.choice(("copy", *reductions(kind))) if store else ""
    mode = "tile" if how == "tiled" else "im2col"
    where = 128 * rng.randrange(8)
    label = f"{mode} {rank}d {'load' if not store else word} type {kind} interleave {interleave} swizzle {swizzle}"
    text = text_of(rank, mode, word)
    return Case(label, text, one, rng.randrange(1 << 32), at, offsets, size, where, store, span)


def cases(seed, count, kinds=range(maps.PACKED_8)):
    rng = random.Random(seed)
    made = []
    while len(made) < count:
        case = make(rng, kinds)
        if case:
            made.append(case)
    return made


TYPES_OF_REPLACE = (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12)  # the manual's numbers, indexed by the driver's


def replacements(one):
    """Returns the instructions that make a map."""
    lines = ["  ld.param.u64 %rd7, [tensor];"]

    def replace(field, kind, *operands):
        words = ", ".join(map(str, operands))
        lines.append(f"  tensormap.replace.tile.{field}.shared::cta.b1024.{kind} [made], {words};")

    replace("global_address", "b64", "%rd7")
    replace("rank", "b32", one.rank - 1)
    for i in range(one.rank):
        replace("box_dim", "b32", i, one.box[i])
        replace("global_dim", "b32", i, one.extents[i])
        replace("element_stride", "b32", i, one.steps[i])
    for i, stride in enumerate(one.strides):
        lines.append(f"  mov.b64 %rd7, {stride};")
        replace("global_stride", "b64", i, "%rd7")
    replace("elemtype", "b32", TYPES_OF_REPLACE[one.kind])
    replace("interleave_layout", "b32", one.interleave)
    replace("swizzle_mode", "b32", one.swizzle)
    replace("fill_mode", "b32", one.fill)
    return "\n".join(lines)


def replaced_cases(seed, count):
    """Returns loads whose kernels make the tensor map from another one, field by field."""
    rng = random.Random(seed)
    made = []
    while len(made) < count:
        case, other = make(rng, range(13)), make(rng, range(13))
        if not case or not other or case.is_store or other.description.how + case.description.how != "tiledtiled":
            continue
        one, base = case.description, other.description
        if one.rank != base.rank or max(one.swizzle, base.swizzle) > 3:
            continue
        begin = "  @%p1 bra wait;"
        case.text = case.text.replace(begin, REPLACED.replace("FIELDS", replacements(one)) + begin)
        case.text = case.text.replace(".param .u64 out,", ".param .u64 out, .param .u64 tensor,")
        case.base, case.label = base, "replaced " + case.label
        made.append(case)
    return made


def numbers(rng, count, kind):
    """Returns random bytes. Many 32-bit floats are subnormal, NaN or infinite."""
    data = bytearray(rng.randbytes(count))
    if maps.BITS[kind] == 32 and kind >= 7:
        for at in range(3, count, 4):
            choice = rng.randrange(4)
            if choice == 0:
                data[at] &= 0x80
                data[at - 1] &= 0x7F
            elif choice == 1 and rng.randrange(4) == 0:
                data[at] |= 0x7F
                data[at - 1] |= 0x80
    return bytes(data)


def run(gpu, case):
    rng = random.Random(case.seed)
    span = -(-case.span // 16) * 16 + 1024
    tensor, pattern = numbers(rng, span, case.description.kind), numbers(rng, SHARED, case.description.kind)
    gpu.write(gpu.scratch[0], tensor)
    gpu.write(gpu.scratch[1], pattern)
    gpu.clear(gpu.scratch[2], SHARED + 4096)
    case.description.address = gpu.scratch[0].value
    error, encoded = case.description.encode(gpu.cuda)
    if error:
        return b"refused"
    if case.base:
        case.base.address = gpu.scratch[1].value
        gpu.write(gpu.scratch[1], pattern + case.base.encode(gpu.cuda)[1])
    words = [*(case.coordinates + [0] * 5)[:5], *(case.offsets + [0] * 3)[:3]]
    arguments = [
        (ctypes.c_char * 128)(*encoded),
        gpu.scratch[1],
        gpu.scratch[2],
        *([gpu.scratch[0]] if case.base else []),
        ctypes.c_uint32(case.bytes),
        ctypes.c_uint32(case.place),
        (ctypes.c_int32 * 8)(*words),
    ]
    gpu.run(case.text, arguments, 128)
    if case.is_store:
        return changes(tensor, gpu.read(gpu.scratch[0], span))
    left = gpu.read(gpu.scratch[2], SHARED + 4)
    return b"never complete" if left[SHARED:] != bytes(4) else changes(pattern, left[:SHARED])


def changes(before, after):
    """Returns the changed bits."""
    bits = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    return bits.to_bytes(len(before), "little")
