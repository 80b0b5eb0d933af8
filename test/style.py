#!/usr/bin/env python3
"""Tests the layout of tracked files: style.py ROOT [--ruff]

Lines are at most as long as .editorconfig allows, and have no trailing blanks. Files end with a newline. clang-format
leaves C++ unchanged. In shipped code, functions have at most 60 lines, files at most 600, no two types share a name,
and none has the name of an outer type that its folder includes. With --ruff, the test instead checks that ruff leaves
Python unchanged.

Exits with 77 if ROOT is not a git checkout or the formatter is missing. PTXRAY_REQUIRE=clang-format (or ruff, or
all) makes a missing formatter an error."""

import configparser
import fnmatch
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "package"))
import common

OTHERS = ("test/corpus/", "test/inline/")  # sources in the style of their users

SHIPPED = ("lib/", "tools/", "include/")
MOST_LINES_OF_FUNCTION, MOST_LINES_OF_FILE = 60, 600

DEFINITION = re.compile(r"(?:struct|class|enum|union) (?:class )?(\w+)(?: final)?(?: :[^:].*)? \{$")


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if listed.returncode != 0:
        common.skip("git", "no checkout of git")
    names = listed.stdout.decode().split("\0")[:-1]
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]


def alternatives(pattern):
    """Splits `*.{cpp,h}` into [`*.cpp`, `*.h`]."""
    parts = [part.split(",") for part in re.split(r"[{}]", pattern)]
    return ["".join(chosen) for chosen in itertools.product(*parts)]


class Rules:
    """Reads .editorconfig. If several sections match, the last value counts."""

    def __init__(self, path):
        parser = configparser.ConfigParser()
        parser.read_string("[-]\n" + path.read_text())
        self.sections = [(alternatives(name), parser[name]) for name in parser.sections() if name != "-"]

    def get(self, file, key):
        values = [
            values[key]
            for patterns, values in self.sections
            if key in values
            and any(fnmatch.fnmatch(file if "/" in p else pathlib.PurePath(file).name, p) for p in patterns)
        ]
        return values[-1] if values else None


def faults(root, file, rules):
    text = (root / file).read_text(errors="replace")
    if "\0" in text:  # the file is not text
        return
    lines = text.split("\n")
    limit = rules.get(file, "max_line_length")
    for number, line in enumerate(lines, 1):
        if limit not in (None, "off") and len(line) > int(limit):
            yield f"{file}:{number}: {len(line)} columns, at most {limit} are allowed"
        if line != line.rstrip() and rules.get(file, "trim_trailing_whitespace") == "true":
            yield f"{file}:{number}: blanks at the end"
    if file.startswith(SHIPPED) and file.endswith((".cpp", ".h", ".inc")):
        yield from too_long(file, text.splitlines())
    if text and lines[-1] and rules.get(file, "insert_final_newline") == "true":
        yield f"{file}:{len(lines)}: no newline at the end"


def types(lines):
    """Returns the line and the full name of each type outside of anonymous namespaces."""
    spaces = []
    for number, line in enumerate(lines, 1):
        if opened := re.match(r"(?:inline )?namespace( [\w:]+)? \{$", line):
            spaces.append((opened[1] or "").strip())
        elif line.startswith("} // namespace"):
            spaces.pop()
        elif all(spaces) and (found := DEFINITION.match(line)):
            yield number, "::".join([*spaces, found[1]])


def defined_twice(root, files):
    """Reports two types with the same name, which are undefined behaviour in one program: a linker uses the
    functions of either."""
    places = {}
    for file in files:
        if not file.startswith(SHIPPED) or not file.endswith((".cpp", ".h")):
            continue
        for number, name in types((root / file).read_text().splitlines()):
            other = places.setdefault(name, f"{file}:{number}")
            if not other.startswith(f"{file}:"):
                yield f"{file}:{number}: {name} is defined at {other}, too"


