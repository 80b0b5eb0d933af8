#!/usr/bin/env python3
"""Runs kernels and their faulty versions with ten schedules, without a GPU: adversary.py PTXRAY [NAME...]

Each file of the folder `adversary` is a correct kernel with the arguments of its launch. `//! NAME: TEXT` at the end
of a line replaces the line by TEXT in the faulty version NAME. A correct kernel must have no report, with the eager
schedule and with ten others. The first report about a faulty version must be one of the rules that the head of the
file lists beside its name."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "adversary"
CHANGE = re.compile(r"\s*//! ([a-z-]+): ?([^/]*)")


def twin_of(text, name):
    lines = []
    for line in text.splitlines():
        changes = dict(CHANGE.findall(line))
        lines.append(changes.get(name, line.partition("//!")[0].rstrip()))
    return "\n".join(lines) + "\n"


def found_in(ptxray, text, arguments, schedules):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = [ptxray, "run", "--emulate", "--no-config", "--format=short", file.name]
        command += ["--kernel=kernel", "--time-limit=60", *schedules, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    said = done.stdout + done.stderr
    return re.findall(r"error: .*\[([a-z-]+)\]$", said, re.MULTILINE), done.returncode, said


def main():
    ptxray, names = sys.argv[1], sys.argv[2:]
    jobs = []
    for path in sorted(FOLDER.glob("*.ptx")):
        if names and path.stem not in names:
            continue
        text = path.read_text()
        arguments = re.search(r"^// launch: (.*)$", text, re.MULTILINE).group(1).split()
        for schedule in ("--schedule=eager", "--schedules=10"):
            jobs.append((path.stem, schedule, [], twin_of(text, ""), arguments))
        for twin, rules in re.findall(r"^// twin ([a-z-]+): (.*)$", text, re.MULTILINE):
            assert twin_of(text, twin) != twin_of(text, ""), (path, twin)
            jobs.append((path.stem, twin, rules.split(), twin_of(text, twin), arguments))

    def one(job):
        name, twin, wanted, text, arguments = job
        rules, status, said = found_in(ptxray, text, arguments, [twin if twin.startswith("--") else "--schedules=10"])
        is_right = status == 0 and not rules if not wanted else rules[:1] and rules[0] in wanted
        return None if is_right else f"{name}, {twin}: {rules}, status {status}; wanted: {wanted}\n{said[-300:]}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [line for line in pool.map(one, jobs) if line]
    print("".join(wrong), end="")
    print(f"{len(jobs) - len(wrong)} of {len(jobs)} as wanted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
