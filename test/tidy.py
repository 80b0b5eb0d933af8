#!/usr/bin/env python3
"""clang-tidy without findings: tidy.py BUILD [--since REVISION | FILE...]

Without files, all of lib and tools that BUILD/compile_commands.json knows; with --since those that differ from a
revision. Exit status 77: clang-tidy-22 is missing; with PTXRAY_REQUIRE=clang-tidy (or all) that fails."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "package"))
import common

ROOT = common.ROOT


def sources(build):
    """Those of ours, not what was generated; each once, though tests may compile it again."""
    files = {entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())}
    ours = (str(ROOT / "lib") + "/", str(ROOT / "tools") + "/")
    return sorted(file for file in files if file.startswith(ours))


def changed(revision):
    command = ["git", "-C", ROOT, "diff", "--name-only", revision, "--"]
    names = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    return {str(ROOT / name) for name in names}


def main():
    program = shutil.which("clang-tidy-22")
    if not program:
        common.skip("clang-tidy", "no program clang-tidy-22")
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    files = sources(build)
    if wanted[:1] == ["--since"]:
        files = [file for file in files if file in changed(wanted[1])]
    elif wanted:
        files = [str(pathlib.Path(file).resolve()) for file in wanted]

    def tidy(file):
        command = [program, "-p", build, "--quiet", "--extra-arg=-Wno-unknown-warning-option", file]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return re.findall(r"^\S+:\d+:\d+: (?:warning|error): .*", result.stdout, re.M)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = {finding for found in pool.map(tidy, files) for finding in found}
    for finding in sorted(findings):
        print(finding.removeprefix(str(ROOT) + "/"))
    print(f"{len(files)} files, {len(findings)} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
