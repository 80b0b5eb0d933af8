"""Handles texts and positions as an editor sees them, and returns the findings of `ptxray check` for a text."""

import json
import subprocess

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
LEVELS = {1: "error", 2: "warning", 3: "information", 4: "pedantic"}


def units(text, encoding):
    """Returns the number of columns of a text."""
    codec, size = CODECS[encoding]
    return len(text.encode(codec)) // size


def lines_of(text):
    """Splits a text into lines with their ends: LF, CRLF, and CR."""
    lines, begin, i = [], 0, 0
    while i < len(text):
        if text[i] == "\r" and text[i + 1 : i + 2] == "\n":
            i += 1
        if text[i] in "\r\n":
            lines.append(text[begin : i + 1])
            begin = i + 1
        i += 1
    return [*lines, text[begin:]]


def position_of(text, offset, encoding):
    at, lines = 0, lines_of(text)
    for number, line in enumerate(lines):
        if offset < at + len(line) or number + 1 == len(lines):
            return {"line": number, "character": units(line[: offset - at].rstrip("\r\n"), encoding)}
        at += len(line)
    raise AssertionError


def is_within_line_end(text, offset):
    """Returns whether an offset is between the two letters of CRLF, where no position is allowed."""
    return offset > 0 and text[offset - 1 : offset + 1] == "\r\n"


def checked(program, text):
    """Returns the rule, severity, message, and offsets of each finding."""
    run = subprocess.run(
        [program, "check", "--no-config", "--format=json", "-"], input=text.encode(), capture_output=True, check=False
    )
    found = []
    for d in json.loads(run.stdout)["files"][0]["diagnostics"]:
        kind = d["args"].get("kind")
        rule = d["rule"] if kind in (None, "other") else f"{d['rule']}:{kind}"
        begin, end = (len(text.encode()[: d["range"][e]["offset"]].decode()) for e in ("start", "end"))
        found.append((rule, d["severity"], d["message"], begin, end))
    return found


def expected_of(program, text, encoding):
    """Returns the findings that a server with this encoding of columns must report."""
    return [
        (
            rule,
            severity,
            message,
            {"start": position_of(text, begin, encoding), "end": position_of(text, end, encoding)},
        )
        for rule, severity, message, begin, end in checked(program, text)
    ]


def as_expected(diagnostics):
    return [(d["code"], LEVELS[d["severity"]], d["message"], d["range"]) for d in diagnostics]


def change_of(text, begin, end, new, encoding):
    """Returns an edit in the format of the protocol."""
    return {
        "range": {"start": position_of(text, begin, encoding), "end": position_of(text, end, encoding)},
        "text": new,
    }
