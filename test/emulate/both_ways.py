#!/usr/bin/env python3
"""Compares static with dynamic checks: the reports of `check` and of ten schedules about the same faults: both_ways.py
PTXRAY [KERNEL...]

The faults are the faulty kernels of test/emulate/adversary and of test/device/hazards, and those that
tools/faults.py makes in the correct kernels there. both_ways.txt has a line for each fault that only one of the two
reports: the fault, the reporter, and the rule. If only `check` or neither reports it, the line also explains why no
schedule shows it. The test fails if the reports differ from the file. KERNEL is any other correct kernel with its
`// launch: ARGUMENTS`: its faults are listed, and no result is expected. `--write` writes both_ways.txt again, and
keeps its explanations."""

import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import adversary
import twins

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import faults  # noqa: E402

ROUNDS = 20  # the kernels of test/device/hazards repeat their bytes after 16
LISTED = pathlib.Path(__file__).with_suffix(".txt")
LAUNCH = re.compile(r"^// launch: (.*)$", re.MULTILINE)
Fault = collections.namedtuple("Fault", "name kind right text arguments")


def arguments_of(path, text):
    if path.is_relative_to(twins.HAZARDS):
        return ["--kernel=kernel", *twins.launch(ROUNDS)]
    return LAUNCH.search(text)[1].split()


def faults_of(path, text, arguments):
    """Returns the faults of a correct kernel, each once."""
    seen = {text}
    with tempfile.TemporaryDirectory() as folder:
        right = pathlib.Path(folder) / path.name
        right.write_text(text)
        for kind, line, changed in faults.faults_of(right):
            if changed not in seen:
                seen.add(changed)
                yield Fault(f"{path.stem}:{line}", kind, text, changed, arguments)


def all_faults():
    for path in sorted(twins.HAZARDS.glob("*.ptx")):
        text = path.read_text()
        yield Fault(f"{path.stem}", "twin", text, twins.twin_of(text), arguments_of(path, text))
        yield from faults_of(path, text, arguments_of(path, text))
    for path in sorted(adversary.FOLDER.glob("*.ptx")):
        text = path.read_text()
        right = adversary.twin_of(text, "")
        for name in re.findall(r"^// twin ([a-z-]+):", text, re.MULTILINE):
            yield Fault(f"{path.stem}", name, right, adversary.twin_of(text, name), arguments_of(path, text))
        yield from faults_of(path, right, arguments_of(path, text))


def emulated(ptxray, path, arguments):
    """Returns the rule of the first report. Without a report, returns `wrong` or `late`, or nothing if the run is
    correct."""
    command = [ptxray, "run", "--emulate", "--no-config", "--format=short", "--time-limit=60", "--schedules=10"]
    done = subprocess.run([*command, path, *arguments], capture_output=True, text=True)
    rules = re.findall(r"error: .*\[([a-z-]+)\]$", done.stdout + done.stderr, re.MULTILINE)
    return rules[0] if rules else f"status-{done.returncode}" if done.returncode else "-"


def judged(ptxray, fault):
    """Returns the reports of `check` and of the emulator."""
    with tempfile.TemporaryDirectory() as folder:
        right, path = pathlib.Path(folder) / "right.ptx", pathlib.Path(folder) / "fault.ptx"
        right.write_text(fault.right)
        path.write_text(fault.text)
        reports = faults.warnings_of(ptxray, [right, path])
        found = sorted((reports["fault.ptx"] - reports["right.ptx"]).elements(), key=lambda one: one[1])
        return (found[0][0] if found else "-"), emulated(ptxray, path, fault.arguments)


def who_of(said):
    return {(True, True): "both", (True, False): "check", (False, True): "emulator", (False, False): "nobody"}[
        tuple(one != "-" for one in said)
    ]


def table(judgements):
    """Returns the number of faults that each of the two reports, by rule."""
    rows = collections.defaultdict(collections.Counter)
    for static, dynamic in judgements:
        rows[static if static != "-" else dynamic][who_of((static, dynamic))] += 1
    print(f"{'rule':28}{'both':>10}{'check':>10}{'emulator':>10}{'nobody':>10}")
    for rule, counts in sorted(rows.items()):
        print(f"{rule:28}" + "".join(f"{counts[who]:10}" for who in ("both", "check", "emulator", "nobody")))


def main():
    ptxray, *named = [one for one in sys.argv[1:] if one != "--write"]
    if named:
        all_of = []
        for path in map(pathlib.Path, named):
            all_of += faults_of(path, path.read_text(), arguments_of(path, path.read_text()))
    else:
        all_of = list(all_faults())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        judgements = list(pool.map(lambda one: judged(ptxray, one), all_of))
    table(judgements)
    reasons = {}
    for line in LISTED.read_text().splitlines() if LISTED.exists() else []:
        name, _, reason = line.partition("  # ")
        reasons[name] = reason
    lines = {
        f"{fault.name} {fault.kind}: {who_of(said)} {' '.join(said)}"
        for fault, said in zip(all_of, judgements)
        if who_of(said) != "both"
    }
    if named:
        print("\n".join(sorted(lines)))
        return 0
    if "--write" in sys.argv:
        written = (line + (f"  # {reasons[line]}" if reasons.get(line) else "") for line in sorted(lines))
        LISTED.write_text("".join(line + "\n" for line in written))
        return 0
    for line in sorted(lines ^ reasons.keys()):
        print(f"{'not listed' if line in lines else 'no longer so'}: {line}")
    for line in sorted(lines):
        if re.search(": (check|nobody) ", line) and not reasons.get(line):
            print(f"no reason: {line}")
    return 1 if lines != reasons.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
