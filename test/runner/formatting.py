#!/usr/bin/env python3
"""Tests that `ptxray fmt` only changes the layout of a text.

    test/runner/formatting.py PTXRAY FOLDER...

The test formats the example of docs/fmt.md, every `*.ptx` file below the folders, and the sections of test/isa if
that folder is named. Tokens and comments must not change; ten lines of Python compare them, without ptxray's
scanner. The diagnostics must be the same at the same tokens, a second run must change nothing, and each line must
have one statement. A text with a syntax error must be rejected and not changed. A missing folder is skipped (77)
unless PTXRAY_REQUIRE names `corpus` or `all`."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test"))
import sections  # noqa: E402

WORD = re.compile(
    rb'//[^\n]*|/\*.*?\*/|"[^"\n]*"|#[ \t]*\d+[ \t]*"[^"\n]*"|@@DWARF[^\n]*|\d+\.\d+|%?[\w$.]+(?:::\w+)*|\S', re.S
)
DOTTED = re.compile(rb"\.[^.]*")
BLANKS = b" \t\r\n\f\v"
FEWEST = 50  # minimum number of files in the quick test; the corpus has another minimum


def words(text):
    """Splits a text into words: `.v2.f32` is two, `ld.global` one."""
    found = (word.strip(BLANKS) for word in WORD.findall(text))
    return [part for word in found for part in (DOTTED.findall(word) if word.startswith(b".") else [word])]


def texts(folders):
    """Yields (name, bytes)."""
    for folder in folders:
        for path in sorted(folder.rglob("*.ptx")):
            relative = path.relative_to(folder)
            if relative.parts[0] in ("venv", "sources"):
                continue
            if folder.name == "test" and relative.parts[0] == "isa":
                for number, (ptx, targets, lines) in enumerate(sections.sections(path)):
                    text, _ = sections.module(ptx, targets, lines)
                    yield f"{path}#{number}", text.encode("latin-1")
            else:
                yield str(path), path.read_bytes()


def findings(tool, folder):
    """Returns the findings of each file. The number of non-blank bytes before a finding replaces its offset."""
    run = subprocess.run(
        [tool, "check", "--no-config", "--pedantic", "--format=jsonl", folder], capture_output=True, check=False
    )
    found = {}
    for line in run.stdout.splitlines():
        d = json.loads(line)
        found.setdefault(pathlib.Path(d["path"]).name, []).append(d)
    return found


def placed(diagnostics, text):
    ink, at, result = 0, 0, []
    for d in sorted(diagnostics, key=lambda d: d["range"]["start"]["offset"]):
        offset = d["range"]["start"]["offset"]
        ink += len(text[at:offset].translate(None, BLANKS))
        at = offset
        result.append((d["rule"], d["severity"], "".join(d["message"].split()), ink))
    return sorted(result)


def several(text):
    """Returns the lines that contain two statements."""
    code = re.sub(rb'/\*.*?\*/|"[^"]*"|//[^\n]*', b"", text, flags=re.S)
    return [line for line in code.split(b"\n") if re.search(rb";.*[^\s}]", line)]


def fmt(tool, *arguments, text=None):
    return subprocess.run([tool, "fmt", "--no-config", *arguments], capture_output=True, input=text, check=False)


def named(lines, mark):
    """Returns the files in messages with the mark."""
    return {pathlib.Path(line.split(":")[1].strip()).name for line in lines if mark in line}


def differences(name, old, new, found, found_after):
    if words(old) != words(new):
        pair = next((a, b) for a, b in zip([*words(old), b""], [*words(new), b""], strict=False) if a != b)
        yield f"{name}: other words: {pair}"
    one, two = placed(found, old), placed(found_after, new)
    if one != two:
        yield f"{name}: gone {[d for d in one if d not in two][:3]}, new {[d for d in two if d not in one][:3]}"


def check_example(tool):
    style = re.search(r"```ptx\n(.*?)```", (ROOT / "docs" / "fmt.md").read_text(), re.S)[1].encode()
    same = fmt(tool, "-", text=style).stdout
    return [] if same == style else [f"docs/fmt.md: the example is not laid out:\n{same.decode()}"]


def check_texts(tool, place, folders):
    problems = check_example(tool)
    before, after = place / "before", place / "after"
    before.mkdir()
    after.mkdir()
    names, size = {}, 0
    for number, (name, text) in enumerate(texts(folders)):
        file = f"{number:05}.ptx"
        names[file] = name
        size += len(text)
        (before / file).write_bytes(text)
        (after / file).write_bytes(text)
    run = fmt(tool, after)
    messages = run.stderr.decode().splitlines()
    refused = named(messages, ": not formatted: ")
    if run.returncode not in (0, 1) or named(messages, "internal error"):
        problems.append(run.stderr.decode())
    for path in fmt(tool, "--check", after).stdout.decode().split():
        problems.append(f"{names[pathlib.Path(path).name]}: changes again")
    found, found_after = findings(tool, before), findings(tool, after)
    for file, name in names.items():
        old, new = (before / file).read_bytes(), (after / file).read_bytes()
        problems += differences(name, old, new, found.get(file, []), found_after.get(file, []))
        if file in refused and old != new:
            problems.append(f"{name}: refused and changed")
        if file not in refused and b"ptxray:" not in new and several(new):
            problems.append(f"{name}: two statements on a line: {several(new)[0]}")
    print(f"{len(names)} texts, {size / 1e6:.1f} MB; {len(refused)} refused")
    if len(names) < FEWEST:
        problems.append(f"fewer than {FEWEST} texts")
    return problems


def main():
    tool, folders = sys.argv[1], [pathlib.Path(word) for word in sys.argv[2:]]
    if not all(folder.is_dir() for folder in folders):
        print(f"no folder {folders[0]}")
        return 1 if {"corpus", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
    with tempfile.TemporaryDirectory() as place:
        problems = check_texts(tool, pathlib.Path(place), folders)
    for problem in problems[:40]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
