#!/usr/bin/env python3
"""Tests that clang-tidy has no findings: tidy.py BUILD [FILE...]

The test checks all files of lib and tools in BUILD/compile_commands.json, or the given files. It reads the files of
a folder as one, so that common headers are read once, in a tenth of the time. Exit status 77: clang-tidy-22 is
missing. With PTXRAY_REQUIRE=clang-tidy (or all), this is a failure."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "package"))
import common

ROOT = common.ROOT

# Functions in these folders may be recursive.
RECURSIVE = {
    "tools/ptxray-isagen",  # compiles grammar/isa, which is not an untrusted input
}


def stands_alone(file):
    """Returns whether a file must be read separately: it is a program, includes code, or uses a complete namespace."""
    code = pathlib.Path(file).read_text()
    return re.search(r'^(int main\(|#include ".*\.cpp"|using namespace \w+;)', code, re.M) is not None


def compiled(build):
    """Returns the commands of BUILD, one per file. Unity files are split."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if "/Unity/unity_" not in entry["file"]:
            yield entry
            continue
        for file in re.findall(r'^#include "(.*)"', pathlib.Path(entry["file"]).read_text(), re.M):
            yield {**entry, "file": file, "command": entry["command"].replace(entry["file"], file)}


def together(build, wanted):
    """Returns lists of the project's files with the same folder and options, each with a command. Generated files
    are excluded."""
    ours = (str(ROOT / "lib") + "/", str(ROOT / "tools") + "/")
    groups, seen = {}, set()
    for entry in compiled(build):
        file = entry["file"]
        if not file.startswith(ours) or file in seen or (wanted and file not in wanted):
            continue
        seen.add(file)  # tests may compile it again
        flags = entry["command"].split(" -o ")[0]
        alone = file if stands_alone(file) else None
        groups.setdefault((pathlib.Path(file).parent, flags, alone), []).append(entry)
    return list(groups.values())


def as_one(entries, folder, number):
    """Returns the entry of a file that includes those of the entries."""
    path = folder / f"{number}.cpp"
    path.write_text("".join(f'#include "{entry["file"]}"\n' for entry in entries))
    first = entries[0]
    return {**first, "file": str(path), "command": first["command"].replace(first["file"], str(path))}


def main():
    program = shutil.which("clang-tidy-22")
    if not program:
        common.skip("clang-tidy", "no program clang-tidy-22")
    build = pathlib.Path(sys.argv[1]).resolve()
    groups = together(build, {str(pathlib.Path(file).resolve()) for file in sys.argv[2:]})
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        # The largest lists start first, so that no processor waits for them at the end.
        groups.sort(key=len, reverse=True)
        entries = [as_one(group, folder, number) for number, group in enumerate(groups)]
        folders = [str(pathlib.Path(group[0]["file"]).parent.relative_to(ROOT)) for group in groups]
        may_recurse = {entry["file"] for entry, of in zip(entries, folders) if of in RECURSIVE}
        (folder / "compile_commands.json").write_text(json.dumps(entries))

        def tidy(entry):
            command = [program, "-p", folder, "--quiet", f"--config-file={ROOT / '.clang-tidy'}"]
            command += [f"--header-filter=^{ROOT}/(lib|include|tools)/", "--extra-arg=-Wno-unknown-warning-option"]
            if entry["file"] in may_recurse:
                command.append("--checks=-misc-no-recursion")
            command.append(entry["file"])
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            found = re.findall(r"^\S.*?: (?:warning|error): .*", result.stdout, re.M)
            # A failure of clang-tidy without a finding must not pass as success.
            return found or ([f"{entry['file']}: clang-tidy failed"] if result.returncode else [])

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            findings = {finding for found in pool.map(tidy, entries) for finding in found}
    for finding in sorted(findings):
        print(finding.removeprefix(str(ROOT) + "/"))
    files = sum(len(group) for group in groups)
    print(f"{files} files, {len(findings)} findings")
    sys.exit(1 if findings or not files else 0)


if __name__ == "__main__":
    main()
