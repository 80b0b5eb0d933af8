#!/usr/bin/env python3
"""Tests on a GPU that fragments have the layouts of `ptxray layout`, with exact products of small integers.

  hardware.py PTXRAY PTXRAY_RUN FOLDER

writes modules, inputs and expected results into FOLDER, and run.sh, which runs them all there (sm_90a). The layouts
determine the registers of A, B and metadata. B of wgmma is in shared memory, with the descriptor of `ptxray desc`. D is
also compared by its layout: one wrong element causes a wrong product.
"""

import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys

RANDOM = random.Random(5)
SMALL_FLOATS = {
    "e4m3": {0: 0, 1: 0x38, 2: 0x40, 3: 0x44, -1: 0xB8, -2: 0xC0, -3: 0xC4},
    "e5m2": {0: 0, 1: 0x3C, 2: 0x40, 3: 0x42, -1: 0xBC, -2: 0xC0, -3: 0xC2},
}
BITS = {
    "f64": 64,
    "f32": 32,
    "tf32": 32,
    "s32": 32,
    "f16": 16,
    "bf16": 16,
    "s8": 8,
    "u8": 8,
    "e4m3": 8,
    "e5m2": 8,
    "s4": 4,
    "u4": 4,
    "b1": 1,
}


def encode(kind, value):
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind in ("f32", "tf32"):
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    if kind in SMALL_FLOATS:
        return SMALL_FLOATS[kind][value]
    return value & ((1 << BITS[kind]) - 1)


def values(kind):
    return [0, 1] if kind == "b1" else [0, 1, 2, 3] if kind[0] == "u" else [-2, -1, 0, 1, 2, 3]


def matrix(rows, columns, kind):
    return [[RANDOM.choice(values(kind)) for _ in range(columns)] for _ in range(rows)]


class Tool:
    def __init__(self, path):
        self.path = path

    def layouts(self, *arguments):
        out = subprocess.run(
            [self.path, "layout", *arguments, "--format=json"], check=True, capture_output=True, text=True
        )
        return {layout["name"]: layout["elements"] for layout in json.loads(out.stdout)["layouts"]}

    def descriptor(self, *arguments):
        out = subprocess.run(
            [self.path, "desc", "encode", "wgmma-smem", *arguments], check=True, capture_output=True, text=True
        )
        return int(out.stdout, 16)


def coordinates(element):
    first, second = list(element.values())[:2]
    return first, second


def registers(elements, content, threads, width):
    """Returns words[thread][register] with the elements content(row, column)."""
    count = 1 + max(e["register"] for e in elements)
    words = [[0] * count for _ in range(threads)]
    for e in elements:
        words[e["thread"]][e["register"]] |= content(*coordinates(e)) << e["bit"]
    return words


