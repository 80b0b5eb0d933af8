#!/usr/bin/env python3
"""Tests copies of image pixels and of packed elements to shared memory: image_kinds.py PTXRAY

The tensors are the manual's examples, and similar ones. This script computes the position of a pixel step by step.
tensors.txt contains the results of an H100 for copies by `im2col`, which device.py compares."""

import pathlib
import random
import subprocess
import sys
import tempfile

KERNEL = """
.version 8.7
.target sm_100a
.address_size 64
.visible .entry kernel(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 bytes, .param .align 4 .b32 at[8])
{
  .reg .pred %p<3>;
  .reg .b16 %o<3>;
  .reg .b32 %r<16>, %c<5>;
  .reg .b64 %rd<6>;
  .shared .align 1024 .b8 tile[16384];
  .shared .align 8 .b64 object;
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r3, %r1, 128;
  mov.u32 %r4, tile;
  add.u32 %r4, %r4, %r3;
  setp.ne.u32 %p1, %r1, 0;
ZEROS
  fence.proxy.async;
  bar.sync 0;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  ld.param.u32 %r2, [bytes];
COORDINATES
  @%p1 bra wait;
OPERATION
wait:
  bar.sync 0;
LOOP
  ld.param.u64 %rd2, [out];
  cvt.u64.u32 %rd3, %r3;
  add.u64 %rd2, %rd2, %rd3;
DUMP
  ret;
}
"""
LOAD = """
  mbarrier.init.shared.b64 [object], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 _, [object], %r2;
  cp.async.bulk.tensor.{rank}d.shared::cta.global.{mode}.mbarrier::complete_tx::bytes
      [tile], [%rd1, {{{at}}}], [object]{info};
"""
LOOP = "again:\n  mbarrier.try_wait.parity.shared.b64 %p2, [object], 0;\n  @!%p2 bra again;"


def kernel(rank, mode, info):
    rows = range(8)
    zeros = "\n".join(f"  st.shared.v4.u32 [%r4+{16 * i}], {{0, 0, 0, 0}};" for i in rows)
    dump = "\n".join(
        f"  ld.shared.v4.u32 {{%r8, %r9, %r10, %r11}}, [%r4+{16 * i}];\n"
        f"  st.global.v4.u32 [%rd2+{16 * i}], {{%r8, %r9, %r10, %r11}};"
        for i in rows
    )
    coordinates = "\n".join(
        [f"  ld.param.u32 %c{i}, [at+{4 * i}];" for i in range(rank)]
        + [f"  ld.param.u16 %o{i}, [at+{20 + 4 * i}];" for i in range(info)]
    )
    words = ", {" + ", ".join(f"%o{i}" for i in range(info)) + "}" if info else ""
    operation = LOAD.format(rank=rank, mode=mode, at=", ".join(f"%c{i}" for i in range(rank)), info=words)
    text = KERNEL.replace("ZEROS", zeros).replace("DUMP", dump).replace("COORDINATES", coordinates)
    return text.replace("OPERATION", operation).replace("LOOP", LOOP)


