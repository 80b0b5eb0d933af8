#!/usr/bin/env python3
"""Runs the kernels of this folder without a GPU: kernels.py PTXRAY [KERNEL...]

The comments at the beginning of each contain the command and its expected output:

    // run: --block=8 --out=1=u32 7 zeros:32    options and arguments of `ptxray run --emulate`
    // status: 6                                exit status, if it is not 0
    // out: LINE                                a line of standard output
    // err: LINE                                a line of standard error

FILE stands for the path of the kernel, and `...` within a line for any text."""

import pathlib
import re
import shlex
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def wanted_of(kernel):
    """Returns the runs that the comments of a kernel request."""
    runs = []
    for line in kernel.read_text().splitlines():
        found = re.match(r"// (run|status|out|err):(?: (.*))?$", line)
        if not found:
            continue
        key, value = found[1], found[2] or ""
        if key == "run":
            runs.append({"run": shlex.split(value), "status": 0, "out": [], "err": []})
        elif key == "status":
            runs[-1]["status"] = int(value)
        else:
            runs[-1][key].append(value)
    assert runs, f"{kernel} asks for no run"
    return runs


def found_by(ptxray, kernel, words):
    done = subprocess.run(
        [ptxray, "run", "--emulate", "--no-config", kernel, *words], capture_output=True, text=True, timeout=60
    )

    def lines(text):
        return text.replace(str(kernel), "FILE").splitlines()

    return {"status": done.returncode, "out": lines(done.stdout), "err": lines(done.stderr)}


def differences(wanted, found):
    if wanted["status"] != found["status"]:
        yield "status"
    for key in ("out", "err"):
        pattern = "\n".join(".*".join(map(re.escape, line.split("..."))) for line in wanted[key])
        if not re.fullmatch(pattern, "\n".join(found[key])):
            yield key


def main():
    ptxray, *named = sys.argv[1:]
    wrong = 0
    for kernel in [FOLDER / name for name in named] or sorted(FOLDER.glob("*.ptx")):
        for wanted in wanted_of(kernel):
            found = found_by(ptxray, kernel, wanted["run"])
            for key in differences(wanted, found):
                wrong += 1
                print(f"{kernel.name}: {shlex.join(wanted['run'])}")
                print(f"  {key} wanted: {wanted[key]}\n  found: {found[key]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
