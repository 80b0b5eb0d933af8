"""Makes small binaries like compilers and linkers, and damaged ones, without a compiler. binary_test.py contains the
expected results, and the fuzzer starts with these binaries (make.py FOLDER writes all)."""

import io
import pathlib
import struct
import sys
import zipfile
import zlib

PLAIN, LZ4, ZSTD = 0, 0x2000, 0x8000
LINUX, SCRAMBLED = 0x11, 0x10000


def ptx(target="sm_90", version="9.0", body="ret;", name="kernel"):
    return (
        f".version {version}\n.target {target}\n.address_size 64\n.visible .entry {name}()\n{{\n  {body}\n}}\n".encode()
    )


def lz4(data):
    """Packs data as an LZ4 block that only contains literals."""
    out = bytearray([0xF0 if len(data) >= 15 else len(data) << 4])
    rest = len(data) - 15
    while rest >= 0:
        out.append(min(rest, 255))
        rest -= 255
        if out[-1] < 255:
            break
    return bytes(out) + data


def zstd(data, size=None, window=None):
    """Packs data as a zstd frame of raw blocks. `size` is the size that the frame declares."""
    head = b"\x28\xb5\x2f\xfd"
    if window is None:
        head += b"\xe0" + struct.pack("<Q", len(data) if size is None else size)
    else:
        head += b"\x00" + bytes([(window - 10) << 3])
    blocks = b""
    step = 1 << 16
    for at in range(0, max(len(data), 1), step):
        piece = data[at : at + step]
        last = at + step >= len(data)
        blocks += struct.pack("<I", len(piece) << 3 | last)[:3] + piece
    return head + blocks


def number_of(target):
    return int(target[3:].rstrip("af")), {"a": 0x100000, "f": 0x200000}.get(target[-1], 0)


def header(kind, target, version, flags, packed, unpacked, options=None, source=b"", part=None):
    major, minor = map(int, version.split("."))
    number, letter = number_of(target)
    tail = b""
    source_at = options_at = 0
    if source:
        source_at = 64
        tail += source + b"\0"
        tail += bytes(-len(tail) % 8)
    if options is not None:
        options_at = 64 + len(tail)
        tail += struct.pack("<II", options_at + 8, len(options)) + options + b"\0"
        tail += bytes(-len(tail) % 8)
    size = 64 + len(tail)
    at, data = part if part else (size, packed + (-packed % 8))
    fixed = struct.pack(
        "<HHIQIIHHIIIQQQ",
        kind,
        0x0101,
        at,
        data,
        0 if part or not flags & (LZ4 | ZSTD) else packed,
        options_at,
        minor,
        major,
        number,
        source_at,
        len(source),
        (flags & ~(LZ4 | ZSTD) if part else flags) | letter | LINUX,
        0,
        unpacked if flags & (LZ4 | ZSTD) and not part else 0,
    )
    return fixed + tail


def entry(data, kind=1, target="sm_90", version="9.0", packing=PLAIN, options=b"", source=b"", unpacked=None, flags=0):
    packed = {PLAIN: bytes, LZ4: lz4, ZSTD: zstd}[packing](data)
    return (
        header(
            kind,
            target,
            version,
            packing | flags,
            len(packed),
            len(data) if unpacked is None else unpacked,
            options,
            source,
        )
        + packed
        + bytes(-len(packed) % 8)
    )


def concatenated(texts, packing=ZSTD, kind=1, count=None):
    """Packs entries of several targets as one text."""
    whole, table = b"", b""
    for data, target, version in texts:
        table += header(kind, target, version, packing, 0, 0, b"", part=(len(whole), len(data) + (-len(data) % 8)))
        whole += data + bytes(-len(data) % 8)
    packed = {LZ4: lz4, ZSTD: zstd}[packing](whole)
    size = 64 + 8 + len(table)
    fixed = struct.pack(
        "<HHIQIIHHIIIQQQ",
        0x100,
        0x0101,
        size,
        len(packed) + (-len(packed) % 8),
        len(packed),
        64,
        1,
        0,
        0,
        0,
        0,
        packing | LINUX,
        0,
        len(whole),
    )
    return (
        fixed
        + struct.pack("<II", len(texts) if count is None else count, 8 + len(table))
        + table
        + packed
        + bytes(-len(packed) % 8)
    )


def container(*entries, version=1, size=None):
    body = b"".join(entries)
    return b"\x50\xed\x55\xba" + struct.pack("<HHQ", version, 16, len(body) if size is None else size) + body


