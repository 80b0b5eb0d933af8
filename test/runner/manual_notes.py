"""Tests that each diagnostic in docs/manual-notes.md exists, and that a line of test/isa or test/module expects it:
manual_notes.py SOURCE_FOLDER"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    notes = (root / "docs/manual-notes.md").read_text()
    known = dict(
        re.findall(
            r'"([a-z0-9-]+)",\s*(Error|Warning|Pedantic)', (root / "lib/Diagnostics/Diagnostics.def").read_text()
        )
    )
    expected = set()
    for path in [*root.glob("test/isa/**/*.ptx"), *root.glob("test/module/**/*.ptx")]:
        for line in path.read_text(errors="replace").splitlines():
            expected.update(re.findall(r"\[([a-z0-9-]+)[\]:]", line.partition("//")[2]))
    wrong = []
    named = re.findall(r"\b(warning|error) `([a-z0-9-]+)`", notes)
    for level, name in named:
        if name not in known:
            wrong.append(f"`{name}` is not a diagnostic")
        elif known[name] != level.capitalize():
            wrong.append(f"`{name}` is no {level}")
        elif name not in expected:
            wrong.append(f"no line of test/isa or test/module expects `{name}`")
    print(f"{len(named)} diagnostics named", *sorted(set(wrong)), sep="\n")
    sys.exit(bool(wrong) or len(named) < 20)


if __name__ == "__main__":
    main()
