#!/usr/bin/env python3
"""Compares tiles of tensors on the emulator with a model of them: tile_kinds.py PTXRAY

A kernel copies a tile to shared memory, stores all of that memory, and copies the tile to another tensor. Tensors,
boxes, strides, steps, swizzles and coordinates are random, in bounds or not for loads. Some copies use single rows
(gather4, scatter4), and some add instead of copying."""

import dataclasses
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

KERNEL = """
.version 8.6
.target sm_100a
.address_size 64
.visible .entry kernel(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 out, .param .u32 bytes,
                       .param .align 4 .b32 at[10])
{
  .reg .pred %p<3>;
  .reg .b32 %r<16>, %c<10>;
  .reg .b64 %rd<6>;
  .shared .align 1024 .b8 tile[8192];
  .shared .align 8 .b64 object;
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r3, %r1, 64;
  mov.u32 %r4, tile;
  add.u32 %r4, %r4, %r3;
ZEROS
  fence.proxy.async;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra wait;
  ld.param.u32 %r2, [bytes];
COORDINATES
  mov.b64 %rd1, from;
  cvta.param.u64 %rd1, %rd1;
  mbarrier.init.shared.b64 [object], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [object], %r2;
  cp.async.bulk.tensor.DIM.shared::cta.global.LOAD.mbarrier::complete_tx::bytes [tile], [%rd1, {FROM}], [object];
wait:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared.b64 %p2, [object], 0;
  @!%p2 bra again;
  ld.param.u64 %rd2, [out];
  cvt.u64.u32 %rd3, %r3;
  add.u64 %rd2, %rd2, %rd3;
DUMP
  @%p1 exit;
  mov.b64 %rd4, to;
  cvta.param.u64 %rd4, %rd4;
  STORE [%rd4, {TO}], [tile];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
"""
SWIZZLES = {"none": 0, "32": 1, "64": 3, "128": 7}  # bits among 7, 8 and 9 that change bits 4, 5 and 6


@dataclasses.dataclass
class Case:
    size: int  # bytes of an element
    extents: list
    strides: list  # counted in elements, for all dimensions
    box: list
    steps: list
    swizzle: str
    load: list  # coordinates
    store: list
    rows: bool = False
    adds: bool = False


