"""Lays out matrices of small integers in shared memory."""

import struct

# This table contains the bits of each type, and the code of a small integer.
TYPES = {
    "f16": (16, lambda n: struct.unpack("<H", struct.pack("<e", n))[0]),
    "bf16": (16, lambda n: struct.unpack("<I", struct.pack("<f", n))[0] >> 16),
    "tf32": (32, lambda n: struct.unpack("<I", struct.pack("<f", n))[0]),
    "b1": (1, lambda n: n),
    "s8": (8, lambda n: n & 255),
    "u8": (8, abs),
    "e4m3": (8, lambda n: (128 if n < 0 else 0) | [0, 0x38, 0x40, 0x44, 0x48][abs(n)]),
    "e5m2": (8, lambda n: (128 if n < 0 else 0) | [0, 0x3C, 0x40, 0x42, 0x44][abs(n)]),
    "e2m3": (6, lambda n: (32 if n < 0 else 0) | [0, 8, 16, 20, 24][abs(n)]),
    "e3m2": (6, lambda n: (32 if n < 0 else 0) | [0, 12, 16, 18, 20][abs(n)]),
    "e2m1": (4, lambda n: (8 if n < 0 else 0) | [0, 2, 4, 5, 6][abs(n)]),
}


def put(image, bit, width, code):
    for i in range(width):
        image[(bit + i) // 8] |= (code >> i & 1) << (bit + i) % 8


def lay(image, at, matrix, kind, code_of, width, swizzled, stride):
    """Lays out rows along K, in cores of 8 rows of 16 bytes side by side, or in rows of 128 bytes of which 32 are
    used."""
    run = 16 if "f8f6f4" in kind else 128 // width
    for r, row in enumerate(matrix):
        for k, n in enumerate(row):
            piece = k // run
            if swizzled:
                offset = (r // 8) * 1024 + r % 8 * 128 + (piece ^ r % 8) * 16
            else:
                offset = (r // 8) * stride + piece * 128 + r % 8 * 16
            put(image, 8 * (at + offset) + k % run * width, width, code_of(n))
