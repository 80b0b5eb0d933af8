#!/usr/bin/env python3
"""each_file.py BUILD: tests that every source of lib and tools compiles separately, with the command in
BUILD/compile_commands.json. Builds compile all sources of a folder as one, and do not notice missing includes."""

import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys

import tidy


def problem(entry):
    command = shlex.split(entry["command"].split(" -o ")[0])
    result = subprocess.run(
        [*command, "-fsyntax-only", "-c", entry["file"]],
        cwd=entry["directory"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return result.stderr if result.returncode else ""


def main():
    entries = [entry for group in tidy.together(pathlib.Path(sys.argv[1]).resolve(), set()) for entry in group]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(problem, entries) if text]
    for text in problems:
        print(text)
    print(f"{len(entries)} files, {len(problems)} do not compile by themselves")
    return 1 if problems or len(entries) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
