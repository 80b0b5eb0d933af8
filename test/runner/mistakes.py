#!/usr/bin/env python3
"""The mistakes of test/mistakes as docs/mistakes.md shows them.

    mistakes.py PTXRAY SOURCE-FOLDER [--write]

NAME.ptx is what somebody wrote, NAME.before what an earlier ptxray said of it, NAME.right.ptx the text with the advice
taken: neither ptxray nor ptxas has anything against it. No two errors of a file have one place, and what `--fix` makes
has fewer errors. `--write` writes the page.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

HEAD = """# Mistakes, and what is said of them

See here what ptxray says of typical mistakes: texts that people wrote, with the reports of an earlier ptxray and those
of today. Each has its text with the advice taken, which ptxas accepts; `test/mistakes` has the files.
"""


def find_ptxas(source):
    releases = sorted(
        (source / "build/cuda").glob("[0-9]*/bin/ptxas"),
        key=lambda path: [int(part) for part in path.parent.parent.name.split(".")],
    )
    return os.environ.get("PTXRAY_PTXAS") or (releases and str(releases[-1])) or shutil.which("ptxas")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, **options)


def errors_of(ptxray, text):
    done = run(ptxray, "check", "--no-config", "--format=json", "-", input=text)
    return [d for d in json.loads(done.stdout)["files"][0]["diagnostics"] if d["severity"] == "error"]


def section(ptxray, wrong):
    now = run(ptxray, "check", "--no-config", "--no-fold", "--color=never", wrong.name, cwd=wrong.parent, text=True)
    before = wrong.with_suffix(".before").read_text()
    name = wrong.stem.replace("_", " ")
    return f"\n## {name}\n\nBefore:\n\n```\n{before}```\n\nNow:\n\n```\n{now.stdout}```\n"


def problems_of(ptxray, ptxas, wrong):
    """What is not as it should be about one mistake."""
    errors = errors_of(ptxray, wrong.read_bytes())
    places = [error["range"]["start"]["offset"] for error in errors]
    if not errors or len(set(places)) != len(places):
        yield f"{wrong.name}: {len(errors)} errors at {len(set(places))} places"
    fixed = run(ptxray, "check", "--no-config", "--fix", "-", input=wrong.read_bytes()).stdout
    if len(errors_of(ptxray, fixed)) > len(errors):
        yield f"{wrong.name}: `--fix` makes errors"
    right = wrong.with_suffix(".right.ptx")
    if not right.exists():
        return
    text = right.read_bytes()
    for error in errors_of(ptxray, text):
        yield f"{right.name}: {error['message']}"
    target = next(line.split()[1] for line in text.decode().splitlines() if line.strip().startswith(".target"))
    if ptxas:
        done = run(ptxas, "-arch=" + target.replace("sm_", "compute_"), right, "-o", os.devnull, text=True)
        if done.returncode:
            yield f"{right.name}: {done.stderr}"


def main():
    ptxray, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    ptxas = find_ptxas(source)
    wrongs = [path for path in sorted((source / "test/mistakes").glob("*.ptx")) if ".right." not in path.name]
    problems = [problem for wrong in wrongs for problem in problems_of(ptxray, ptxas, wrong)]
    page = HEAD + "".join(section(ptxray, wrong) for wrong in wrongs)
    path = source / "docs/mistakes.md"
    if "--write" in sys.argv:
        path.write_text(page)
    elif path.read_text() != page:
        problems.append("docs/mistakes.md is not what `mistakes.py --write` makes")
    print("\n".join(problems))
    if problems:
        return 1
    if not ptxas:
        print("skipped: no ptxas")
        required = os.environ.get("PTXRAY_REQUIRE", "")
        return 1 if "all" in required or "ptxas" in required else 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