def launched(ptxray, text, map_text, tensor, size, numbers):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernel.ptx").write_text(text)
        (folder / "tensor").write_bytes(tensor)
        at = b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)
        words = ["--block=128", f"--buffer=tensor=file:{folder}/tensor", f"--out=1=file:{folder}/out"]
        words += [f"{map_text}:&tensor", "zeros:16384", str(size), f"hex={at.hex()}"]
        command = [ptxray, "run", "--emulate", "--no-config", folder / "kernel.ptx", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return (folder / "out").read_bytes() if done.returncode == 0 else done.stdout + done.stderr


class Images:
    """Represents pixels of 16-bit numbers, each of which is its own index."""

    def __init__(self, channels, *sizes):
        self.sizes, self.channels = sizes, channels  # width, height, ... and the number of channels
        self.count = channels
        for size in sizes:
            self.count *= size
        self.bytes = b"".join((i & 0xFFFF).to_bytes(2, "little") for i in range(self.count))

    def pixel(self, at, channels):
        """Returns the first channels of a pixel, or zeros if it is out of bounds."""
        if not all(0 <= a < size for a, size in zip(at, self.sizes)):
            return bytes(2 * channels)
        number = 0
        for a, size in zip(reversed(at), reversed(self.sizes)):
            number = number * size + a
        return self.bytes[2 * number * self.channels :][: 2 * channels]


def pixels(images, start, lower, upper, steps, count):
    """Returns the coordinates of consecutive pixels. Dimensions without corners do not change."""
    at = list(start)
    for _ in range(count):
        yield tuple(at)
        for i, (low, high) in enumerate(zip(lower, upper)):
            at[i] += steps[i]
            if at[i] <= images.sizes[i] - 1 + high:
                break
            at[i] = low
        else:
            at[-1] += 1


def moved(places, offsets):
    return [tuple(a + o for a, o in zip(place, offsets + (0,) * len(place))) for place in places]


def image_cases():
    """Returns the manual's examples, with the figure in a comment."""
    flat, deep = Images(64, 9, 14, 16), Images(8, 5, 4, 3, 2)
    common = "tma=u16:64x9x14x16:im2col:channels=8:pixels=64"
    for corners, lower, upper, offsets in (
        ("lower=-1x-1:upper=-1x-1", (-1, -1), (-1, -1), (0, 0)),  # figure 13
        ("lower=0x0:upper=-2x-2", (0, 0), (-2, -2), (2, 2)),  # figure 14
    ):
        found = pixels(flat, (4, 7, 7), lower, upper, (1, 1), 64)
        yield flat, 4, "im2col", f"{common}:{corners}", [0, 4, 7, 7], offsets, moved(found, offsets), 8
    strided = Images(64, 8, 14, 16)  # figure 15
    found = moved(pixels(strided, (5, 7, 7), (-1, -1), (-1, -1), (2, 2), 32), (1, 1))
    text = "tma=u16:64x8x14x16:im2col:channels=16:pixels=32:lower=-1x-1:upper=-1x-1:steps=1x2x2x1"
    yield strided, 4, "im2col", text, [0, 5, 7, 7], (1, 1), found, 16
    text = "tma=u16:8x5x4x3x2:im2col:pixels=40:lower=-1x0x0:upper=0x-1x0"
    found = moved(pixels(deep, (1, 2, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 1, 1), 40), (0, 1, 0))
    yield deep, 5, "im2col", text, [0, 1, 2, 1, 0], (0, 1, 0), found, 8
    wide = Images(16, 9, 7, 24)  # figure 18: two pixels after the last
    found = list(pixels(wide, (3, 2, 7), (0,), (0,), (1,), 128))
    found += [(found[-1][0] + i, *found[-1][1:]) for i in (1, 2)]
    yield wide, 4, "im2col::w", "tma=u16:16x9x7x24:im2col=w:pixels=128", [0, 3, 2, 7], (2, 0), found, 16
    row = Images(16, 150, 2, 1)  # like figure 19, with rows so long that no group ends a row
    found = []
    for first in range(3, 131, 32):
        found += [(first + i, 1, 0) for i in range(34)]
    text = "tma=u16:16x150x2x1:im2col=w128:pixels=1"
    yield row, 4, "im2col::w::128", text, [0, 3, 1, 0], (2, 0), found, 16
    halves = Images(16, 67, 4, 12)  # figures 20 and 21: every second pixel, and the pixels between them
    text = "tma=u16:16x67x4x12:im2col=w:pixels=64:lower=-1:upper=0:steps=1x2x1x1"
    for halo, offset in ((1, 0), (0, 1)):
        found = list(pixels(halves, (-1, 2, 7), (-1,), (0,), (2,), 64))
        found += [(found[-1][0] + 2, *found[-1][1:])] * halo
        yield halves, 4, "im2col::w", text, [0, -1, 2, 7], (halo, offset), moved(found, (offset,)), 16


def check_images(ptxray):
    problems = 0
    for images, rank, mode, text, at, info, found, channels in image_cases():
        expected = b"".join(images.pixel(place, channels) for place in found)
        numbers = [*(at + [0] * 5)[:5], *info, 0, 0][:8]
        got = launched(ptxray, kernel(rank, mode, len(info)), text, images.bytes, len(expected), numbers)
        if isinstance(got, str) or got[: len(expected)] != expected or any(got[len(expected) :]):
            print(f"{mode} {text}: {got if isinstance(got, str) else 'shared memory differs'}")
            problems += 1
    return problems


def check_refusal(ptxray):
    """Tests a refusal: the manual does not define which pixel follows the last one between the corners."""
    wide = Images(16, 9, 7, 24)
    text = "tma=u16:16x9x7x24:im2col=w:pixels=6"
    got = launched(ptxray, kernel(4, "im2col::w", 2), text, wide.bytes, 7 * 32, [0, 3, 2, 7, 0, 1, 0, 0])
    if isinstance(got, str) and "a halo that reaches beyond the corners of the images" in got:
        return 0
    print(f"a halo beyond the corners: {got}")
    return 1


def check_packed(ptxray):
    """Tests packed elements: sixteen elements occupy 16 bytes, with a gap that holds no number. Without the gap they
    are copied unchanged."""
    rng, problems = random.Random(2), 0
    for kind, group, unpacked in (("e2m1", 8, True), ("e2m3", 12, True), ("e3m2", 12, True), ("e2m1", 8, False)):
        width, rows = 256, 3
        row = width // 16 * group
        data = rng.randbytes(row * rows)
        text = f"tma={kind}:{width}x{rows}:box=128x2" + (":unpacked" if unpacked and kind == "e2m1" else "")
        expected = bytearray()
        for number in (2, 3):
            for piece in range(8):
                at = number * row + row // 2 + piece * group
                inside = number < rows
                expected += data[at : at + group] if inside else bytes(group)
                if unpacked:
                    expected += (b"\xf7\x7f" * 4)[: 16 - group] if inside else bytes(16 - group)
        size = 16 * group * 1  # two rows of eight groups; gaps are not counted
        got = launched(ptxray, kernel(2, "tile", 0), text, data, size, [128, 2, 0, 0, 0, 0, 0, 0])
        if isinstance(got, str) or got[: len(expected)] != expected:
            print(f"{text}: {got if isinstance(got, str) else 'shared memory differs'}")
            problems += 1
    return problems


def main():
    problems = check_images(sys.argv[1]) + check_refusal(sys.argv[1]) + check_packed(sys.argv[1])
    print("all images and packed elements are right" if not problems else f"{problems} are wrong")
    sys.exit(problems != 0)


main()
