#!/usr/bin/env python3
"""Tests the walks of docs/walk.md and docs/machine.md. Each function must be in the named file, and an earlier stop
must call it. Each example must have its report or result. A walk must not have more stops or files than its heading
allows.

    walk.py PTXRAY ROOT"""

import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd1, [p];
"""


def closing(text, begin):
    """Returns the position after the brace that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return at + 1
    return len(text)


def bodies(text, name):
    """Returns the definitions of a function in C++ source, each from its name to its last brace."""
    last = name.split("::")[-1]
    written = re.escape(name) if re.search(rf"\b{re.escape(name)}\(", text) else re.escape(last)
    for match in re.finditer(rf"(?<![\w.>]){written}\(", text):
        brace = re.compile(r"[^;{]*?\)[^;{}]*\{").match(text, match.end())
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if brace and before and not before.endswith(("return", "=", "(", "!", "&&", "||")):
            yield text[match.start() : closing(text, brace.end() - 1)]


def stops(section):
    for line in section.splitlines():
        if match := re.match(r"\| `([\w:]+)`(?: \(`(\w+)`\))? \| `([^`]+)` \|", line):
            yield match[1], match[2] or match[1].split("::")[-1], match[3]


def follow(title, way, root):
    known, wrong, count = "", [], 0
    for name, called, file in way:
        text = (root / file).read_text()
        found = [text] if file.endswith(".g4") else list(bodies(text, name))
        if not found or (file.endswith(".g4") and not re.search(rf"^{name}$", text, re.M)):
            wrong.append(f"{title}: {file} has no `{name}`")
        if count and not re.search(rf"\b{called}\b", known):
            wrong.append(f"{title}: no stop before `{name}` names `{called}`")
        known += "\n".join(found)
        count += 1
    most = int(re.search(r"at most (\d+) stops", title)[1])
    if not 0 < count <= most:
        wrong.append(f"{title}: it has {count} stops")
    if (files := re.search(r"at most (\d+) files", title)) and len({file for _, _, file in way}) > int(files[1]):
        wrong.append(f"{title}: it is in {len({file for _, _, file in way})} files")
    return wrong


def reports(ptxray, section):
    """Returns the promises of the page that the check or the launch of the example does not keep."""
    launch = re.search(r"The command ``(.*?)`` prints ``(.*?)``", section)
    command = launch[1].split() if launch else ["check", "FILE"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "a.ptx")
        file.write_text(HEAD + re.search(r"```ptx\n(.*?)```", section, re.S)[1] + "  ret;\n}\n")
        words = [ptxray, command[0], "--no-config", *(file if word == "FILE" else word for word in command[1:])]
        done = subprocess.run(words, capture_output=True, text=True)
        printed = done.stdout + done.stderr
    promised = launch[2] if launch else re.search(r"The report: ``(.*?)``", section)[1]
    return [] if promised in printed else [f"not reported: {promised}\n{printed}"]


def main(ptxray, root):
    root = pathlib.Path(root)
    wrong, way = [], []
    pages = [(root / "docs" / page).read_text() for page in ("walk.md", "machine.md")]
    sections = [section for page in pages for section in re.split(r"^## ", page, flags=re.M)[1:]]
    walks = [section for section in sections if " at most " in section.split("\n", 1)[0]]
    for section in walks:
        title = section.split("\n", 1)[0]
        shared = re.search(r"The first (\d+) stops are those above", section)
        way = [*way[: int(shared[1]) if shared else 0], *stops(section)]
        wrong += follow(title, way, root) + reports(ptxray, section)
    print("\n".join(wrong))
    return 1 if wrong or len(walks) != 4 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
