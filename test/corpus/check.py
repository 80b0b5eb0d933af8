#!/usr/bin/env python3
"""Checks that the output of real compilers is accepted. `ptxray check` must report nothing for any file of
tools/corpus.py, and the output of `ptxray dump` must print the same text again.

    test/corpus/check.py PTXRAY FOLDER

Skipped (77) when the folder is not there, unless PTXRAY_REQUIRE names `corpus` or `all`."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

FILES, MEGABYTES, PRODUCERS = 500, 30, 8


def dump(tool, path):
    return subprocess.run([tool, "dump", path], capture_output=True, check=True).stdout


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    producers = sorted(p for p in folder.glob("*") if p.name not in ("venv", "sources") and any(p.rglob("*.ptx")))
    files = sorted(f for producer in producers for f in producer.rglob("*.ptx"))
    size = sum(f.stat().st_size for f in files) / 1e6
    print(f"{len(files)} files, {size:.1f} MB, {len(producers)} producers: {', '.join(p.name for p in producers)}")
    if not files:
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        print(f"no corpus in {folder}: `tools/corpus.py` makes it")
        return 1 if {"corpus", "all"} & set(required) else 77
    failed = False
    if len(files) < FILES or size < MEGABYTES or len(producers) < PRODUCERS:
        print(f"too small: {FILES} files, {MEGABYTES} MB and {PRODUCERS} producers are wanted")
        failed = True
    run = subprocess.run([tool, "check", "--format=json", *files], capture_output=True, text=True)
    for report in json.loads(run.stdout)["files"]:
        for d in report["diagnostics"][:5]:
            print(f"{report['path']}:{d['range']['start']['line']}: {d['severity']}: {d['message']} [{d['rule']}]")
            failed = True
    with tempfile.TemporaryDirectory() as place:
        printed = pathlib.Path(place) / "printed.ptx"
        for file in files:
            once = dump(tool, file)
            printed.write_bytes(once)
            if dump(tool, printed) != once:
                print(f"{file}: printed and read again, it is another Ast")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