def pack(words, width):
    return b"".join(word.to_bytes(width // 8, "little") for thread in words for word in thread)


def names(letter, count):
    return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"


def load(letter, count, width, pointer):
    kind = "b64" if width == 64 else "b32"
    step = width // 8
    return [
        f".reg .{kind} %{letter}<{count}>;",
        f"mad.wide.u32 %address, %thread, {count * step}, {pointer};",
        *(f"ld.global.{kind} %{letter}{i}, [%address+{i * step}];" for i in range(count)),
    ]


HEADER = ".version 8.5\n.target sm_90a\n.address_size 64\n"
START = [
    ".reg .u32 %thread;",
    ".reg .b64 %address, %in, %out, %tile, %meta, %desc, %start;",
    "mov.u32 %thread, %tid.x;",
]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


class Cases:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.lines = tool, folder, []

    def write(self, name, body, threads, buffers, expected):
        text = (
            HEADER + f".visible .entry {name}({', '.join(f'.param .u64 p{i}' for i in range(len(buffers) + 1))}) {{\n"
        )
        text += "\n".join(START + body) + "\n}\n"
        (self.folder / f"{name}.ptx").write_text(text)
        arguments = []
        for i, content in enumerate(buffers):
            (self.folder / f"{name}.{i}.bin").write_bytes(content)
            arguments.append(f"file:{name}.{i}.bin")
        (self.folder / f"{name}.expected.bin").write_bytes(expected)
        arguments.append(f"zeros:{len(expected)}")
        self.lines.append(f"run {name} {threads} {len(buffers)} {' '.join(arguments)}")

    def multiplicands(self, layouts, a, b, types, sparse, k):
        """Returns the contents of A, and the register words of A and of the metadata."""
        elements = layouts["A"]
        if not sparse:
            return a, registers(elements, lambda r, c: encode(types[0], a[r][c]), self.threads, BITS[types[0]]), None
        # This is a packed A, and the columns of the elements of each chunk.
        bits = BITS[types[0]]
        chunk = 2 if bits == 32 else 8 if bits == 4 else 4
        full = [[0] * k for _ in a]
        indices = [[0] * (k // chunk) for _ in a]
        for r, row in enumerate(a):
            for c in range(k // chunk):
                if bits == 32:
                    place = RANDOM.choice([0, 1])
                    indices[r][c] = 0b1110 if place else 0b0100
                    full[r][2 * c + place] = row[c]
                    continue
                first, second = sorted(RANDOM.sample(range(4), 2))
                indices[r][c] = first | second << 2
                wide = chunk // 4  # columns that an index represents
                for i in range(wide):
                    full[r][chunk * c + first * wide + i] = row[2 * wide * c + i]
                    full[r][chunk * c + second * wide + i] = row[2 * wide * c + wide + i]
        return (
            full,
            registers(elements, lambda r, c: encode(types[0], a[r][c]), self.threads, bits),
            registers(layouts["metadata"], lambda r, c: indices[r][c], self.threads, 32),
        )

    def mma(self, shape, types, sparse=False, selector=0):
        self.threads = 32
        m, n, k = shape
        d, a_type, b_type = types
        spelling = f"m{m}n{n}k{k}"
        kinds = ".".join([d, a_type, b_type, d])
        name = "_".join(
            ["mma_sp" if sparse else "mma", spelling, d, a_type, b_type] + ([str(selector)] if sparse else [])
        )
        layouts = self.tool.layouts(f"mma{'.sp' if sparse else ''}.{spelling}.{kinds}", "--selector", str(selector))
        width = 64 if a_type == "f64" else 32
        a = matrix(m, k // 2 if sparse else k, a_type)
        b = matrix(k, n, b_type)
        full, a_words, e_words = self.multiplicands(layouts, a, b, (a_type, b_type), sparse, k)
        b_words = registers(layouts["B"], lambda r, c: encode(b_type, b[r][c]), 32, BITS[b_type])
        result = product(full, b)
        expected = registers(layouts["D"], lambda r, c: encode(d, result[r][c]), 32, BITS[d])
        counts = [len(words[0]) for words in (a_words, b_words, expected)]
        d_width = 64 if d == "f64" else 32
        body = [
            "ld.param.u64 %in, [p0];",
            *load("a", counts[0], width, "%in"),
            "ld.param.u64 %in, [p1];",
            *load("b", counts[1], width, "%in"),
        ]
        buffers = [pack(a_words, width), pack(b_words, width)]
        d_type = {"f64": "f64", "f32": "f32"}.get(d, "b32")
        body += [
            f".reg .{d_type} %c<{counts[2]}>;",
            *(f"mov.{d_type} %c{i}, {'0' if d_type == 'b32' else '0.0'};" for i in range(counts[2])),
        ]
        if d_type != "b32":
            body = [
                line.replace(".reg .b64 %a", ".reg .f64 %a")
                .replace(".reg .b64 %b", ".reg .f64 %b")
                .replace("ld.global.b64", "ld.global.f64")
                for line in body
            ]
        sp = ".sp::ordered_metadata" if sparse else ""
        operation = ".and.popc" if a_type == "b1" else ""
        tail = ""
        if sparse:
            buffers.append(pack(e_words, 32))
            body += ["ld.param.u64 %in, [p2];", *load("e", 1, 32, "%in")]
            tail = f", %e0, {selector}"
        order = f"{d}.{a_type}.{b_type}.{d}"
        body.append(
            f"mma{sp}.sync.aligned.{spelling}.row.col.{order}{operation} "
            f"{names('c', counts[2])}, {names('a', counts[0])}, "
            f"{names('b', counts[1])}, {names('c', counts[2])}{tail};"
        )
        body += [
            f"ld.param.u64 %out, [p{len(buffers)}];",
            f"mad.wide.u32 %address, %thread, {counts[2] * d_width // 8}, %out;",
        ]
        body += [f"st.global.{d_type} [%address+{i * d_width // 8}], %c{i};" for i in range(counts[2])]
        self.write(name, [*body, "ret;"], 32, buffers, pack(expected, d_width))

    def wgmma(self, n, k, types, major, swizzle, sparse=False, selector=0):
        self.threads = 128
        d, a_type, b_type = types
        bits = BITS[b_type]
        name = f"wgmma_{'sp_' if sparse else ''}n{n}k{k}_{d}_{a_type}_{b_type}_{major}_{swizzle}"
        spelling = f"m64n{n}k{k}.{d}.{a_type}.{b_type}"
        layouts = self.tool.layouts(f"wgmma.mma_async.{'sp.' if sparse else ''}{spelling}", "--selector", str(selector))
        # The atom may be wider than K. The elements beyond K are not read.
        row = {"none": 16, "32B": 32, "64B": 64, "128B": 128}[swizzle] * 8 // bits
        deep = k if major == "mn" else max(k, row) if swizzle != "none" else k
        settings = [
            "--type",
            {16: "f16", 8: "s8", 32: "tf32"}[bits],
            "--major",
            major,
            "--swizzle",
            swizzle,
            "--mn",
            str(n),
        ]
        tile = self.tool.layouts("smem", *settings, "--k", str(deep))
        tile = next(iter(tile.values()))
        out = subprocess.run(
            [self.tool.path, "layout", "smem", *settings, "--k", str(deep), "--format=json"],
            capture_output=True,
            text=True,
            check=True,
        )
        strides = {}
        for note in json.loads(out.stdout)["notes"]:
            words = note.split()
            strides[words[0]] = int(words[2]) if words[1] == "=" else 16
        b = matrix(k, n, b_type)
        size = (max(e["bit_address"] for e in tile) + bits + 7) // 8
        image = bytearray((size + 2047) // 2048 * 2048)
        for e in tile:
            if e["k"] < k:
                at = e["bit_address"] // 8
                image[at : at + bits // 8] = encode(b_type, b[e["k"]][e["mn"]]).to_bytes(bits // 8, "little")
        a = matrix(64, k // 2 if sparse else k, a_type)
        full, a_words, e_words = self.multiplicands(layouts, a, b, (a_type, b_type), sparse, k)
        result = product(full, b)
        expected = registers(layouts["D"], lambda r, c: encode(d, result[r][c]), 128, BITS[d])
        descriptor = self.tool.descriptor(
            "--swizzle", swizzle, "--lbo", str(strides["LBO"]), "--sbo", str(strides["SBO"])
        )
        count, d_count = len(a_words[0]), len(expected[0])
        d_type = "f32" if d == "f32" else "b32"
        buffers = [pack(a_words, 32), bytes(image)]
        body = [
            f".shared .align 1024 .b8 tile[{len(image)}];",
            ".reg .u32 %i, %shared;",
            ".reg .b32 %word;",
            ".reg .pred %p;",
            "ld.param.u64 %in, [p0];",
            *load("a", count, 32, "%in"),
            f".reg .{d_type} %c<{d_count}>;",
            *(f"mov.{d_type} %c{i}, {'0.0' if d_type == 'f32' else '0'};" for i in range(d_count)),
            "ld.param.u64 %in, [p1];",
            "mov.u32 %shared, tile;",
            "mul.lo.u32 %i, %thread, 4;",
            "copy:",
            "cvt.u64.u32 %address, %i;",
            "add.u64 %address, %address, %in;",
            "ld.global.b32 %word, [%address];",
            ".reg .u32 %at;",
            "add.u32 %at, %shared, %i;",
            "st.shared.b32 [%at], %word;",
            "add.u32 %i, %i, 512;",
            f"setp.lt.u32 %p, %i, {len(image)};",
            "@%p bra copy;",
            "fence.proxy.async.shared::cta;",
            "bar.sync 0;",
            "cvt.u64.u32 %start, %shared;",
            "and.b64 %start, %start, 0x3FFFF;",
            "shr.u64 %start, %start, 4;",
            f"or.b64 %desc, %start, {descriptor:#x};",
        ]
        tail = ""
        if sparse:
            buffers.append(pack(e_words, 32))
            body += ["ld.param.u64 %in, [p2];", *load("e", 1, 32, "%in")]
            tail = f", %e0, {selector}"
        scales = ", p, 1, 1" if d != "s32" else ", p"
        transposed = f", {int(major == 'mn')}" if bits == 16 else ""
        body += [
            "wgmma.fence.sync.aligned;",
            "{",
            ".reg .pred p;",
            "setp.ne.u32 p, 0, 0;",
            f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.{spelling} "
            f"{names('c', d_count)}, {names('a', count)}, "
            f"%desc{tail}{scales}{transposed};",
            "}",
            "wgmma.commit_group.sync.aligned;",
            "wgmma.wait_group.sync.aligned 0;",
            f"ld.param.u64 %out, [p{len(buffers)}];",
            f"mad.wide.u32 %address, %thread, {d_count * 4}, %out;",
        ]
        body += [f"st.global.{d_type} [%address+{4 * i}], %c{i};" for i in range(d_count)]
        self.write(name, [*body, "ret;"], 128, buffers, pack(expected, 32))


def main():
    tool, runner, folder = Tool(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    cases = Cases(tool, folder)
    for shape, *kinds in [
        ((16, 8, 8), "f32 f16 f16", "f16 f16 f16", "f32 bf16 bf16", "f32 tf32 tf32"),
        ((16, 8, 4), "f32 tf32 tf32"),
        ((16, 8, 16), "f32 f16 f16", "f16 f16 f16", "f32 bf16 bf16", "s32 s8 s8", "s32 u8 s8"),
        ((8, 8, 16), "s32 s8 u8"),
        ((16, 8, 32), "s32 s8 s8", "s32 u4 s4", "f32 e4m3 e5m2", "f32 e4m3 e4m3"),
        ((8, 8, 32), "s32 s4 s4"),
        ((16, 8, 64), "s32 s4 u4"),
        ((8, 8, 128), "s32 b1 b1"),
        ((16, 8, 128), "s32 b1 b1"),
        ((16, 8, 256), "s32 b1 b1"),
        ((8, 8, 4), "f64 f64 f64"),
        ((16, 8, 4), "f64 f64 f64"),
        ((16, 8, 8), "f64 f64 f64"),
        ((16, 8, 16), "f64 f64 f64"),
    ]:
        for kind in kinds:
            cases.mma(shape, kind.split())
    for shape, kind, selectors in [
        ((16, 8, 16), "f32 f16 f16", 4),
        ((16, 8, 32), "f32 bf16 bf16", 2),
        ((16, 8, 8), "f32 tf32 tf32", 4),
        ((16, 8, 16), "f32 tf32 tf32", 2),
        ((16, 8, 32), "s32 s8 s8", 2),
        ((16, 8, 64), "s32 u8 s8", 1),
        ((16, 8, 64), "f32 e4m3 e5m2", 1),
        ((16, 8, 64), "s32 s4 s4", 2),
        ((16, 8, 128), "s32 u4 s4", 1),
    ]:
        for selector in range(selectors):
            cases.mma(shape, kind.split(), True, selector)
    for swizzle in ["none", "32B", "64B", "128B"]:
        cases.wgmma(64, 16, ("f32", "f16", "f16"), "k", swizzle)
        cases.wgmma(64, 16, ("f16", "f16", "f16"), "mn", swizzle)
        cases.wgmma(128, 16, ("f32", "bf16", "bf16"), "mn", swizzle)
        cases.wgmma(32, 8, ("f32", "tf32", "tf32"), "k", swizzle)
        cases.wgmma(48, 32, ("s32", "s8", "u8"), "k", swizzle)
        cases.wgmma(24, 32, ("f32", "e4m3", "e5m2"), "k", swizzle)
    cases.wgmma(64, 32, ("f32", "f16", "f16"), "k", "64B", True)
    cases.wgmma(64, 16, ("f32", "tf32", "tf32"), "k", "128B", True)
    cases.wgmma(64, 64, ("s32", "s8", "s8"), "k", "64B", True)
    shutil.copy(runner, folder / "ptxray-run")
    (folder / "run.sh").write_text(
        """#!/bin/sh
# run NAME THREADS OUTPUT ARGUMENT...: one kernel; its last argument must come out as expected
cd "$(dirname "$0")"
good=0 bad=0
run() {
  name=$1 threads=$2 output=$3
  shift 3
  if ./ptxray-run $name.ptx --jit --kernel $name --block $threads \\
    --expect $output=file:$name.expected.bin --type u32 "$@" >log 2>&1
  then good=$((good+1)); else bad=$((bad+1)); echo "$name: $(tail -n 2 log | tr '\\n' ' ')"; fi
}
"""
        + "\n".join(cases.lines)
        + '\necho "$good right, $bad wrong"\nrm -f log\n[ $bad = 0 ]\n'
    )
    print(f"{len(cases.lines)} kernels in {folder}")


if __name__ == "__main__":
    main()
