#!/usr/bin/env python3
"""Counts the instructions that `ptxray check` executes on fixed inputs, and `fmt` and `lsp` on one of them, because
times would be too noisy.

    instructions.py PTXRAY COMPILER [--record]

Valgrind counts them, and instructions.json contains earlier counts with their compiler. A growth of more than 5 % is a
failure. If it is intended, `--record` writes the new counts, and the commit explains the reason.

`budgets` are absolute limits, in thousands, for each part of `check` on each file, and for lowering one of its
kernels with `run --emulate`. `--record` does not change them. A commit that raises one explains the reason."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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


# These are the parts of `check`, by the function that executes each part. Parsing is the function that calls the
# others.
PARTS = {
    "items": r"ptxray::ModuleCheck::item\(",
    "judge": r"ptxray::ModuleReader::function\(",
    "flow": r"ptxray::checkBody\(",
    "hazards": r"ptxray::checkHazards\(ptxray::Body const",
}


# One kernel of a file is lowered. The result of its launch is ignored.
LOWERED = {
    "math.ptx": ["--kernel=_Z7doublesPdi", "0", "0"],
    "matmul.ptx": ["--kernel=mm", *"00000000"],
}


def inclusive_counts(words, patterns):
    """Returns the instructions of the functions in thousands, including the functions that they call."""
    with tempfile.NamedTemporaryFile() as profile:
        counting = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile.name}"]
        subprocess.run([*counting, *words], capture_output=True)
        annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile.name]
        lines = subprocess.run(annotate, capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for pattern in patterns:
        counts = [int(line.split()[0].replace(",", "")) for line in lines if re.search(pattern, line)]
        if not counts:
            sys.exit(f"no function is called {pattern} any more; name the part anew")
        found.append(max(counts) // 1000)
    return found


def parts(ptxray, file):
    """Returns the instructions in thousands of each part of `check`, and of lowering one kernel."""
    check = [ptxray, "check", "--jobs=1", file]
    total, items, *others = inclusive_counts(check, ["PROGRAM TOTALS", *PARTS.values()])
    found = {"parse": total - items, **dict(zip(list(PARTS)[1:], others, strict=True))}
    if file.name in LOWERED:
        launch = [ptxray, "run", "--emulate", "--grid=1", "--block=32", file, *LOWERED[file.name]]
        (found["lower"],) = inclusive_counts(launch, [r"ptxray::machine::lower\("])
    return found


def is_over_budget(ptxray, budgets):
    is_over = False
    for name, most in budgets.items():
        for part, now in parts(ptxray, HERE / name).items():
            print(f"{name:24} {part:8} {now:8} thousand of at most {most[part]}")
            is_over |= now > most[part]
    return is_over


def colours(text):
    """Returns the messages of an editor that opens a text and requests all its colours."""
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
    counts["fmt of math.ptx"] = count(ptxray, "fmt", ["fmt", "--no-config", "-"], text)
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
        recorded |= {"compiler": compiler, "instructions": counts}
        RECORD.write_text(json.dumps(recorded, indent=2) + "\n")
        return
    grown = False
    for name, now in counts.items():
        before = recorded["instructions"][name]
        print(f"{name:24} {before:12} before, {now:12} now, {100 * (now / before - 1):+.1f} %")
        grown |= now > ALLOWED * before
    sys.exit(is_over_budget(ptxray, recorded["budgets"]) or grown)


main()
