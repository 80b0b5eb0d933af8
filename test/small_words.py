#!/usr/bin/env python3
"""Compiles the sources of the playground with 32-bit types, without generating code: small_words.py BUILD-FOLDER

wasm32 has the types of Linux's x32, where `size_t` and `long` have 32 bits, so that this finds narrowing conversions
without the WebAssembly toolchain. The folder's clang++ compiles each file, or each unity file."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SKIPPED = 77
TARGETS = re.compile(r" (lib/CMakeFiles/ptxray_(?!shared|antlr)|tools/(ptxray|launcher|command-line)/CMake)\S+\.o ")
SYSTEM = ["/usr/include/c++", "/usr/include/x86_64-linux-gnu/c++"]


def command(entry, stubs):
    words = shlex.split(entry["command"])
    words = words[: words.index("-o")]
    if "ccache" in words[0]:
        words = words[1:]
    library = [folder for root in SYSTEM for folder in sorted(pathlib.Path(root).glob("*"))[-1:]]
    system = [stubs, *library, "/usr/include/x86_64-linux-gnu"]
    added = [word for folder in system for word in ("-isystem", str(folder))]
    return [*words, "-mx32", "-D__wasm__", "-fsyntax-only", "-Wno-error", "-w", *added, entry["file"]]


def main(build):
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
    entries = [entry for entry in entries if TARGETS.search(entry["command"])]
    if not entries or "clang" not in entries[0]["command"].split()[0] + entries[0]["command"].split()[1]:
        print("skipped: the folder is not built by clang")
        return SKIPPED
    with tempfile.TemporaryDirectory() as stubs:
        pathlib.Path(stubs, "gnu").mkdir()
        pathlib.Path(stubs, "gnu/stubs-x32.h").touch()  # what glibc lacks there; only multilib has the file

        def compiled(entry):
            run = subprocess.run(command(entry, stubs), cwd=entry["directory"], capture_output=True, text=True)
            return "" if run.returncode == 0 else f"{entry['file']}\n{run.stderr}"

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [text for text in pool.map(compiled, entries) if text]
    print("\n".join(wrong))
    print(f"{len(entries)} files, {len(wrong)} with errors")
    return 1 if wrong or len(entries) < 30 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
