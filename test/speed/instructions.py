#!/usr/bin/env python3
"""Counts the instructions that `ptxray check` executes on fixed inputs, where a timing would be noise.

    instructions.py PTXRAY COMPILER [--record]

Valgrind counts them; instructions.json holds what they were, and with which compiler. A count that has grown by more
than 5 % fails: if the growth is meant, `--record` writes the new counts, and the commit says why."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instructions.json"
ALLOWED = 1.05
SKIPPED = 77


def count(ptxray, file):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", ptxray, "check", "--jobs=1", file],
        capture_output=True,
        text=True,
    )
    if result.returncode:
        sys.exit(f"{file.name}: ptxray refuses it\n{result.stdout}{result.stderr}")
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def main():
    ptxray, compiler = sys.argv[1:3]
    recorded = json.loads(RECORD.read_text())
    record = "--record" in sys.argv
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(SKIPPED)
    if recorded["compiler"] != compiler and not record:
        print(f"skipped: the counts hold for {recorded['compiler']}, this is {compiler}")
        sys.exit(SKIPPED)
    counts = {file.name: count(ptxray, file) for file in sorted(HERE.glob("*.ptx"))}
    if record:
        RECORD.write_text(json.dumps({"compiler": compiler, "instructions": counts}, indent=2) + "\n")
        return
    grown = False
    for name, now in counts.items():
        before = recorded["instructions"][name]
        print(f"{name:20} {before:12} before, {now:12} now, {100 * (now / before - 1):+.1f} %")
        grown |= now > ALLOWED * before
    sys.exit(grown)


main()
