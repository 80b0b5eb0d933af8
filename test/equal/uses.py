"""Groups of kernels and recorded launches for `ptxray equal`.

uses.py PTXRAY"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from pairs import text

SUM = "fma.rn.f32 %f9, %f1, %f2, %f3;"
GROUP = {
    "fused": SUM,
    "swapped": "fma.rn.f32 %f9, %f2, %f1, %f3;",
    "parted": "mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f9, %f4, %f3;",
    "other": "fma.rn.f32 %f9, %f1, %f3, %f2;",
    "branching": "setp.lt.f32 %p1, %f1, %f2; mov.f32 %f9, %f3; @%p1 bra L; add.f32 %f9, %f9, %f1; L:",
}


def run(program, *words):
    got = subprocess.run([program, "equal", *map(str, words)], capture_output=True, text=True)
    return got.returncode, got.stdout, got.stderr


def pages(data):
    """Returns memory as recordings hold it: a bitmap of all pages, then the pages."""
    count = (len(data) + 4095) // 4096
    return bytes((1 << min(8, count - 8 * i)) - 1 for i in range((count + 7) // 8)) + data


def recording(ptx, buffers):
    """Returns a recording of a launch of 32 threads whose parameters are the addresses of buffers."""
    addresses = [0x7F0000000000 + 0x100000 * i for i in range(len(buffers))]
    lines = ["ptxray recording 1", "kernel k", "target sm_90", "device NVIDIA H100 80GB HBM3", "grid 1 1 1"]
    lines += ["block 32 1 1", "cluster 0 0 0", "shared 0", "cooperative 0"]
    lines += ["parameter " + struct.pack("<Q", one).hex() for one in addresses]
    lines += [f"memory {one:#x} {len(data)}" for one, data in zip(addresses, buffers)]
    whole = "\n".join([*lines, f"ptx {len(ptx)}", ""]).encode() + ptx.encode() + b"".join(map(pages, buffers))
    check = 0xCBF29CE484222325
    for byte in whole:
        check = (check ^ byte) * 0x100000001B3 % 2**64
    return whole + struct.pack("<Q", check)


def group(program, folder):
    files = []
    for name, body in GROUP.items():
        files.append(folder / f"{name}.ptx")
        files[-1].write_text(text("f32", body))
    arguments = ["--group", *files, "--block", "32", "random:f32:96:1", "random:f32:32:2"]
    status, out, _ = run(program, *arguments, "--format=json")
    answer = json.loads(out)
    classes = [[[pathlib.Path(one).stem for one in bits] for bits in found["bits"]] for found in answer["classes"]]
    assert classes == [[["fused", "swapped"], ["parted"]], [["other"]]], out
    assert answer["classes"][1]["fromFirst"]["verdict"] == "different", out
    assert [pathlib.Path(one["file"]).stem for one in answer["unknown"]] == ["branching"], out
    assert status == 6, status
    out = run(program, *arguments)[1]
    assert "class 2: different from class 1, buffer 1, element 0" in out and "not decided" in out, out
    alike = [*arguments[:3], *arguments[-4:]]
    assert run(program, *alike)[:2] == (0, f"class 1\n  the same bits: {files[0]} {files[1]}\n"), run(program, *alike)


def recorded(program, folder):
    floats = struct.pack("<96f", *((i * 37 % 19 - 9) / 4 for i in range(96)))
    paths = {}
    for name, body in GROUP.items():
        paths[name] = folder / f"{name}.launch"
        paths[name].write_bytes(recording(text("f32", body), [floats, bytes(128)]))
    for name, expected in {"fused": 0, "swapped": 0, "parted": 8, "other": 6, "branching": 6}.items():
        got = run(program, paths["fused"], paths[name])
        assert got[0] == expected, (name, got)
        got = run(program, paths["fused"], "--ptx", folder / f"{name}.ptx")
        assert got[0] == expected, (name, got)
    # Contents decide a branch: the texts are the same apart from names.
    renamed = folder / "renamed.ptx"
    renamed.write_text(text("f32", GROUP["branching"].replace("%f9", "%f20")).replace("], %f9;", "], %f20;"))
    assert run(program, paths["branching"], "--ptx", renamed)[0] == 0, run(
        program, paths["branching"], "--ptx", renamed
    )


def solver(program, folder):
    """A solver decides integers that no law makes the same; this one says what it is told to say."""
    bodies = {"mean": "add.u32 %r5, %r2, %r3; and.b32 %r5, %r5, 1; add.u32 %r9, %r5, %r5;"}
    bodies["bit"] = "xor.b32 %r5, %r2, %r3; and.b32 %r5, %r5, 1; shl.b32 %r9, %r5, 1;"
    files = [folder / f"{name}.ptx" for name in bodies]
    for path, body in zip(files, bodies.values()):
        path.write_text(text("u32", body))
    arguments = [*files, "--block", "32", "random:u32:96:1", "random:u32:32:2"]
    for said, expected in (("unsat", 0), ("sat", 7), ("unknown", 7)):
        fake = folder / f"says-{said}"
        fake.write_text(f'#!/bin/sh\ncat "$1" > {folder}/question\necho {said}\n')
        fake.chmod(0o755)
        assert run(program, *arguments, "--solver", fake)[0] == expected, said
    assert "QF_BV" in (folder / "question").read_text()
    assert run(program, *arguments, "--no-solver")[0] == 7
    files[1].write_text(text("u32", bodies["bit"].replace("and.b32 %r5, %r5, 1", "and.b32 %r5, %r5, 3")))
    assert run(program, *arguments, "--solver", folder / "says-unsat")[0] == 6  # contents come first


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        group(sys.argv[1], pathlib.Path(name))
        recorded(sys.argv[1], pathlib.Path(name))
        solver(sys.argv[1], pathlib.Path(name))