def elf(sections, type=3, machine=62, flags=0, bits=64, osabi=0):
    """Builds an ELF file. `sections` contains the name and bytes of each section."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _ in sections) + b".shstrtab\0"
    wide = bits == 64
    place = 64 if wide else 52
    body, table = b"", [bytes(64 if wide else 40)]
    form = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    for name, data in [*sections, (".shstrtab", names)]:
        body += bytes(-(place + len(body)) % 8)
        table.append(
            struct.pack(
                form,
                names.index(b"\0" + name.encode() + b"\0") + 1,
                3 if name == ".shstrtab" else 1,
                2,
                0,
                place + len(body),
                len(data),
                0,
                0,
                8,
                0,
            )
        )
        body += data
    body += bytes(-(place + len(body)) % 8)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1, osabi]) + bytes(8)
    head = ident + struct.pack(
        "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH",
        type,
        machine,
        1,
        0,
        0,
        place + len(body),
        flags,
        place,
        0,
        0,
        64 if wide else 40,
        len(table),
        len(table) - 1,
    )
    return head + body + b"".join(table)


def cubin(number=90, code=True, text=b"", accelerated=False):
    sections = [(".text.kernel", bytes(16))] if code else [(".nv.info", bytes(8))]
    if text:
        sections.append((".nv_debug_ptx_txt", text.replace(b"\n", b"\0")))
    return elf(sections, type=2, machine=190, flags=number << 8 | (8 if accelerated else 0), osabi=41)


def coff(sections, image=False):
    start = 0x80 + 4 if image else 0
    optional = 0xF0 if image else 0
    place = start + 20 + optional + 40 * len(sections)
    table, body = b"", b""
    for name, data in sections:
        table += struct.pack(
            "<8sIIIIIIHHI",
            name.encode()[:8],
            len(data) if image else 0,
            0,
            len(data),
            place + len(body),
            0,
            0,
            0,
            0,
            0x40000040,
        )
        body += data
    head = struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, optional, 0) + bytes(optional) + table
    dos = b"MZ" + bytes(58) + struct.pack("<I", 0x80) + bytes(64) + b"PE\0\0" if image else b""
    return dos + head + body


def archive(members):
    out = b"!<arch>\n"
    long_names = b"".join(name.encode() + b"/\n" for name, _ in members if len(name) > 15)
    if long_names:
        members = [("//", long_names), *members]
    for name, data in members:
        written = (
            name if name == "//" else name + "/" if len(name) <= 15 else "/" + str(long_names.index(name.encode()))
        )
        out += f"{written:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
    return out


def wheel(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data, method in members:
            file.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def offload(image, kind=5, arch="sm_90"):
    strings = b"arch\0" + arch.encode() + b"\0triple\0nvptx64-nvidia-cuda\0"
    at = 32 + 40 + 32
    pairs = struct.pack("<QQQQ", at, at + 5, at + 6 + len(arch), at + 13 + len(arch))
    start = at + len(strings) + (-(at + len(strings)) % 8)
    body = struct.pack("<HHIQQQQ", kind, 2, 0, 72, 2, start, len(image)) + pairs + strings
    body += bytes(start - 32 - len(body)) + image
    body += bytes(-len(body) % 8)
    return b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 1, 32 + len(body), 32, 40) + body


def sound():
    """Returns valid binaries: a dict from the name to the bytes and the contained texts, in order."""
    a, b, old = ptx(), ptx("sm_120a", "9.2"), ptx("sm_75", "8.4")
    both = container(entry(a, packing=ZSTD), entry(old, target="sm_75", version="8.4", packing=LZ4, source=b"dir/a.cu"))
    one = container(entry(b, target="sm_120a", version="9.2"))
    linked = container(entry(cubin(90), 2))
    relocatable = container(entry(cubin(90), 2), entry(a, packing=LZ4, options=b"--compile-only  "))
    return {
        "plain.fatbin": (container(entry(a), entry(old, target="sm_75", version="8.4")), [a, old]),
        "packed.fatbin": (both, [a, old]),
        "same.fatbin": (
            container(entry(a, packing=ZSTD)) + container(entry(a, packing=LZ4)) + container(entry(a)),
            [a, a, a],
        ),
        "row.fatbin": (both + bytes(24) + one, [a, old, b]),
        "empty.fatbin": (container(), []),
        "kinds.fatbin": (
            container(entry(b"?", 0x200), entry(cubin(75), 2, "sm_75", "1.8"), entry(b"BC", 8), entry(a)),
            [a],
        ),
        "relocatable.fatbin": (container(entry(a, 0x40)), [a]),
        "concatenated.fatbin": (container(concatenated([(a, "sm_90", "9.0"), (old, "sm_75", "8.4")])), [a, old]),
        "concatenated-lz4.fatbin": (container(concatenated([(a, "sm_90", "9.0"), (b, "sm_120a", "9.2")], LZ4)), [a, b]),
        "library.so": (elf([(".text", b"\x50\xed\x55\xba" * 4), (".nv_fatbin", both + one)]), [a, old, b]),
        "linked.so": (elf([(".nv_fatbin", linked), ("__nv_relfatbin", relocatable)]), [a]),
        "empty-link.so": (elf([(".nv_fatbin", one + container(entry(cubin(90, code=False), 2)))]), [b]),
        "object.o": (elf([("__nv_relfatbin", relocatable)], type=1), [a]),
        "small.o": (elf([(".nv_fatbin", one)], type=1, bits=32), [b]),
        "loose.so": (elf([(".nv_fatbin", one), (".data", b"before__" + both)]), [b, a, old]),
        "host.so": (elf([(".text", bytes(64))]), []),
        "program.dll": (coff([(".nv_fatbin", both), ("__nv_relfatbin", relocatable)], image=True), [a, old, a]),
        "object.obj": (coff([(".nv_fatbin", one)]), [b]),
        "static.a": (
            archive(
                [
                    ("a.o", elf([(".nv_fatbin", one)], 1)),
                    ("text.txt", b"odd"),
                    ("a_name_of_many_letters.o", elf([(".nv_fatbin", both)], 1)),
                ]
            ),
            [b, a, old],
        ),
        "offload.bin": (offload(a) + offload(b, arch="sm_120a") + offload(both, 4), [a, b, a, old]),
        "offload.o": (elf([(".llvm.offloading", offload(a))], type=1), [a]),
        "debug.cubin": (cubin(90, text=a), [a]),
        "package.whl": (
            wheel(
                [
                    ("pkg/a.so", elf([(".nv_fatbin", both)]), zipfile.ZIP_DEFLATED),
                    ("pkg/one.fatbin", one, zipfile.ZIP_STORED),
                    ("pkg/x.py", b"import os\n", zipfile.ZIP_DEFLATED),
                    ("pkg/lib.a", archive([("k.o", elf([(".nv_fatbin", one)], 1))]), zipfile.ZIP_DEFLATED),
                ]
            ),
            [a, old, b, b],
        ),
    }


def patched(data, at, form, value):
    size = struct.calcsize(form)
    return data[:at] + struct.pack(form, value) + data[at + size :]


def damaged():
    """Returns damaged binaries: a dict from the name to the bytes, the texts that can still be read, and a part of
    the expected message."""
    a, old = ptx(), ptx("sm_75", "8.4")
    good = container(entry(old, target="sm_75", version="8.4"))
    first = container(entry(a, packing=ZSTD))
    shared = elf([(".nv_fatbin", good)])
    table = struct.unpack_from("<Q", shared, 40)[0]
    one = archive([("a.o", shared)])
    bomb = container(entry(bytes(4 << 20), packing=ZSTD, unpacked=1 << 10))
    zip = wheel([("a.so", shared, zipfile.ZIP_DEFLATED)])
    lists = {
        "cut": (first[:-20], [], "byte 0: a container of"),
        "cut-header": (first[:12], [], "byte 0: the header of a container is cut off"),
        "version": (patched(first, 4, "<H", 2) + good, [old], "byte 0: a container of version 2"),
        "long": (patched(first, 8, "<Q", 1 << 40) + good, [old], "1099511627776 bytes, of which"),
        "wraps": (patched(first, 8, "<Q", (1 << 64) - 8) + good, [old], "of which"),
        "junk-between": (first + b"junk" + good, [a, old], "neither a container nor padding"),
        "entry-of-nothing": (container(bytes(64)) + good, [old], "byte 16: an entry with a header of 0 bytes"),
        "entry-long": (patched(first, 16 + 8, "<Q", 1 << 32) + good, [old], "byte 16: an entry of 4294967296 bytes"),
        "entry-wraps": (patched(first, 16 + 8, "<Q", (1 << 64) - 64) + good, [old], "byte 16: an entry of"),
        "entry-cut": (container(entry(a), b"\1\0\1\1") + good, [a, old], "the header of an entry is cut off"),
        "packed-long": (patched(first, 16 + 16, "<I", 1 << 30) + good, [old], "1073741824 packed bytes"),
        "unpacked-huge": (patched(first, 16 + 56, "<Q", 1 << 40) + good, [old], "1099511627776 bytes unpacked"),
        "unpacked-less": (patched(first, 16 + 56, "<Q", 9) + good, [old], "its frame has"),
        "bomb": (bomb + good, [old], "its frame has 4194304 bytes, 1024 expected"),
        "window": (
            container(entry(a, packing=ZSTD).replace(zstd(a), zstd(a, window=41).ljust(len(zstd(a)), b"\0"))) + good,
            [old],
            "a zstd window of 2^41 bytes",
        ),
        "no-zstd": (first.replace(b"\x28\xb5\x2f\xfd", b"\0\0\0\0") + good, [old], "no frame begins here"),
        "lz4-ratio": (container(entry(a, packing=LZ4, unpacked=1 << 30)) + good, [old], "more than LZ4 can pack"),
        "lz4-short": (container(entry(a, packing=LZ4, unpacked=len(a) - 1)) + good, [old], "damaged LZ4"),
        "two-packings": (
            container(entry(a, packing=ZSTD, flags=LZ4), entry(a, packing=LZ4, flags=ZSTD)) + good,
            [a, a, old],
            "marked as packed with LZ4 and with zstd",
        ),
        "scrambled": (container(entry(a, flags=SCRAMBLED)) + good, [old], "scrambled with a key"),
        "source": (
            patched(container(entry(a, source=b"a.cu")), 16 + 36, "<I", 1 << 31) + good,
            [old],
            "identifier is outside",
        ),
        "options": (patched(first, 16 + 20, "<I", 1 << 31) + good, [old], "options lie outside"),
        "zeros": (container(entry(bytes(4096), packing=ZSTD)) + good, [b"", old], "nothing but zeros"),
        "nul": (
            container(entry(a[:40] + b"\0" + a[40:])) + good,
            [a[:40] + b"\0" + a[40:], old],
            "byte 40 of it is 0x00",
        ),
        "parts-many": (
            container(concatenated([(a, "sm_90", "9.0")], count=(1 << 32) - 1)) + good,
            [a, old],
            "part 2 of 4294967295",
        ),
        "parts-overlap": (
            container(
                patched(concatenated([(a, "sm_90", "9.0"), (a, "sm_90", "9.0")]), 64 + 8 + 80 + 8, "<Q", 2 * len(a))
            )
            + good,
            [a, old],
            "a part of",
        ),
        "parts-nested": (
            container(patched(concatenated([(a, "sm_90", "9.0")]), 64 + 8, "<H", 0x100)) + good,
            [old],
            "within a concatenated one",
        ),
        "section.so": (
            patched(shared, table + 64 + 32, "<Q", 1 << 40),
            [old],
            "section .nv_fatbin lies outside of the file",
        ),
        "sections.so": (patched(shared, 60, "<H", 65000), [old], "65000 sections, of which 3 are there"),
        "table.so": (patched(shared, 40, "<Q", 1 << 50), [old], "the section table of an ELF file is outside"),
        "names.so": (patched(shared, 62, "<H", 77), [old], "without the names of its sections"),
        "elf.so": (b"\x7fELF\2\1\1", [], "the header of an ELF file is cut off"),
        "program.dll": (b"MZ" + bytes(58) + b"\xf0\xff\xff\xff", [], "Windows program"),
        "member.a": (one[: 8 + 48] + b"999999999 `\n" + one[8 + 60 :], [old], "999999999 bytes, of which"),
        "member-header.a": (one[: 8 + 48] + b"-5        `\n" + one[8 + 60 :], [], "member without a valid header"),
        "thin.a": (b"!<thin>\n", [], "thin archive"),
        "away.whl": (wheel([("../../tmp/a.so", shared, zipfile.ZIP_DEFLATED)]), [old], "leads out of the file"),
        "sum.whl": (zip.replace(struct.pack("<I", zlib.crc32(shared)), b"\1\2\3\4"), [old], "a.so is damaged"),
        "directory.whl": (zip[:-22], [], "a zip file without a directory"),
        "deep.whl": (
            wheel([("a", wheel([("b", wheel([("c", wheel([("d", shared, 0)]), 0)]), 0)]), 0)]),
            [],
            "more than three deep",
        ),
        "offload.bin": (
            patched(offload(a), 32 + 24, "<Q", 1 << 60) + offload(old, arch="sm_75"),
            [old],
            "image is outside",
        ),
    }
    return {(name if "." in name else name + ".fatbin"): case for name, case in lists.items()}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, case in sound().items():
        (folder / name).write_bytes(case[0])
    for name, case in damaged().items():
        (folder / ("damaged-" + name)).write_bytes(case[0])
