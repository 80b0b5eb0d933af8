"""Tests that the reader of test/isa_json, which only uses the JSON of `ptxray isa`, agrees with almost all verdicts
of test/samples: judge_samples.py PTXRAY SOURCE_FOLDER. With --list, it prints the lines on which they differ."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from reader import Reader
from sections import prelude, version
from written import Declarations

LEAST = 0.985


def main():
    ptxray, root = sys.argv[1], pathlib.Path(sys.argv[2])
    reader = Reader(json.loads(subprocess.check_output([ptxray, "isa", "--format=json"])))
    judged = agreed = 0
    for path in sorted((root / "test/samples").glob("*.lines")):
        for line in path.read_text().splitlines():
            if line.startswith("//@ ptx "):
                ptx, *targets = line.removeprefix("//@ ptx ").split(", ")
                before, after = prelude(version(ptx), targets)
                declarations = Declarations("\n".join([*before, *after]), reader.isa)
                reader.enter(ptx, targets[0], "texmode_independent" in targets, declarations)
            elif line[:2] in ("+ ", "- ") and line[2] not in "{.":  # these lines are not single instructions
                judged += 1
                if reader.accepts(line[2:]) == (line[0] == "+"):
                    agreed += 1
                elif "--list" in sys.argv:
                    print(f"{path.name}: ptx {ptx}, {targets[0]}: {line}")
    print(f"the same verdict on {agreed} of {judged} lines")
    sys.exit(not judged or agreed < LEAST * judged)


if __name__ == "__main__":
    main()
