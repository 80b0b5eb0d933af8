"""Scores generated kernels: a number for a reward or a filter, and what it is made of.

    score.py [--least] FILE...  one JSON line each
    from score import score     score(text, target="sm_90a").value

The value says how far a text has come; within a step, fewer faults are worth more. It is stable: it changes only with
VERSION, or where ptxray finds more faults than before.

    0.0          not PTX, or empty
    0.0 to 0.3   it does not parse: 0.3 / (1 + faults)
    0.3 to 0.7   it parses, but ptxas would refuse it: 0.3 + 0.4 / (1 + faults)
    0.8          it passes, but uses what is not complete yet, or lacks a fence (docs/hazards.md)
    1.0          nothing is found but plain warnings

A fault counts once for each rule and kind of it and once more for each doubling of its number, so that a slip that is
repeated a hundred times does not hide that the rest is right.

`least` is the oldest target that the text is valid for, whatever its own `.target` says: `sm_80`, empty where there is
no such. It is found by a process, in some milliseconds, so only where it is asked for."""

import collections
import dataclasses
import functools
import json
import math
import pathlib
import re
import subprocess
import sys
import typing

import ptxray

VERSION = 1


@dataclasses.dataclass(frozen=True)
class Score:
    value: float
    parses: bool
    target: str  # that it was checked for
    errors: dict[str, int]  # by group of rules: syntax, operands, targets ...
    hazards: dict[str, int]  # by rule
    warnings: int  # others
    least: typing.Optional[str] = None  # target that it is valid for; None: nobody asked


@functools.cache
def _groups():
    rules = subprocess.run([ptxray.program(), "rules", "--format=json"], check=True, capture_output=True).stdout
    return {rule["id"]: rule["group"] for rule in json.loads(rules)}


def _faults(found):
    numbers = collections.Counter((d.rule, d.kind) for d in found)
    return sum(1 + math.log2(number) for number in numbers.values())


def least_target(text) -> str:
    text = text.encode() if isinstance(text, str) else text
    asked = subprocess.run([ptxray.program(), "targets", "--format=json", "-"], input=text, capture_output=True)
    if asked.returncode:
        return ""  # it is valid for none
    names = [target["name"] for target in json.loads(asked.stdout)["targets"]]
    return min(names, key=lambda name: (int(re.sub(r"\D", "", name)), name), default="")


def score(text, checker=None, least=False, **options) -> Score:
    """The options, and the checker that has them, are those of ptxray.Checker."""
    found = (checker or ptxray.Checker(**options)).check(text)
    target, groups = found.target, _groups()
    errors = [d for d in found if d.severity == "error"]
    broken = [d for d in errors if groups[d.rule] in ("input", "syntax")]
    hazards = [d for d in found if d.severity != "error" and groups[d.rule] == "hazards"]
    if not text.strip() or any(d.rule == "not-ptx" for d in errors):
        value = 0.0
    elif broken:
        value = 0.3 / (1 + _faults(errors))
    elif errors:
        value = 0.3 + 0.4 / (1 + _faults(errors))
    else:
        value = 0.8 if hazards else 1.0
    return Score(
        round(value, 4),
        not broken and value > 0,
        target,
        dict(collections.Counter(groups[d.rule] for d in errors)),
        dict(collections.Counter(d.rule for d in hazards)),
        len(found) - len(errors) - len(hazards),
        least_target(text) if least else None,
    )


def main():
    checker, names = ptxray.Checker(), sys.argv[1:]
    least = "--least" in names
    for name in names:
        if name == "--least":
            continue
        made = score(pathlib.Path(name).read_bytes(), checker, least)
        print(json.dumps({"path": name, "version": VERSION, **dataclasses.asdict(made)}))


if __name__ == "__main__":
    main()
