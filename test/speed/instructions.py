#!/usr/bin/env python3
"""Counts the instructions that `ptxray check` executes on fixed inputs, and `fmt` and `lsp` on one of them, where a
timing would be noise.

    instructions.py PTXRAY COMPILER [--record]

Valgrind counts them; instructions.json holds what they were, and with which compiler. A count that has grown by more
than 5 % fails: if the growth is meant, `--record` writes the new counts, and the commit says why."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instructions.json"
ALLOWED = 1.05
SKIPPED = 77


def count(ptxray, what, words, text=""):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", ptxray, *words],
        input=text,
        capture_output=True,
        text=True,
    )
    if result.returncode:
        sys.exit(f"{what}: ptxray refuses it\n{result.stdout}{result.stderr}")
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def colours(text):
    """what an editor sends that opens a text and asks for all its colours"""
    document = {"uri": "file:///a.ptx", "languageId": "ptx", "version": 1, "text": text}
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "textDocument/semanticTokens/full", "params": {"textDocument": {"uri": document["uri"]}}},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    return "".join(f"Content-Length: {len(body)}\n\n{body}" for body in bodies)


def all_counts(ptxray):
    counts = {file.name: count(ptxray, file.name, ["check", "--jobs=1", file]) for file in sorted(HERE.glob("*.ptx"))}
    text = (HERE / "math.ptx").read_text()
    fmt, middle = ["fmt", "--no-config", "-"], len(text) // 2
    counts["fmt of math.ptx"] = count(ptxray, "fmt", fmt, text)
    counts["the same with a `;` lost"] = count(ptxray, "fmt", fmt, text[:middle] + text[middle:].replace(";", "", 1))
    numbers = ", ".join(map(str, range(40000)))
    table = f"{text[: text.index('.func')]}.global .b32 table[40000] = {{{numbers}}};\n"
    counts["a table of numbers"] = count(ptxray, "check", ["check", "--no-config", "-"], table)
    counts["colours of math.ptx"] = count(ptxray, "lsp", ["lsp"], colours(text))
    return counts


def main():
    ptxray, compiler = sys.argv[1:3]
    recorded = json.loads(RECORD.read_text())
    record = "--record" in sys.argv
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(SKIPPED)
    if recorded["compiler"] != compiler and not record:
        print(f"skipped: the counts hold for {recorded['compiler']}, this is {compiler}")
        sys.exit(SKIPPED)
    counts = all_counts(ptxray)
    if record:
        RECORD.write_text(json.dumps({"compiler": compiler, "instructions": counts}, indent=2) + "\n")
        return
    grown = False
    for name, now in counts.items():
        before = recorded["instructions"][name]
        print(f"{name:24} {before:12} before, {now:12} now, {100 * (now / before - 1):+.1f} %")
        grown |= now > ALLOWED * before
    sys.exit(grown)


main()
