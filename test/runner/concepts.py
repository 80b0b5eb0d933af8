#!/usr/bin/env python3
"""Tests the pages of docs/concepts: `explain` finds them by all their names, their links are valid, their kernels are
correct, and the instructions that they name exist.

concepts.py PTXRAY SOURCE-FOLDER
"""

import pathlib
import re
import subprocess
import sys

ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
problems, names, known = [], {}, set()
pages = sorted((source / "docs/concepts").glob("*.md"))
for path in pages:
    text = path.read_text()
    head = re.match(r"# (.+)\n\nAlso: (.+?)\n\n", text, re.S)
    if not head:
        problems.append(f"{path.name}: no title, or no line of other names")
        continue
    for name in [head[1], path.stem, *re.split(r", ", head[2].replace("\n", " "))]:
        if names.setdefault(name.lower(), path.stem) != path.stem:
            problems.append(f"{path.name}: `{name}` is a name of {names[name.lower()]}, too")
        for written in {name, name.upper(), name.replace(" ", "-")} if not name.startswith(".") else {name}:
            done = subprocess.run([ptxray, "explain", written], capture_output=True, text=True)
            if f"{head[1]} - a concept" not in done.stdout:
                problems.append(f"{path.name}: `explain {written}` does not show it: {done.stderr.strip()}")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if not (path.parent / link).is_file():
            problems.append(f"{path.name}: no {link}")
    for opcode in set(re.findall(r"`([a-z]\w*(?:\.[\w:]+)+)[ `]", text)) - known:
        known.add(opcode)
        done = subprocess.run([ptxray, "explain", opcode], capture_output=True, text=True)
        if done.returncode or "No form has these words" in done.stdout or "nothing is called" in done.stdout:
            problems.append(f"{path.name}: no instruction `{opcode}`")
    for kernel in re.findall(r"```ptx\n(.*?)```", text, re.S):
        done = subprocess.run([ptxray, "check", "--no-config", "-"], input=kernel, capture_output=True, text=True)
        if done.returncode or "warning" in done.stdout:
            problems.append(f"{path.name}: {done.stdout}")
print("\n".join(problems) or f"{len(pages)} concepts with {len(names)} names")
sys.exit(bool(problems) or len(pages) < 20)
