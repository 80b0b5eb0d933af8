#!/usr/bin/env python3
"""Tests that the output of ptxray.wasm equals that of the native program, byte for byte: parity.py PTXRAY PTXRAY.WASM
SOURCE-FOLDER

The test runs all commands of test/cli, and `check`, `hazards`, `graph`, `fmt`, `dump` and `targets` on 200 files of
the tests. It launches the examples and the kernels of test/emulate/adversary with their faulty versions, and runs
sessions of the debugger. Skipped (77) without node or without the program for WebAssembly, unless PTXRAY_REQUIRE
names `playground` or `all`."""

import base64
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# The WebAssembly program lacks these commands, which call other programs. The help lists commands, and is therefore
# excluded.
LINUX_ONLY = {"as", "emulate", "prove", "ptxas", "reduce"}
COMMANDS = [
    ["check"],
    ["check", "--format=json", "--pedantic"],
    ["hazards"],
    ["hazards", "--format=svg"],
    ["graph", "--format=svg"],
    ["fmt", "--check"],
    ["dump"],
    ["targets"],
]


def jobs_of_cli(folder):
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            lines = file.read_text().split("\n")
        except UnicodeDecodeError:
            continue
        for line in lines:
            kind, _, words = line.removeprefix("// ").partition(": ")
            if not line.startswith("// ") or kind.split("[")[0] not in ("RUN", "FAIL"):
                continue
            words = [word.replace("%", file.name, 1) for word in words.split()]
            stdin = None
            if words[-2:-1] == ["<"]:
                stdin, words = words[-1], words[:-2]
            if (words and words[0] in LINUX_ONLY) or {"--help", "help", "lsp", "dap"} & set(words):
                continue
            if words[:1] == ["run"] and not any(word.startswith("--emulate") for word in words):
                continue
            yield {"args": words, "cwd": str(folder), "stdin": stdin}


def jobs_of_files(source):
    files = sorted((source / "test").rglob("*.ptx"))
    for file in files[:: max(1, len(files) // 200)][:200]:
        for words in COMMANDS:
            yield {"args": [*words, str(file)], "cwd": str(file.parent), "stdin": None}


def run(file, words, *options):
    words = ["run", "--emulate", "--no-config", *options, file.name, *words]
    return {"args": words, "cwd": str(file.parent), "stdin": None}


def jobs_of_examples(source):
    examples = json.loads((source / "tools/playground/examples/index.json").read_text())
    for example in examples:
        words = example.get("words", "").split()
        if not words:
            continue
        file, number = source / example["file"], len([word for word in words if not word.startswith("--")]) - 1
        number -= len([word for word in words if word == "--buffer"])
        outputs = ["--out", f"{number}=hex", "--counters"]
        for schedule in ("eager", "lazy", "early", "1", "2", "weak:3"):
            yield run(file, [*words, f"--schedule={schedule}"], *outputs)
            yield run(file, [*words, f"--schedule={schedule}"], *outputs, "--no-checks")


def jobs_of_adversary(source, folder):
    """Yields each kernel and each of its faulty versions with some schedules."""
    sys.path.append(str(source / "test" / "emulate"))
    import adversary

    for path in sorted((source / "test/emulate/adversary").glob("*.ptx")):
        text = path.read_text()
        words = re.search(r"^// launch: (.*)$", text, re.MULTILINE).group(1).split()
        for name in ["", *re.findall(r"^// twin ([a-z-]+):", text, re.MULTILINE)]:
            file = folder / f"{path.stem}-{name or 'right'}.ptx"
            file.write_text(adversary.twin_of(text, name))
            for schedule in ("--schedule=eager", "--schedules=3"):
                yield run(file, words, "--kernel=kernel", schedule, "--format=json")


def jobs_of_debugger(source, folder):
    for path in sorted((source / "test/debug").glob("*.txt")):
        first, *lines = path.read_text().splitlines()
        if not first.startswith("$ ptxray "):
            continue
        typed, prompt = folder / path.name, "(ptxray) "
        typed.write_text("".join(line.removeprefix(prompt) + "\n" for line in lines if line.startswith(prompt)))
        yield {"args": shlex.split(first.removeprefix("$ ptxray ")), "cwd": str(source), "stdin": str(typed)}


def native(ptxray, job):
    stdin = (pathlib.Path(job["cwd"]) / job["stdin"]).read_bytes() if job["stdin"] else b""
    done = subprocess.run([ptxray, *job["args"]], cwd=job["cwd"], input=stdin, capture_output=True, env={})
    return done.returncode, done.stdout, done.stderr


def problems_of(ptxray, wasm, source, jobs):
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    words = ["node", source / "test/playground/batch.mjs", source / "tools/playground", wasm]
    done = subprocess.run(words, input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(jobs):
        yield f"{len(answers)} answers to {len(jobs)} commands: {done.stderr[-2000:]}"
    for job, answer in zip(jobs, answers):
        same = (answer.get("status"), *(base64.b64decode(answer[name]) for name in ("stdout", "stderr")))
        expected = native(ptxray, job)
        if same != expected:
            yield f"{' '.join(job['args'])}: {answer['trap']}\n  {expected}\n  {same}"[:1500]


def main():
    ptxray, wasm, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if not wasm.exists() or not shutil.which("node"):
        print("skipped: no node, or no ptxray.wasm (tools/dev playground makes it)")
        return 1 if {"playground", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
    with tempfile.TemporaryDirectory() as folder:  # a command may write
        cli = shutil.copytree(source / "test" / "cli", pathlib.Path(folder) / "cli", symlinks=True)
        launches = pathlib.Path(folder) / "launches"
        launches.mkdir()
        jobs = [*jobs_of_cli(cli), *jobs_of_files(source), *jobs_of_examples(source)]
        jobs += [*jobs_of_adversary(source, launches), *jobs_of_debugger(source, launches)]
        problems = list(problems_of(ptxray, wasm, source, jobs))
    print("\n".join(problems))
    print(f"{len(jobs)} commands, {len(problems)} differ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
