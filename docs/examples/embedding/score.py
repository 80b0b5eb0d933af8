"""Scores generated kernels: computes a number for a reward or a filter, and the findings behind it.

    score.py [--least] FILE...  one JSON line each
    from score import score     score(text, target="sm_90a").value

The value shows which step a text has reached. Within a step, fewer faults give a higher value. The value only changes
with VERSION, or if ptxray finds more faults than before.

    0.0          not PTX, or empty
    0.0 to 0.3   it cannot be parsed: 0.3 / (1 + faults)
    0.3 to 0.7   it can be parsed, but ptxas would reject it: 0.3 + 0.4 / (1 + faults)
    0.8          it is valid, but uses data before an operation completes, or lacks a fence (docs/hazards.md)
    1.0          there are at most ordinary warnings

Faults of the same rule and kind count once, and once more for each doubling of their number. A mistake that is repeated
a hundred times therefore does not hide that everything else is right.

`least` is the oldest target for which the text is valid, regardless of its own `.target`: `sm_80`, or an empty
string if there is none. A separate process finds it in some milliseconds, so it is only computed on request."""

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
    target: str  # target for which the text was checked
    errors: dict[str, int]  # number by group of rules: syntax, operands, targets ...
    hazards: dict[str, int]  # number by rule
    warnings: int  # number of other warnings
    least: typing.Optional[str] = None  # oldest target for which the text is valid; None if not requested


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
        return ""  # the text is valid for no target
    names = [target["name"] for target in json.loads(asked.stdout)["targets"]]
    return min(names, key=lambda name: (int(re.sub(r"\D", "", name)), name), default="")


def score(text, checker=None, least=False, **options) -> Score:
    """Scores a text. The options, and the checker that has them, are those of ptxray.Checker."""
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