def namespaces(lines):
    """Returns the full name of each opened namespace, without those around it."""
    return {found[1] for line in lines if (found := re.match(r"namespace (ptxray[\w:]*) \{$", line))}


def included(root, files):
    """Returns for each C++ file all files that it includes, directly or indirectly."""
    known = set(files)
    direct = {}
    for file in files:
        folder = pathlib.PurePath(file).parent
        written = re.findall(r'^#include "(.*?)"', (root / file).read_text(), re.M)
        places = [[f"lib/{name}", os.path.normpath(folder / name)] for name in written]
        direct[file] = {place for both in places for place in both if place in known}
    for file in files:
        seen, left = set(), [file]
        while left:
            fresh = direct[left.pop()] - seen
            seen |= fresh
            left += fresh
        yield file, seen


def shadows(root, files):
    """Reports types with the name of a type in an outer namespace that files of the folder include. Their meaning
    would depend on the included files."""
    files = [file for file in files if file.startswith(SHIPPED) and file.endswith((".cpp", ".h"))]
    defined, rooms, seen = {}, {}, {}
    for file, all_seen in included(root, files):
        lines = (root / file).read_text().splitlines()
        for _, name in types(lines):
            defined.setdefault(name, file)
        for space in namespaces(lines):
            rooms.setdefault(space, set()).add(str(pathlib.PurePath(file).parent))
        seen.setdefault(str(pathlib.PurePath(file).parent), set()).update({file, *all_seen})
    for name, file in defined.items():
        *spaces, last = name.split("::")
        for count in range(1, len(spaces)):
            outer = "::".join([*spaces[:count], last])
            for room in sorted(rooms.get("::".join(spaces), set())):
                if defined.get(outer) in seen[room]:
                    yield f"{file}: {name} shadows {outer}, which files of {room} see"
                    break


def functions(lines):
    """Returns the first and last line of each definition. clang-format begins and ends it in the same column."""
    for column in ("", "  ", "    "):
        opening = re.compile(column + r"[A-Za-z_~\[]")
        start = None  # start of the last definition in the column
        for number, line in enumerate(lines, 1):
            if opening.match(line):
                start = number
            elif start is not None and line == column + "}":
                yield start, number
            if line.startswith(column + "}"):
                start = None


def too_long(file, lines):
    if len(lines) > MOST_LINES_OF_FILE:
        yield f"{file}: {len(lines)} lines, at most {MOST_LINES_OF_FILE} are allowed: split it by subject"
    long = []
    for first, last in functions(lines):
        length = last - first + 1
        if length > MOST_LINES_OF_FUNCTION and not any(begin <= first <= end for begin, end in long):
            long.append((first, last))
            yield f"{file}:{first}: a function of {length} lines, at most {MOST_LINES_OF_FUNCTION} are allowed"


def formatted(root, files):
    program = shutil.which("clang-format-22")
    if not program:
        common.skip("clang-format", "no program clang-format-22")
    sources = [file for file in files if file.endswith((".cpp", ".h")) and not file.startswith(OTHERS)]
    return subprocess.run([program, "--dry-run", "--Werror", *sources], cwd=root).returncode == 0


def ruff(root):
    python = common.python_with("ruff==0.17.6")
    return all(
        subprocess.run([python, "-m", "ruff", *command, "--quiet", "."], cwd=root).returncode == 0
        for command in (["check"], ["format", "--check"])
    )


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = tracked(root)
    if sys.argv[2:] == ["--ruff"]:
        sys.exit(0 if ruff(root) else 1)
    rules = Rules(root / ".editorconfig")
    found = [fault for file in files if not file.startswith(OTHERS) for fault in faults(root, file, rules)]
    found += defined_twice(root, files)
    found += shadows(root, files)
    print("\n".join(found[:200]))
    sys.exit(0 if formatted(root, files) and not found else 1)


if __name__ == "__main__":
    main()
