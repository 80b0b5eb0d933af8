#!/usr/bin/env python3
"""Tests the drafts of docs/found: each report must state the results of ptxas and ptxray for its files. Some results
only come from ptxray.

    found_test.py PTXRAY PTXAS FOLDER

Exit status 77: there is no PTXAS. With PTXRAY_REQUIRE=ptxas (or all), this is a failure."""

import os
import pathlib
import re
import subprocess
import sys

ptxray, ptxas, folder = sys.argv[1:]
if not os.access(ptxas, os.X_OK):
    print("skipped: no", ptxas)
    sys.exit(1 if {"all", "ptxas"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77)

ROW = re.compile(r"\| `[^|]+:\d+`[^|]* \| `([^|`]+\.ptx)` \| `(\w+)` \| `(.*)` \|")
ONLY_PTXRAY = re.compile(r"\| `[^|]+:\d+`[^|]* \| `([^|`]+)` \| `([a-z-]+)` \|\n")
wrong = 0
for report in sorted(pathlib.Path(folder).glob("*/report.md")):
    text = report.read_text()
    rows, others = ROW.findall(text), ONLY_PTXRAY.findall(text)
    files = sorted(path.name for path in report.parent.iterdir() if path != report)
    if sorted([name for name, _, _ in rows] + [name for name, _ in others]) != files:
        print(f"{report}: not each file is in the table once")
        wrong += 1
    for name, arch, said in rows:
        path = report.parent / name
        done = subprocess.run([ptxas, f"-arch={arch}", path, "-o", os.devnull], capture_output=True, text=True)
        words = [ptxray, "check", "--no-config", f"--arch=sm_{arch.split('_')[1]}", path]
        own = subprocess.run(words, capture_output=True)
        ends = f"signal {-done.returncode}"  # this is a bug in ptxas
        if done.returncode == 0 or said not in done.stdout + done.stderr + ends:
            print(f"{path}: ptxas does not say `{said}`")
            wrong += 1
        if own.returncode != (said != ends):
            print(f"{path}: ptxray gives status {own.returncode}")
            wrong += 1
    for name, rule in others:
        done = subprocess.run([ptxray, "check", "--no-config", report.parent / name], capture_output=True, text=True)
        if done.returncode != 0 or f"[{rule}" not in done.stdout:
            print(f"{report.parent / name}: ptxray does not say {rule}")
            wrong += 1
    print(f"{report}: {len(files)} files")
sys.exit(wrong != 0)
