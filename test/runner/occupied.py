#!/usr/bin/env python3
"""Tests whether ptxas agrees with test/flow on the number of registers that an instruction occupies.

occupied.py PTXAS

A line of test/flow that says `occupies N` or `bounded N` must compile in a kernel with `.maxnreg N`, and not with
one register fewer. `occupies by N if OP` increases the number if the result is read later. A line of the same family
without either must compile with the minimum number of registers. Exit status 77: there is no ptxas. With
PTXRAY_REQUIRE=ptxas (or all), this is a failure."""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import sections

FEWEST = 24  # minimum of ptxas for a thread, regardless of `.maxnreg`
OLDEST = 75  # oldest target of ptxas for code

Line = collections.namedtuple("Line", "place ptx targets code facts")


def lines_of_flow():
    for path in sorted((sections.PRELUDE.parents[1] / "flow").glob("*.ptx")):
        for ptx, targets, lines in sections.sections(path):
            for number, line in lines:
                code, _, facts = line.partition("  // ")
                yield Line(f"{path.name}:{number}", ptx, targets, code, facts)


def family(line):
    return re.match(r"(?:@!?%\w+\s+)?(\w+)", line.code)[1]


def occupied(line):
    """Returns the numbers if no result is read later, and if all results are."""
    numbers = [int(number) for number in re.findall(r"\b(?:occupies|bounded) (\d+)", line.facts)]
    alone = max(numbers, default=0)
    return alone, alone + sum(int(number) for number in re.findall(r"\boccupies by (\d+) if", line.facts))


def compiles(ptxas, line, registers, read):
    """Returns whether the module compiles, or None if it fails for another reason than registers."""
    result = re.search(r"\{(%\w+)", line.code)[1] if read else ""
    text, _ = sections.module(line.ptx, line.targets, [(1, line.code), (2, f"st.b32 [%rd0], {result};" * read)])
    text = re.sub(r"\.entry kern(\([^{]*\))?", rf"\g<0> .maxnreg {registers} ", text, count=1)
    number = int(re.match(r"sm_(\d+)", line.targets[0])[1])
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "m.ptx"
        source.write_text(text)
        target = line.targets[0] if number >= OLDEST else f"sm_{OLDEST}"
        words = [ptxas, f"-arch={target}", str(source), "-o", f"{folder}/m.o"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        return True
    said = done.stdout + done.stderr
    return False if "egister target" in said or "Register allocation failed" in said else None


def judge(ptxas, line):
    """Returns the problem with the line, or None."""
    alone, when_read = occupied(line)
    for least, read in {(alone, False), (when_read, when_read > alone)}:
        enough = compiles(ptxas, line, max(least, FEWEST), read)
        if enough is False or (least and not enough):
            return f"ptxas does not compile it with {max(least, FEWEST)} registers"
        if least > FEWEST and compiles(ptxas, line, least - 1, read) is not False:
            return f"{least - 1} registers are enough for ptxas"
    return ""


def main():
    ptxas = sys.argv[1]
    if not pathlib.Path(ptxas).exists():
        print(f"no ptxas at {ptxas}")
        sys.exit(1 if {"ptxas", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77)
    lines = list(lines_of_flow())
    occupying = [line for line in lines if occupied(line)[0]]
    families = {family(line) for line in occupying}
    tried = [line for line in lines if family(line) in families]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, problem in zip(tried, pool.map(lambda line: judge(ptxas, line), tried)):
            if problem:
                wrong += 1
                print(f"{line.place}: {problem}: {line.code}\n  {line.facts}")
    print(f"{len(tried)} lines, {len(occupying)} of which occupy registers, {wrong} judged otherwise")
    sys.exit(wrong != 0 or not occupying)


if __name__ == "__main__":
    main()
