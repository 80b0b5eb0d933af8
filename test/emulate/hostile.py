#!/usr/bin/env python3
"""Tests that any kernel with any arguments ends: hostile.py PTXRAY FOLDER [MOST]

Runs the kernels of all PTX files below a folder, MOST of them at most, evenly chosen, with buffers of zeros, small
numbers and random structures. Faults, refusals and timeouts are allowed, but crashes and hangs are not. Exit status
77: the folder has no PTX."""

import collections
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys

GOOD = {0, 1, 2, 6, 7}
SECONDS = 1


def kernels_of(path):
    """Returns the kernels with a body, and the type and the number of elements of their parameters."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", path.read_text(errors="replace"), flags=re.S)
    for name, parameters in re.findall(r"\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?[^;{]*\{", text):
        found = [re.search(r"\.([usbf]\d+)\b[^,\[]*(?:\[(\d+))?", one) for one in parameters.split(",") if one.strip()]
        yield name, [(one[1], int(one[2] or 0)) if one else ("b64", 0) for one in found]


def argument(chance, type, elements):
    if elements:
        return "hex=" + bytes(chance.randrange(256) for _ in range(min(elements, 8))).hex()
    if type.endswith("64") and chance.random() < 0.8:
        return chance.choice(["zeros:65536", "random:u32:4096:7", "iota:u32:1000", "zeros:64"])
    return str(chance.choice([0, 1, 2, 7, 32, 100]))


def run(ptxray, path, name, parameters):
    chance = random.Random(f"{path.name} {name}")
    words = [argument(chance, *parameter) for parameter in parameters]
    sizes = [f"--grid={chance.choice([1, 2, 5])}", "--shared=4096"]
    if ".reqntid" not in path.read_text(errors="replace"):
        sizes.append(f"--block={chance.choice([1, 32, 33, 128])}")
    command = [ptxray, "run", "--emulate", "--no-config", "--format=short", f"--time-limit={SECONDS}"]
    command += [*sizes, f"--kernel={name}", path, *words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS + 30)
    except subprocess.TimeoutExpired:
        return command, "hangs"
    return command, done.returncode


def main():
    ptxray, folder, *most = sys.argv[1:]
    work = [(path, *kernel) for path in sorted(pathlib.Path(folder).rglob("*.ptx")) for kernel in kernels_of(path)]
    if not work:
        print(f"no PTX in {folder}")
        return 77
    if most and len(work) > int(most[0]):
        work = work[:: len(work) // int(most[0])]
    seen, wrong = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for command, status in pool.map(lambda one: run(ptxray, *one), work):
            seen[status] += 1
            if status not in GOOD:
                wrong += 1
                print(status, *command)
    print(f"{len(work)} kernels: " + ", ".join(f"{count} with status {status}" for status, count in seen.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
