#!/usr/bin/env python3
"""CCCL writes `cuda::ptx` from a description of all instructions since sm_80: ptxray and ptxas judge each statement of
those headers for every target of ptxas, and their verdicts must be equal.

    cuda_ptx.py PTXRAY PTXAS FOLDER

The headers must be below FOLDER, where `tools/dev cuda --nvcc` puts them. Exit status 77: the headers or ptxas are
not available. With PTXRAY_REQUIRE=cccl (or all), this is a failure. A comment above each statement lists its
targets. The test prints how many of those ptxas rejects."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ptxray, ptxas, folder = sys.argv[1:4]
headers = sorted(pathlib.Path(folder).rglob("cuda/__ptx/instructions/generated/*.h"))
if not headers or not os.access(ptxas, os.X_OK):
    print("skipped: no headers of cuda::ptx below", folder, "or no", ptxas)
    required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
    sys.exit(1 if {"all", "cccl"} & set(required) else 77)

FEWEST = 2500  # statements; CCCL 13.3 has 2784. A lower number means that the test cannot read the headers.
VALUES = ("0", "1", "2", "8", "16", "24", "32", "128")
FIRST_WITHOUT_FLOATS = 100
known = json.loads(subprocess.run([ptxray, "version", "--format=json"], stdout=subprocess.PIPE, check=True).stdout)
help_text = subprocess.run([ptxas, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
TARGETS = sorted(set(re.findall(r"'sm_(\d+[af]?)'", help_text)), key=lambda name: (int(name.rstrip("af")), name))
version = subprocess.run([ptxas, "--list-version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]


def statements():
    """Returns for each statement its position, its PTX below sm_100 and for later targets, and the targets in the
    comment above it."""
    found = {}
    for target, column in (("sm_90a", 0), ("sm_100a", 1)):
        words = ["check", "--no-config", "--language=cuda", "--show-expansion", "--format=json", f"--target={target}"]
        done = subprocess.run([ptxray, *words, *headers], stdout=subprocess.PIPE)
        for report in json.loads(done.stdout)["files"]:
            assert not report["inline"]["skipped"], report["path"]
            for one in report["inline"]["expansions"]:
                place = (report["path"], one["range"]["start"]["line"])
                found.setdefault(place, ["", ""])[column] = one["text"]
    for (path, line), texts in found.items():
        above = "\n".join(pathlib.Path(path).read_text().splitlines()[: line - 1])
        said = re.findall(r"PTX ISA \d+((?:, SM_\w+)+)", above)
        yield f"{pathlib.Path(path).name}:{line}", texts, re.findall(r"SM_(\w+)", said[-1]) if said else []


def functions_of(text):
    """Returns one function for a statement, or one for each of some values if a constant may have any value."""
    body = text[text.index(".func inlined()") :]
    declared = set(re.findall(r"\.reg \.\w+ (%\d+);", body))
    if declared >= set(re.findall(r"%\d+", body)):
        return [body]
    return [
        re.sub(r"%\d+", lambda found, value=value: found.group() if found.group() in declared else value, body)
        for value in VALUES
    ]


def refused(lines, limits):
    """Returns the functions that contain the lines."""
    found, index = set(), 0
    for line in sorted(lines):
        while index + 1 < len(limits) and limits[index + 1] <= line:
            index += 1
        found.add(index)
    return found


def verdicts(bodies, target):
    """Returns the numbers of the functions that ptxray rejects, and of those that ptxas rejects."""
    parts, limits = [f".version {version}\n.target sm_{target}\n.address_size 64\n"], []
    line = 4
    for body in bodies:
        limits.append(line)
        line += body.count("\n")
        parts.append(body.replace("inlined", f"f{len(limits)}"))
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch, "all.ptx")
        path.write_text("".join(parts))
        done = subprocess.run([ptxray, "check", "--no-config", "--format=json", path], stdout=subprocess.PIPE)
        reported = json.loads(done.stdout)["files"][0]["diagnostics"]
        mine = refused((d["range"]["start"]["line"] for d in reported if d["severity"] == "error"), limits)
        words = [ptxas, f"-arch=compute_{target}", path, "-o", os.devnull]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        theirs = refused(map(int, re.findall(r", line (\d+); (?:error|fatal)", said)), limits)
        return mine, theirs


def main():
    listed = list(statements())
    wrong = 0
    for target in TARGETS:
        from_100 = int(target.rstrip("af")) >= FIRST_WITHOUT_FLOATS
        bodies, owners = [], []
        for number, (_, texts, _) in enumerate(listed):
            made = functions_of(texts[from_100])
            bodies += made
            owners += [number] * len(made)
        mine, theirs = verdicts(bodies, target)
        for index in sorted(mine ^ theirs):
            who = "ptxray" if index in mine else "ptxas"
            print(f"{listed[owners[index]][0]}: {who} alone refuses it for sm_{target}\n{bodies[index]}")
            wrong += 1
        accepted = {owner for index, owner in enumerate(owners) if index not in mine}
        promised = {number for number, (_, _, said) in enumerate(listed) if target in said}
        print(
            f"sm_{target}: {len(bodies)} texts of {len(listed)} statements, {len(accepted)} accepted;",
            f"{len(promised)} are said to be for it, of which ptxas refuses {len(promised - accepted)}",
        )
    if len(listed) < FEWEST:
        sys.exit(f"{len(listed)} statements, not {FEWEST}")
    sys.exit(wrong != 0)


main()