def random_case(rng, rank, size, swizzle, rows=False, adds=False):
    most = {"none": 128, "32": 32, "64": 64, "128": 128}[swizzle]
    row = rng.randrange(16, most + 1, 16)
    box = [row // size] + [rng.randint(1, 4) for _ in range(rank - 1)]
    steps = [1] + [1 if rows else rng.randint(1, 2) for _ in range(rank - 1)]
    unit = 16 // size
    extents = [rng.randint(row // size // 2 + 1, row // size + 9)] + [rng.randint(3, 7) for _ in range(rank - 1)]
    strides, last = [1], extents[0]
    for extent in extents[1:]:
        stride = -(-last // (16 // size)) * (16 // size) + rng.choice((0, 16 // size))
        strides.append(stride)
        last = stride * extent
    if rows:
        box[1] = 1

    def coordinates(least):
        first = [rng.randrange(least * (box[0] // unit - 1) * unit, extents[0], unit)]
        if rows:
            return first + [rng.randint(least, extents[1]) for _ in range(4)]
        return first + [rng.randint(2 * least, extent - 1) for extent in extents[1:]]

    store = coordinates(0)
    while rows and len(set(store[1:])) < 4:
        store = coordinates(0)
    return Case(size, extents, strides, box, steps, swizzle, coordinates(-1), store, rows, adds)


def elements(case, at, stores=False):
    """Returns the offset in shared memory and the index in the tensor of each element of a tile. The index is None
    out of bounds. Swizzled rows begin at multiples of 32, 64 or 128 bytes. Stored rows end after 16 bytes."""
    pitch = case.box[0] * case.size if case.swizzle == "none" else int(case.swizzle)
    limits = list(case.extents)
    if stores:
        limits[0] = -(-limits[0] * case.size // 16) * 16 // case.size
    counts = [case.box[0], 4] if case.rows else [-(-b // s) for b, s in zip(case.box, case.steps)]
    for number, reversed_index in enumerate(itertools.product(*(range(count) for count in reversed(counts)))):
        index = reversed_index[::-1]
        row, column = divmod(number, case.box[0])
        where = [at[0] + index[0]]
        where += [at[1 + index[1]]] if case.rows else [a + i * s for a, i, s in zip(at[1:], index[1:], case.steps[1:])]
        inside = all(0 <= w < limit for w, limit in zip(where, limits))
        offset = row * pitch + column * case.size
        offset ^= (offset >> 7 & SWIZZLES[case.swizzle]) << 4
        yield offset, sum(w * s for w, s in zip(where, case.strides)) if inside else None


def kernel(case):
    rank = len(case.extents)
    counts = 5 if case.rows else rank
    coordinates = "\n".join(f"  ld.param.u32 %c{i}, [at+{4 * i}];" for i in range(10))
    dump = "\n".join(
        f"  ld.shared.v4.u32 {{%r8, %r9, %r10, %r11}}, [%r4+{16 * i}];\n"
        f"  st.global.v4.u32 [%rd2+{16 * i}], {{%r8, %r9, %r10, %r11}};"
        for i in range(4)
    )
    store = (
        f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add"
        if case.adds
        else (f"cp.async.bulk.tensor.{rank}d.global.shared::cta")
    )
    store += f".tile{'::scatter4' if case.rows else ''}.bulk_group"
    zeros = "\n".join(f"  st.shared.v4.u32 [%r4+{16 * i}], {{0, 0, 0, 0}};" for i in range(4))
    text = KERNEL.replace("ZEROS", zeros).replace("COORDINATES", coordinates)
    text = text.replace("DUMP", dump).replace("STORE", store)
    text = text.replace("DIM", f"{rank}d").replace("LOAD", "tile::gather4" if case.rows else "tile")
    text = text.replace("FROM", ", ".join(f"%c{i}" for i in range(counts)))
    return text.replace("TO", ", ".join(f"%c{5 + i}" for i in range(counts)))


def tensor_map(case, buffer):
    name = {1: "u8", 2: "u16", 4: "u32"}[case.size]
    words = [f"tma={name}:{'x'.join(map(str, case.extents))}:box={'x'.join(map(str, case.box))}"]
    words.append(f"steps={'x'.join(map(str, case.steps))}")
    if len(case.extents) > 1:
        words.append(f"strides={'x'.join(str(s * case.size) for s in case.strides[1:])}")
    return ":".join([*words, f"swizzle={case.swizzle}", f"&{buffer}"])


def problem_of(ptxray, folder, case, rng):
    count = case.strides[-1] * case.extents[-1] + 64
    source, target = (bytearray(rng.randbytes(count * case.size)) for _ in range(2))
    (folder / "kernel.ptx").write_text(kernel(case))
    (folder / "source").write_bytes(source)
    (folder / "target").write_bytes(target)
    coordinates = [c for one in (case.load, case.store) for c in (one + [0] * 5)[:5]]
    at = b"".join((c & 0xFFFFFFFF).to_bytes(4, "little") for c in coordinates)
    loaded = list(elements(case, case.load))
    words = ["--block=128", f"--buffer=a=file:{folder}/source", f"--buffer=b=file:{folder}/target"]
    words += [f"--out=2=file:{folder}/out", f"--out=b=file:{folder}/stored"]
    words += [tensor_map(case, "a"), tensor_map(case, "b")]
    words += ["zeros:8192", str(len(loaded) * case.size), f"hex={at.hex()}"]
    command = [ptxray, "run", "--emulate", "--no-config", folder / "kernel.ptx", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        return done.stdout[-400:] + done.stderr[-400:]
    shared, size = bytearray(8192), case.size
    for offset, number in loaded:
        if number is not None:
            shared[offset : offset + size] = source[number * size : (number + 1) * size]
    if (folder / "out").read_bytes() != shared:
        return "shared memory differs"
    for offset, number in elements(case, case.store, stores=True):
        if number is None:
            continue
        here = slice(number * size, (number + 1) * size)
        value = int.from_bytes(shared[offset : offset + size], "little")
        if case.adds:
            value = (value + int.from_bytes(target[here], "little")) % 256**size
        target[here] = value.to_bytes(size, "little")
    return "" if (folder / "stored").read_bytes() == target else "the tensor differs"


def main():
    rng = random.Random(1)
    cases = []
    for rank, swizzle in itertools.product(range(1, 6), SWIZZLES):
        cases.append(random_case(rng, rank, rng.choice((1, 2, 4)), swizzle))
    cases += [random_case(rng, 2, 2, swizzle, rows=True) for swizzle in SWIZZLES]
    cases += [random_case(rng, rank, 4, "none", adds=True) for rank in (1, 2, 3)]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for case in cases:
            problem = problem_of(sys.argv[1], pathlib.Path(name), case, rng)
            if problem:
                print(f"{case}: {problem}")
                failed += 1
    print(f"{len(cases) - failed} of {len(cases)} tiles are right")
    sys.exit(failed != 0)


main()
