#!/usr/bin/env python3
"""Reads docs/seeds.md: all figures and tables of the documents have a row, and every command that answers one works.

  seeds.py PTXRAY REPOSITORY
"""
import pathlib
import re
import shlex
import subprocess
import sys


def main():
    ptxray, text = sys.argv[1], (pathlib.Path(sys.argv[2]) / "docs/seeds.md").read_text()
    wrong = []
    for name, first, last in [("Figure", 104, 110), ("Figure", 182, 267), ("Table", 39, 55)]:
        for number in range(first, last + 1):
            if len(re.findall(rf"^\| {name} {number} \|", text, re.M)) != 1:
                wrong.append(f"{name} {number} has not one row")
    commands = set(re.findall(r"`ptxray ((?:layout|desc) [^`]+)`", text))
    for command in sorted(commands):
        done = subprocess.run([ptxray, *shlex.split(command)], capture_output=True, text=True)
        if done.returncode or not done.stdout:
            wrong.append(f"`ptxray {command}`: {done.stderr.strip() or done.stdout.strip()[-200:]}")
    for line in wrong:
        print(line)
    print(f"{len(commands)} commands, {len(wrong)} mistakes")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
