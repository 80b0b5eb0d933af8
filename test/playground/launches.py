#!/usr/bin/env python3
"""Runs the launches of the playground's examples with the native program: launches.py PTXRAY SOURCE-FOLDER

Each kernel must run without a fault, except those that demonstrate one, which compute a wrong number with the named
schedule. Each stop of a tour must be at its instruction, and its watched expressions must have values."""

import json
import pathlib
import subprocess
import sys

FAULTY = {"late": "unwaited-copy", "copy": "unwaited-copy"}


def run(ptxray, source, example, *more):
    words = [ptxray, "run", "--emulate", "--format=short", source / example["file"], *example["words"].split(), *more]
    return subprocess.run(words, capture_output=True, text=True)


def problems_of_launch(ptxray, source, example):
    name, rule = example["name"], FAULTY.get(example["name"])
    done = run(ptxray, source, example)
    said = done.stdout + done.stderr
    if not rule:
        if done.returncode or "error" in said:
            yield f"{name}: {said}"
        return
    if "error: " not in said or f"[{rule}]" not in said:
        yield f"{name}: {rule} is not reported: {said}"
    output = ["--no-checks", "--out=1=u32"]
    late, early = (run(ptxray, source, example, *output, *more).stdout for more in ([], ["--schedule=eager"]))
    if late.splitlines()[-1] == early.splitlines()[-1]:
        yield f"{name}: the number is not wrong: {late.splitlines()[-1]}"


def problems_of_tour(ptxray, source, example):
    text = (source / example["file"]).read_text().splitlines()
    words = [ptxray, "debug", source / example["file"], *example["words"].split()]
    for number, stop in enumerate(example["tour"], 1):
        commands = [*stop["do"], "where", *stop["watch"]]
        done = subprocess.run(words, input="\n".join(commands) + "\n", capture_output=True, text=True)
        lines = done.stdout.splitlines()
        place = [line for line in lines if line[:5].strip().isdigit() and line[:5].strip() != "0"]
        if stop["at"] and not any(stop["at"] in line for line in place):
            yield f"stop {number} is not at {stop['at']}: {done.stdout}"
        for said in ("neither a", "not all of these", "no matrix", "is not alive", "is needed", "no command"):
            if said in done.stdout and stop["at"]:
                yield f"stop {number}: {done.stdout}"
        for command in stop["do"]:
            if command.startswith("until ") and command[6:].isdigit() and not text[int(command[6:]) - 1].strip():
                yield f"stop {number}: {command} is an empty line"


def main():
    ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
    examples = json.loads((source / "tools/playground/examples/index.json").read_text())
    launched = [example for example in examples if "words" in example]
    problems = []
    for example in launched:
        problems += problems_of_launch(ptxray, source, example)
        problems += problems_of_tour(ptxray, source, example) if "tour" in example else []
    print("\n".join(problems) or f"{len(launched)} launches")
    return 1 if problems or len(launched) < 6 or not any("tour" in example for example in examples) else 0


if __name__ == "__main__":
    sys.exit(main())
