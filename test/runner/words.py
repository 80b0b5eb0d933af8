#!/usr/bin/env python3
"""Checks that `explain` answers for every name, and that docs/reference/rules.md equals the output of `ptxray rules`.

words.py PTXRAY SOURCE-FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys


def output(ptxray, *words):
    return subprocess.run([ptxray, *words], capture_output=True, text=True, check=True).stdout


def names(ptxray, source):
    """Yields every name that `explain` must know."""
    isa = json.loads(output(ptxray, "isa", "--format=json"))
    version = json.loads(output(ptxray, "version", "--format=json"))
    yield from isa["mnemonics"]
    directives = (source / "grammar/isa/directives.isa").read_text()
    yield from re.findall(r'^(?:directive|pragma) "?([^\s"]+)', directives, re.M)
    yield from (register["name"] for register in isa["specialRegisters"])
    yield from (target["name"] for target in version["targets"])


def main():
    ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    rules = json.loads(output(ptxray, "rules", "--format=json"))
    for name in [*names(ptxray, source), *(rule["id"] for rule in rules)]:
        done = subprocess.run([ptxray, "explain", name], capture_output=True, text=True)
        if done.returncode or not done.stdout.startswith(f"{name} - "):
            problems.append(f"explain {name}: {done.stderr or done.stdout[:80]}")
    if output(ptxray, "rules", "--format=markdown") != (source / "docs/reference/rules.md").read_text():
        problems.append("docs/reference/rules.md is not what `ptxray rules --format=markdown` prints")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
