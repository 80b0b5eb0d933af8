#!/usr/bin/env python3
"""Tests whether nvcc rejects every statement in which ptxray finds an error, for each target that nvcc supports.
Without nvcc, ptxas judges the statement:

    confirm_inline.py PTXRAY PTXAS FILE|FOLDER...

`tools/dev cuda --nvcc` installs nvcc. Exit status 1: a statement is accepted for some target."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import inline_judge  # noqa: E402 - found by the line above

ptxray, ptxas, *paths = sys.argv[1:]


def main():
    judge = inline_judge.Judge(ptxas, ROOT / "build" / "cuda" / "nvcc" / "bin" / "nvcc")
    words = ["check", "--no-config", "--inline", "--show-expansion", "--format=json"]
    done = subprocess.run([ptxray, *words, *paths], stdout=subprocess.PIPE)
    errors = [error for report in json.loads(done.stdout)["files"] for error in inline_judge.errors_of(report)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda e: judge.confirm(e["rule"], e["module"], e["statement"]), errors))
    for error, (who, said, accepted) in zip(errors, answers, strict=True):
        path, line = error["place"]
        verdict = f"accepted for {' '.join(accepted)}" if accepted else "refused for all targets"
        wrong += bool(accepted) or not said
        print(f"{path}:{line}: {error['message']} [{error['rule']}]\n    {who}: {said or 'nothing'}; {verdict}")
    print(f"{len(errors)} errors, {wrong} of them not confirmed", file=sys.stderr)
    sys.exit(wrong != 0)


main()
