#!/usr/bin/env python3
"""Compares fetches from textures with the results of an H100, bit for bit: textures.py PTXRAY [INSTRUCTION...]

Each line of textures.jsonl.xz is a texture or a surface, an instruction, and lanes of an H100 (driver 580): eight
registers %c0 to %c7 of each before it, and %o0 to %o3 after it, or the resulting surface. With INSTRUCTION, only the
lines with that text run."""

import base64
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry fetch(.param .u64 left, .param .u64 given, .param .u64 image) {{
  .reg .b32 %o<4>, %c<8>, %t;
  .reg .b64 %h, %d<4>, %w0;
  .reg .b16 %s<2>;
  mov.u32 %t, %tid.x;
  ld.param.u64 %d1, [left];
  ld.param.u64 %d2, [given];
  ld.param.u64 %h, [image];
  mad.wide.u32 %d1, %t, 16, %d1;
  mad.wide.u32 %d2, %t, 32, %d2;
  ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%d2];
  ld.global.v4.b32 {{%c4, %c5, %c6, %c7}}, [%d2+16];
  mov.b32 %o0, 0;
  mov.b32 %o1, 0;
  mov.b32 %o2, 0;
  mov.b32 %o3, 0;
  {instruction}
  st.global.v4.b32 [%d1], {{%o0, %o1, %o2, %o3}};
  ret;
}}
"""


def words(data):
    return [data[i : i + 4][::-1].hex() for i in range(0, len(data), 4)]


def fetched(ptxray, case, folder):
    """Returns the results of the emulated lanes, or a text if they do not run."""
    given, texels = (base64.b64decode(case[key]) for key in ("given", "texels"))
    lanes = len(given) // 32
    image = f"tex={case['texture']}" if "texture" in case else f"surf={case['surface']}"
    (folder / "kernel.ptx").write_text(KERNEL.format(instruction=case["instruction"]))
    (folder / "given").write_bytes(given)
    (folder / "texels").write_bytes(texels)
    command = [ptxray, "run", "--emulate", "--no-config", folder / "kernel.ptx", f"--block={lanes}"]
    command += [f"--out={0 if 'left' in case else 'texels'}=file:{folder / 'left'}"]
    command += [f"--buffer=texels=file:{folder / 'texels'}"]
    command += [f"zeros:{16 * lanes}", f"file:{folder / 'given'}", f"{image}:&texels"]
    done = subprocess.run(command, capture_output=True, text=True)
    return (folder / "left").read_bytes() if done.returncode == 0 else done.stdout + done.stderr


def main():
    ptxray, *only = sys.argv[1:]
    lines = lzma.decompress((FOLDER / "textures.jsonl.xz").read_bytes()).decode().splitlines()
    lanes = wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for line in lines:
            case = json.loads(line)
            if only and not any(word in case["instruction"] for word in only):
                continue
            expected = base64.b64decode(case.get("left") or case["texels left"])
            found = fetched(ptxray, case, pathlib.Path(name))
            given = base64.b64decode(case["given"])
            lanes += len(given) // 32
            if found == expected:
                continue
            wrong += 1
            print(f"{case['instruction']} of {case.get('texture') or case['surface']}")
            if isinstance(found, str) or "left" not in case:
                print(found if isinstance(found, str) else f"  {words(found)}\n  {words(expected)}")
                continue
            for lane in range(len(expected) // 16):
                place = slice(16 * lane, 16 * lane + 16)
                if found[place] != expected[place]:
                    print(f"  {words(given[32 * lane : 32 * lane + 32])} gives {words(found[place])},", end=" ")
                    print(f"an H100 {words(expected[place])}")
    assert lanes, "no line has been compared"
    print(f"{lanes} accesses of {len(lines)} kinds, {wrong} kinds differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
