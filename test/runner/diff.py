#!/usr/bin/env python3
"""Tests tools/dev diff with two programs that differ in every possible way.

diff.py ROOT"""

import json
import pathlib
import subprocess
import sys
import tempfile

# The columns are rule, severity, line, column, and message.
BEFORE = [
    ("same", "error", 1, 1, "a"),
    ("level", "error", 2, 1, "a"),
    ("moved", "error", 3, 1, "a"),
    ("moved", "error", 8, 1, "far"),
    ("was", "error", 4, 1, "a"),
    ("old-name", "error", 5, 1, "a"),
    ("text", "error", 6, 1, "a"),
    ("gone", "error", 7, 1, "a"),
]
AFTER = [
    ("same", "error", 1, 1, "a"),
    ("level", "warning", 2, 1, "a"),
    ("moved", "error", 3, 5, "a"),
    ("moved", "error", 9, 1, "far"),
    ("is", "error", 4, 1, "a"),
    ("new-name", "error", 5, 1, "a"),
    ("text", "error", 6, 1, "b"),
    ("new", "warning", 7, 3, "a"),
]
EXPECTED = {"level: 1 level", "moved: 2 moved", "is: 1 renamed", "text: 1 text", "gone: 1 gone", "new: 1 new"}


def program(path, text, found):
    """Writes a program that prints `found` for any arguments."""
    lines = [
        json.dumps(
            {
                "path": str(text),
                "rule": rule,
                "severity": severity,
                "message": message,
                "notes": [],
                "range": {"start": {"line": line, "column": column}, "end": {"line": line, "column": column}},
            }
        )
        for rule, severity, line, column, message in found
    ]
    path.write_text("#!/bin/sh\ncat <<'END'\n" + "".join(line + "\n" for line in lines) + "END\nexit 1\n")
    path.chmod(0o755)
    return path


def main():
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = folder / "text.ptx"
        text.write_text(".version 9.0\n" * 9)
        names = folder / "names"
        names.write_text("# renamed on purpose\nold-name new-name\n")
        before, after = program(folder / "before", text, BEFORE), program(folder / "after", text, AFTER)

        def differences(tool, *options):
            result = subprocess.run(
                [sys.executable, root / "tools/diff.py", before, text, "--tool", tool, *options],
                stdout=subprocess.PIPE,
                text=True,
            )
            return result.returncode, {line for line in result.stdout.splitlines() if not line.startswith(" ")}

        for status, found, expected in [
            (*differences(before), {"1 texts; 8 diagnostics before, 8 after; 0 differ"}),
            (*differences(after, "--rename", names), EXPECTED | {"1 texts; 8 diagnostics before, 8 after; 7 differ"}),
            (
                *differences(after),
                EXPECTED | {"new-name: 1 renamed", "1 texts; 8 diagnostics before, 8 after; 8 differ"},
            ),
            (
                *differences(after, "--rename", names, "--no-text"),
                EXPECTED - {"text: 1 text"} | {"1 texts; 8 diagnostics before, 8 after; 6 differ"},
            ),
        ]:
            assert found == expected, found ^ expected
            assert status == (0 if len(expected) == 1 else 1), status


if __name__ == "__main__":
    main()
