#!/usr/bin/env python3
"""Tests the programs of `ptxray generate --seed=N`: programs.py PTXRAY PTXAS FIRST COUNT

No rule reports a program, ptxas accepts it, and the emulator runs it to its end without a finding, with the same
result under another schedule. The same seed produces the same program. Without PTXAS, programs are not compiled."""

import pathlib
import re
import subprocess
import sys
import tempfile

TARGETS = ("sm_90", "sm_75", "sm_100a", "sm_80")


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def fault(ptxray, ptxas, seed, folder):
    """Returns the problem with a program, or None."""
    target = TARGETS[seed % len(TARGETS)]
    command = [ptxray, "generate", f"--seed={seed}", f"--size={40 + seed % 100}", f"--target={target}"]
    made = run(*command)
    if made.returncode != 0 or made.stdout != run(*command).stdout:
        return f"it is not made, or not the same: {made.stdout[:500]}"
    path = folder / "program.ptx"
    path.write_text(made.stdout)
    if made.stdout.count("\n") < 60:
        return f"there is next to nothing in it: {made.stdout}"
    if found := run(ptxray, "check", "--no-config", "--format=short", path).stdout:
        return found
    if ptxas and (refused := run(ptxas, f"-arch={target}", path, "-o", folder / "out.cubin")).returncode != 0:
        return refused.stdout
    launch = re.search(r"(?m)^// run: (.*)$", made.stdout)[1].split()
    results = []
    for more in ((), ("--cores=1", "--schedule=7")):
        out = folder / "result.bin"
        ran = run(ptxray, "run", "--emulate", "--no-config", path, f"--out=1=file:{out}", *more, *launch)
        if ran.returncode != 0 or ran.stdout:
            return ran.stdout or f"exit status {ran.returncode}"
        results.append(out.read_bytes())
    return None if results[0] == results[1] and any(results[0]) else "its result depends on the schedule, or is empty"


def main():
    ptxray, ptxas, first, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            if why := fault(ptxray, ptxas if ptxas.exists() else None, seed, pathlib.Path(folder)):
                failed += 1
                print(f"seed {seed}:\n{why}")
    print(f"{count - failed} of {count} programs are as they should be")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
