"""Tests that docs/reference/instructions.md follows from `ptxray isa --format=json` and contains every instruction
of test/isa/instructions.txt: instruction_table.py PTXRAY SOURCE_FOLDER. With PTXRAY_BLESS, it writes the page."""

import json
import os
import pathlib
import subprocess
import sys

HEAD = """# Instructions

Look up the first PTX version of an instruction, and the targets that support at least one of its forms.
The sections are those of the PTX ISA manual.

This page is generated from `ptxray isa --format=json` by `test/runner/instruction_table.py`.

| instruction | section | PTX | targets | what it does |
|---|---|---|---|---|
"""


def number(version):
    major, minor = version.split(".")
    return int(major) * 100 + int(minor)


class Availability:
    """Represents the versions and targets that support something, as the bits of an integer, version by version."""

    def __init__(self, isa):
        self.isa = isa
        self.targets = [target["name"] for target in isa["targets"]]
        self.versions = [version["name"] for version in isa["ptxVersions"]]
        self.everywhere = (1 << len(self.versions) * len(self.targets)) - 1
        self.since = {
            first: self.where(lambda version, _, first=first: number(version) >= number(first))
            for first in self.versions
        }
        self.of_targets = {
            name: self.where(lambda _, target, names=names: target in names)
            for name, names in isa["targetSets"].items()
        }

    def where(self, holds):
        bits = 0
        for v, version in enumerate(self.versions):
            for t, target in enumerate(self.targets):
                bits |= holds(version, target) << v * len(self.targets) + t
        return bits

    def exactly(self, condition):
        """Returns the versions and targets. Returns None if the condition also depends on words or operands."""
        if "all" in condition or "any" in condition:
            parts = [self.exactly(part) for part in condition.get("all", condition.get("any"))]
            if None in parts:
                return None
            bits = self.everywhere if "all" in condition else 0
            for part in parts:
                bits = bits & part if "all" in condition else bits | part
            return bits
        if "not" in condition:
            part = self.exactly(condition["not"])
            return None if part is None else self.everywhere & ~part
        if "ptx" in condition:
            return self.since[condition["ptx"]]
        if "target" in condition:
            return self.of_targets[condition["target"]]
        if "gate" in condition and "means" not in condition:
            return self.exactly(self.isa["gates"][condition["gate"]])
        return None

    def perhaps(self, condition):
        if "all" in condition:
            bits = self.everywhere
            for part in condition["all"]:
                bits &= self.perhaps(part)
            return bits
        bits = self.exactly(condition)
        return self.everywhere if bits is None else bits

    def of_form(self, form):
        bits = self.everywhere
        for rule in form.get("rules", []):
            if "when" not in rule:
                bits &= self.perhaps(rule["require"])
        for slot in form["slots"]:
            if not slot.get("optional"):
                some = 0
                for value in slot["values"]:
                    word = self.isa["words"][value["word"]]
                    some |= self.perhaps(value.get("requires", {})) & self.perhaps(word.get("requires", {}))
                bits &= some
        for table in form.get("tables", []):
            some = 0
            for row in table["rows"]:
                some |= self.of_row(table["columns"], row["cells"])
            bits &= some
        return bits

    def of_row(self, columns, cells):
        """Returns where the condition of a row holds and the words exist that are the only ones in their cells."""
        bits = self.everywhere
        for column, cell in zip(columns, cells):
            if column["kind"] == "requires" and isinstance(cell, dict):
                bits &= self.perhaps(cell)
            if column["kind"] == "slot" and isinstance(cell, list) and len(cell) == 1 and cell[0] in self.isa["words"]:
                bits &= self.perhaps(self.isa["words"][cell[0]].get("requires", {}))
        return bits

    def existing(self):
        since = {target["name"]: number(target["since"]) for target in self.isa["targets"]}
        return self.where(lambda version, target: number(version) >= since[target])


def targets_text(isa, has):
    targets = isa["targets"]
    for first in targets:
        if "variant" not in first and all(
            (target["name"] in has) == (target["number"] >= first["number"]) for target in targets
        ):
            return "all" if first is targets[0] else first["name"] + " and higher"
    return " ".join(target["name"] for target in targets if target["name"] in has and target["documented"])


def page_of(isa):
    availability = Availability(isa)
    existing = availability.existing()
    rows = {}
    for index, entry in enumerate(isa["entries"]):
        for form in entry["forms"]:
            bits = availability.of_form(form) & existing
            for mnemonic in form["mnemonics"]:
                rows[mnemonic, index] = rows.get((mnemonic, index), 0) | bits
    width = len(availability.targets)
    page = HEAD
    for (mnemonic, index), bits in sorted(rows.items()):
        first = next(v for v in range(len(availability.versions)) if bits >> v * width & (1 << width) - 1)
        has = {
            name
            for t, name in enumerate(availability.targets)
            if any(bits >> v * width + t & 1 for v in range(len(availability.versions)))
        }
        entry = isa["entries"][index]
        cells = [f"`{mnemonic}`", entry["manual"], availability.versions[first], targets_text(isa, has), entry["title"]]
        page += f"| {' | '.join(cells)} |\n"
    return page


def main():
    ptxray, root = sys.argv[1], pathlib.Path(sys.argv[2])
    command = [ptxray, "isa", "--format=json"]
    isa = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    made = page_of(isa)
    page = root / "docs/reference/instructions.md"
    if os.environ.get("PTXRAY_BLESS"):
        page.write_text(made)
    wrong = 0
    if page.read_text() != made:
        print("docs/reference/instructions.md is not what `ptxray isa --format=json` says")
        wrong = 1
    for name in (root / "test/isa/instructions.txt").read_text().split():
        if name not in isa["mnemonics"]:
            print(f"no entry for `{name}`")
            wrong = 1
    sys.exit(wrong)


if __name__ == "__main__":
    main()
