#!/usr/bin/env python3
"""Writes two 64 x 64 matrices of f16 and their product as .npy files, with a formula that needs only Python.

product.py [FOLDER]"""

import math
import pathlib
import struct
import sys

SIZE = 64


def npy(path, letter, description, rows):
    header = f"{{'descr': '{description}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    data = b"".join(struct.pack(f"<{len(row)}{letter}", *row) for row in rows)
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data)


def half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    a = [[half(math.sin(1 + i * SIZE + k)) for k in range(SIZE)] for i in range(SIZE)]
    b = [[half(math.cos(2 + j + k * SIZE)) for k in range(SIZE)] for j in range(SIZE)]  # column by column
    c = [[math.fsum(x * y for x, y in zip(row, column)) for column in b] for row in a]
    npy(folder / "a.npy", "e", "<f2", a)
    npy(folder / "b.npy", "e", "<f2", b)
    npy(folder / "c.npy", "f", "<f4", c)


if __name__ == "__main__":
    main()
