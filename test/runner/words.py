#!/usr/bin/env python3
"""What ptxray says of itself: `explain` answers for every name, docs/rules.md is what `rules` prints, and words that
messages, notes and pages of rules once had do not come back.

    words.py PTXRAY SOURCE-FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys

KEPT = ("illegal", "stands", " takes ", " asks for ")  # words of ids and of the driver, and plain English elsewhere
WORST = (" is no ", " are no ", "behind", " takes ", " asks for ", "stands", "illegal", "has nothing to")


def output(ptxray, *words):
    return subprocess.run([ptxray, *words], capture_output=True, text=True, check=True).stdout


def names(ptxray, source):
    """Of all that `explain` knows."""
    isa = json.loads(output(ptxray, "isa", "--format=json"))
    version = json.loads(output(ptxray, "version", "--format=json"))
    yield from isa["mnemonics"]
    directives = (source / "grammar/isa/directives.isa").read_text()
    yield from re.findall(r'^(?:directive|pragma) "?([^\s"]+)', directives, re.M)
    yield from (register["name"] for register in isa["specialRegisters"])
    yield from (target["name"] for target in version["targets"])


def texts(source):
    """(place, text) of the strings of the sources that may reach a user, and of the prose on the pages of rules"""
    for folder in ("lib", "tools"):
        for path in sorted((source / folder).rglob("*.cpp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if not line.lstrip().startswith(("//", "#include")):
                    for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                        yield f"{path.relative_to(source)}:{number}", literal
    for path in sorted((source / "docs/diagnostics").glob("*.md")):
        is_code = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            is_code ^= line.startswith("```")
            if not is_code:
                yield f"{path.relative_to(source)}:{number}", line


def main():
    ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    rules = json.loads(output(ptxray, "rules", "--format=json"))
    for name in [*names(ptxray, source), *(rule["id"] for rule in rules)]:
        done = subprocess.run([ptxray, "explain", name], capture_output=True, text=True)
        if done.returncode or not done.stdout.startswith(f"{name} - "):
            problems.append(f"explain {name}: {done.stderr or done.stdout[:80]}")
    for rule in rules:
        message = rule["message"].replace("there is no ", "")
        problems += [f"{rule['id']}: {message}" for word in WORST if word in message]
    for place, text in texts(source):
        plain = re.sub("[tT]here (is|are) no ", "", text)
        problems += [f"{place}: {text}" for word in WORST if word in plain and word not in KEPT and text != word]
    if output(ptxray, "rules", "--format=markdown") != (source / "docs/rules.md").read_text():
        problems.append("docs/rules.md is not what `ptxray rules --format=markdown` prints")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
