"""Converts the sections of test/isa and test/samples to modules, for scripts; test/README.md describes the sections."""

import pathlib
import re

PRELUDE = pathlib.Path(__file__).resolve().parent / "isa" / "prelude.ptx"


def version(text):
    """Converts `8.6` to 806."""
    major, minor = text.split(".")
    return int(major) * 100 + int(minor)


def holds(condition, ptx, targets):
    """Returns whether `ptx 8.3, sm_70` of the prelude holds. Other words must be words of `.target`."""
    number = int(re.match(r"sm_(\d+)", targets[0])[1]) if targets else 0
    for part in (part.strip() for part in condition.split(",")):
        if part.startswith("ptx "):
            reached = ptx >= version(part[4:])
        elif part.startswith("sm_"):
            reached = number >= int(part[3:])
        else:
            reached = part in targets
        if not reached:
            return False
    return True


def prelude(ptx, targets):
    """Returns the lines before the snippet, and those after it."""
    before, after = [], []
    part = before
    for line in PRELUDE.read_text().splitlines():
        code, _, mark = line.partition("//@ ")
        word, _, condition = mark.partition(" ")
        if mark == "snippet":
            part = after
        elif (
            line.startswith("//")
            or (word == "from" and not holds(condition, ptx, targets))
            or (word == "before" and holds(condition, ptx, targets))
        ):
            continue
        elif code.strip():
            part.append(code.rstrip())
    return before, after


def sections(path):
    """Yields (PTX version, words of `.target`, [(line number, instruction without its mark)]) of a file."""
    marked = path.suffix == ".lines"
    header, lines = None, []
    for number, line in enumerate([*path.read_text(encoding="latin-1").splitlines(), "//@ ptx 1.0, end"], 1):
        if line.startswith("//@"):
            if lines:
                yield (*header, lines)
            found = re.match(r"//@ ptx ([\d.]+),(.*)", line)
            header, lines = (
                (version(found[1]), [word.strip() for word in found[2].split(",") if word.strip() != "pedantic"])
                if found
                else None,
                [],
            )
        elif header and line.strip() and not line.startswith("//"):
            lines.append((number, line[2:] if marked else line))


def module(ptx, targets, lines):
    """Returns the text, and for each of its lines the number from `lines`, or None."""
    before, after = prelude(ptx, targets)
    before = [f".version {ptx // 100}.{ptx % 100}", ".target " + ", ".join(targets), *before]
    origins = [*[None] * len(before), *[number for number, _ in lines], *[None] * len(after)]
    return "\n".join([*before, *[text for _, text in lines], *after, ""]), origins
