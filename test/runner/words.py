#!/usr/bin/env python3
"""What ptxray says of itself: `explain` answers for every name, docs/rules.md is what `rules` prints, and words that
messages, notes, help texts and pages once had do not come back.

    words.py PTXRAY SOURCE-FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys

WORST = (" is no ", " are no ", "behind", " takes ", " asks for ", "stands", "illegal", "has nothing to")
KEPT = ("illegal", " takes ", " asks for ")  # words of ids and of the driver, and plain English elsewhere
RIGHT = re.compile(
    r"[tT]here (is|are) no |\b(is|are) no (longer|more|better)\b|\bstands (for|in for)\b|\bleaves? behind\b"
)
UNREAD = ("idioms", "mistakes", "ptxas-messages", "status")  # they quote these words, or are a diary


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
    pages = [*source.glob("*.md"), *source.glob("docs/*.md"), *source.glob("docs/diagnostics/*.md")]
    for path in sorted([path for path in pages if path.stem not in UNREAD] + [source / "test/README.md"]):
        is_code = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            is_code ^= line.startswith("```")
            if not is_code:
                yield f"{path.relative_to(source)}:{number}", re.sub("`[^`]*`", "", line)


def help_texts(ptxray):
    """(place, text) of what `help` prints"""
    overview = output(ptxray, "--help")
    commands = re.findall(r"^  ([a-z]+) ", overview, re.M)
    assert {"check", "explain", "ptxas", "targets"} <= set(commands)
    for command in ["", *commands]:
        text = output(ptxray, "help", command) if command else overview
        yield from ((f"ptxray help {command}", line) for line in text.splitlines())


def main():
    ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    rules = json.loads(output(ptxray, "rules", "--format=json"))
    for name in [*names(ptxray, source), *(rule["id"] for rule in rules)]:
        done = subprocess.run([ptxray, "explain", name], capture_output=True, text=True)
        if done.returncode or not done.stdout.startswith(f"{name} - "):
            problems.append(f"explain {name}: {done.stderr or done.stdout[:80]}")
    for rule in rules:
        problems += [f"{rule['id']}: {rule['message']}" for word in WORST if word in RIGHT.sub("", rule["message"])]
    for place, text in [*texts(source), *help_texts(ptxray)]:
        plain = RIGHT.sub("", text)
        problems += [f"{place}: {text}" for word in WORST if word in plain and word not in KEPT and text != word]
    if output(ptxray, "rules", "--format=markdown") != (source / "docs/rules.md").read_text():
        problems.append("docs/rules.md is not what `ptxray rules --format=markdown` prints")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
