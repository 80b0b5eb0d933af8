#!/usr/bin/env python3
"""Tests the table of steps in docs/architecture.md. The function of each step must be called as often as the table
states: once for a file, a function, or a distinct instruction. Each command reads its file once.

    steps.py PTXRAY ROOT [--checker]

With --checker, the program has no commands that launch kernels. Valgrind counts the calls."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

PTX = """.version 8.6
.target sm_80
.visible .entry first() {
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 1;
  add.u32 %r3, %r2, 1;
  ret;
}
.visible .entry second() {
  ret;
}
"""
CUDA = '__global__ void k(int a) {\n  asm volatile("add.s32 %0, %0, 1;" : "+r"(a));\n}\n'

# A step is required this often for each of these texts, depending on its unit in the table.
DUE = {"file": 1, "function": 2, "instruction": 3}
# Other inputs and commands execute these steps. All other steps belong to a check of PTX.
ELSEWHERE = {"unpack": "library", "find assembly": "cuda", "lay out": "fmt", "assemble": None}


# These commands read a file.
READERS = {
    "check": ["--no-config"],
    "debug": ["--kernel=first"],
    "fmt": ["--no-config", "--check"],
    "graph": [],
    "hazards": [],
    "reduce": ["--keep-rule=not-ptx"],
    "run": ["--no-config", "--emulate", "--kernel=first"],
    "targets": [],
}
# A launch loads a module and lowers a kernel once, even for several schedules.
LAUNCHED = ["machine::LoadedModule::LoadedModule", "machine::lower"]


LAUNCHERS = ("debug", "run")


def rereaders(ptxray, file, folder, launches):
    """Returns the problems with how often commands read the file and lower its kernel."""
    for command, options in READERS.items():
        if command in LAUNCHERS and not launches:
            continue
        found = calls(ptxray, [command, *options, file], folder).get("Parser::stream", 0)
        if found != 1:
            yield f"{command}: `Parser::stream` is called {found} times, not once"
    if not launches:
        return
    found = calls(ptxray, ["run", "--no-config", "--emulate", "--kernel=first", "--schedules=3", file], folder)
    for function in ("Parser::stream", *LAUNCHED):
        if found.get(function, 0) != 1:
            yield f"run --schedules=3: `{function}` is called {found.get(function, 0)} times, not once"


def steps(document):
    """Returns the name, the function, and the unit for which it is called once."""
    table = document.split("## The steps", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    for line in lines[1:]:
        name, *_, last = [cell.strip() for cell in line.strip("|").split("|")]
        function, unit = re.fullmatch(r"`([\w:]+)`, an? (\w+)", last).groups()
        yield name, function, unit


def calls(ptxray, words, folder):
    """Returns how often each function is called, by its name without arguments and without its own overloads."""
    out = pathlib.Path(folder, "calls")
    subprocess.run(
        ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", ptxray, *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    names, counts, caller, callee = {}, {}, "", ""
    for line in out.read_text().splitlines():
        if match := re.match(r"c?fn=(\(\d+\))(?: (.*))?", line):
            if match[2]:
                names[match[1]] = re.sub(r"'\d+$", "", match[2]).removeprefix("ptxray::").split("(")[0]
            if line.startswith("c"):
                callee = names[match[1]]
            else:
                caller = names[match[1]]
        elif line.startswith("calls=") and caller != callee:
            counts[callee] = counts.get(callee, 0) + int(line.split("=")[1].split()[0])
    return counts


def main(ptxray, root, which=""):
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    root = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as folder:
        ptx, cuda = pathlib.Path(folder, "a.ptx"), pathlib.Path(folder, "a.cu")
        ptx.write_text(PTX)
        cuda.write_text(CUDA)
        check = ["check", "--no-config", "--jobs=1"]
        found = {
            "ptx": calls(ptxray, [*check, ptx], folder),
            "cuda": calls(ptxray, [*check, cuda], folder),
            "library": calls(ptxray, [*check, root / "docs/examples/library.so"], folder),
            "fmt": calls(ptxray, ["fmt", "--no-config", "--check", ptx], folder),
        }
        problems = list(rereaders(ptxray, ptx, folder, which != "--checker"))
    print("\n".join(problems))
    wrong = len(problems)
    for name, function, unit in steps((root / "docs/architecture.md").read_text()):
        where = ELSEWHERE.get(name, "ptx")
        if where and found[where].get(function, 0) != DUE[unit]:
            wrong += 1
            print(f"{name}: `{function}` is called {found[where].get(function, 0)} times, not {DUE[unit]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
