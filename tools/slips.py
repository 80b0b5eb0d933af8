#!/usr/bin/env python3
"""Measures how well typos are reported.

    tools/slips.py --tool build/release/tools/ptxray/ptxray FILE... [--count N] [--seed S] [--show K]

Makes random edits in correct files: a semicolon, comma, bracket or brace lost or doubled, a stray character or quote, a
misspelt word. One typo should be reported on its line, with no other report. Of two typos far apart, both should be
reported. With --ptxas PATH, a typo that ptxas accepts does not count.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[A-Za-z0-9_.$%:]+|[^\sA-Za-z0-9_.$%:]', re.S)
PUNCTUATION = ";,[]{}()"
OLDEST_ARCH = 75  # oldest target of ptxas 13
STRAY = "$#\\`'\"?!@^&|=~"


def places(text):
    """Returns where a typo may happen: (begin, end) of the tokens outside comments and strings."""
    return [m.span() for m in TOKEN.finditer(text) if not m.group().startswith(("//", "/*", '"'))]


def slip(text, spans, rng):
    """Returns one edit: (begin, end, replacement, what)."""
    while True:
        kind = rng.choice(["lose", "lose", "double", "double", "stray", "word"])
        begin, end = rng.choice(spans)
        token = text[begin:end]
        if kind in ("lose", "double"):
            wanted = rng.choice(";," + PUNCTUATION)
            begin, end = rng.choice(spans)
            for _ in range(200):
                if text[begin:end] == wanted:
                    break
                begin, end = rng.choice(spans)
            if text[begin:end] != wanted:
                continue
            return begin, end, "" if kind == "lose" else wanted * 2, f"{kind} {wanted}"
        if kind == "stray":
            at = rng.choice([begin, end])
            char = rng.choice(STRAY)
            return at, at, char, f"stray {char}"
        letters = [i for i in range(len(token) - 1) if token[i : i + 2].isalpha() and token[i] != token[i + 1]]
        if len(token) < 3 or not letters:
            continue
        i = rng.choice(letters)
        changed = rng.choice([token[:i] + token[i + 1] + token[i] + token[i + 2 :], token[:i] + token[i + 1 :]])
        return begin, end, changed, "word"


def apply(text, edits):
    for begin, end, new, _ in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def lines_reported(tool, paths):
    run = subprocess.run([*tool, "check", "--format=json", *paths], capture_output=True, text=True)
    try:
        files = json.loads(run.stdout)["files"]
    except (json.JSONDecodeError, KeyError):
        sys.exit(f"no JSON from {tool}: {run.stderr[:500]}")
    return [
        [(d["range"]["start"]["line"], d["rule"], d["message"]) for d in f["diagnostics"] if d["severity"] == "error"]
        for f in files
    ]


def accepted_by_ptxas(ptxas, path, text):
    number, variant = re.search(r"\.target\s+sm_(\d+)(\w?)", text).groups()
    arch = max(int(number), OLDEST_ARCH)
    run = subprocess.run([ptxas, f"-arch=compute_{arch}{variant}", path, "-o", os.devnull], capture_output=True)
    return run.returncode == 0


def any_accepted(ptxas, path, text, edits):
    """Returns whether the text is valid after one of the typos."""
    if len(edits) == 1:
        return accepted_by_ptxas(ptxas, path, text)
    for edit in edits:
        with open(path + ".alone", "w", encoding="latin-1", newline="") as file:
            file.write(apply(text, [edit]))
        if accepted_by_ptxas(ptxas, path + ".alone", text):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tool", default="ptxray")
    parser.add_argument("--ptxas")
    parser.add_argument("--count", type=int, default=1000, help="one-slip edits, and half as many of two")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="failures to print of each kind")
    parser.add_argument("--largest", type=int, default=200000, help="files above are left out")
    args = parser.parse_args()
    rng = random.Random(args.seed)

    sources = []
    for path in args.files:
        with open(path, encoding="latin-1", newline="") as file:
            text = file.read()
        if len(text) <= args.largest:
            sources.append((path, text, places(text)))
    clean = lines_reported([args.tool], [path for path, _, _ in sources])
    for (path, _, _), found in zip(list(sources), clean):
        if found:
            print(f"left out, not clean: {path}: line {found[0][0]}: {found[0][2]}")
    sources = [s for s, found in zip(sources, clean) if not found]
    if not sources:
        sys.exit("no clean file")

    jobs = []
    for i in range(args.count + args.count // 2):
        path, text, spans = rng.choice(sources)
        edits = [slip(text, spans, rng)]
        if i >= args.count:
            for _ in range(100):
                other = slip(text, spans, rng)
                apart = abs(text.count("\n", 0, other[0]) - text.count("\n", 0, edits[0][0]))
                if apart > 20:
                    edits.append(other)
                    break
            else:
                continue
        jobs.append((path, text, sorted(edits)))

    totals = collections.Counter()
    by_kind = collections.defaultdict(collections.Counter)
    shown = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(jobs), 50):
            batch = jobs[start : start + 50]
            paths = []
            for k, (_, text, edits) in enumerate(batch):
                paths.append(os.path.join(folder, f"{k}.ptx"))
                with open(paths[-1], "w", encoding="latin-1", newline="") as file:
                    file.write(apply(text, edits))
            for path, (origin, text, edits), found in zip(paths, batch, lines_reported([args.tool], paths)):
                if args.ptxas and any_accepted(args.ptxas, path, text, edits):
                    totals["accepted"] += 1
                    continue
                wanted = [text.count("\n", 0, e[0]) + 1 for e in edits]
                reported = {line for line, _, _ in found}
                all_there = all(w in reported for w in wanted)
                elsewhere = sorted(reported - set(wanted))
                what = ", ".join(e[3] for e in edits)
                if len(edits) == 1:
                    totals["one"] += 1
                    totals["one on its line"] += all_there
                    totals["one nothing elsewhere"] += not elsewhere
                    by_kind[what]["all"] += 1
                    by_kind[what]["there"] += all_there
                    by_kind[what]["silent elsewhere"] += not elsewhere
                else:
                    totals["two"] += 1
                    totals["two both"] += all_there
                fault = "missed" if not all_there else "elsewhere" if elsewhere else None
                if fault and shown[fault] < args.show:
                    shown[fault] += 1
                    print(f"{fault}: {origin}:{wanted} {what}")
                    for w in wanted:
                        print("   |", apply(text, edits).split("\n")[w - 1][:150])
                    for line, rule, message in found[:4]:
                        print(f"   {line}: {message} [{rule}]")
    for what, count in sorted(by_kind.items()):
        print(
            f"{what:10} {count['all']:5}  on its line {100 * count['there'] / count['all']:5.1f} %  "
            f"nothing elsewhere {100 * count['silent elsewhere'] / count['all']:5.1f} %"
        )
    print(
        f"one slip:  {totals['one']} tried, on its line "
        f"{100 * totals['one on its line'] / max(1, totals['one']):.1f} %, nothing elsewhere "
        f"{100 * totals['one nothing elsewhere'] / max(1, totals['one']):.1f} %"
    )
    print(f"two slips: {totals['two']} tried, both reported {100 * totals['two both'] / max(1, totals['two']):.1f} %")
    if args.ptxas:
        print(f"accepted by ptxas, not counted: {totals['accepted']}")


if __name__ == "__main__":
    main()
