#!/usr/bin/env python3
"""Runs the sessions that the documents show and compares what they print: docs_commands.py PTXRAY ROOT [PTXAS].

A session is a block of `console`: after `$ ` a command, below it what it prints on both streams. A line `...` stands
for any lines, one that ends so for any end. Sessions about files that the reader would have (`kernel.ptx`) cannot run
and are counted; so are those that call ptxas where there is none, and the GPU always."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PTXRAY, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PTXAS = next((path.resolve() for path in map(pathlib.Path, sys.argv[3:]) if path.exists()), None)
FEWEST = 7  # sessions that run: fewer means that blocks are no longer found


def sessions(page):
    """Each command of the page with its line and what is printed below it."""
    found, inside = [], False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((number, line[2:], []))
        elif inside and found and found[-1][1].endswith("\\"):
            found[-1] = (found[-1][0], found[-1][1][:-1] + line.strip(), [])
        elif inside and found:
            found[-1][2].append(line)
    return found


def is_runnable(command):
    """Whether it is about files of the repository alone, and needs no GPU."""
    words = command.split("#")[0].split()
    program = words[0]
    if program not in ("ptxray", "ptxas") or (program == "ptxas" and not PTXAS):
        return False
    if "debug" in words or ("run" in words and "--emulate" not in command):  # the first asks a person
        return False
    files = [word for word in words[1:] if re.search(r"\.(ptx|so|cu|py|ll|whl|npy|txt)$", word)]
    return all((ROOT / word).exists() for word in files) and "file:" not in command


def fits(shown, printed):
    """Whether the lines printed are those shown."""
    pattern = ""
    for line in shown:
        if line == "...":
            pattern += r"(?:.*\n)*"
        elif line.endswith("..."):
            pattern += re.escape(line[:-3]) + r".*\n"
        else:
            pattern += re.escape(line) + r"\n"
    return re.fullmatch(pattern, printed) is not None


def run(command, folder):
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    for name in ("NO_COLOR", "PTXRAY_SITE", "CLICOLOR_FORCE"):
        environment.pop(name, None)
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    return "\n".join(line.rstrip() for line in result.stdout.decode().splitlines()) + "\n"


def main():
    ran, left, wrong = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "ptxray").symlink_to(PTXRAY)
        if PTXAS:
            (pathlib.Path(folder) / "ptxas").symlink_to(PTXAS)
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            for number, command, shown in sessions(page):
                place = f"{page.relative_to(ROOT)}:{number}"
                if not is_runnable(command):
                    left.append(f"{place}: {command}")
                    continue
                ran += 1
                printed = run(command, folder)
                if not fits([line.rstrip() for line in shown], printed if printed.strip() else ""):
                    wrong.append(f"{place}: `{command}` prints\n{printed}")
    print("\n".join(left))
    print(f"{ran} sessions ran, {len(left)} are about a reader's own files or need what is not here")
    for text in wrong:
        print(text)
    assert ran >= FEWEST, f"only {ran} sessions were found"
    sys.exit(1 if wrong else 0)


main()
