#!/usr/bin/env python3
"""Reduces the findings of ptxray's fuzzers and generated programs: reduce.py [--build FOLDER] FILE...

FILE is a failing input of a fuzzer (`build/dev/test/fuzz/faults/crash-...`), or a failing program of `ptxray generate`.
Such a program is reported by a rule or the emulator, rejected by ptxas, or has a result that depends on the schedule.
The script detects the failure, writes the result to FILE.small, and prints the command that shows the fault.

    reduce.py judge WHAT FILE      status 0: FILE still fails in this way"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The inputs of the first fuzzers are PTX. libFuzzer reduces the inputs of the others byte by byte.
OF_PTX = ("check-fuzzer", "format-fuzzer")
OF_BYTES = ("inline-fuzzer", "binary-fuzzer", "lsp-fuzzer")
SECONDS = 60  # time limit for one run with a file


class Tools:
    def __init__(self, build):
        self.fuzzers = build / "test" / "fuzz"
        inside = [ROOT / "build/release", build, ROOT / "build/quick"]
        self.ptxray = next((p for one in inside if (p := one / "tools/ptxray/ptxray").exists()), "ptxray")
        self.ptxas = ROOT / "build/cuda/13.5/bin/ptxas"


def ran(*command):
    """Returns the status and the output. A command that does not end also has a status."""
    try:
        done = subprocess.run(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return 124, ""
    return done.returncode, done.stdout.decode(errors="replace")


def fails(tools, what, path):
    """Returns whether a file fails in this way."""
    kind, _, detail = what.partition(":")
    if kind == "fuzzer":
        return ran(tools.fuzzers / detail, path)[0] != 0
    eager, other = left_by(tools, path, "eager"), left_by(tools, path, "7")
    if eager is None or other is None:
        return False
    return eager != other if kind == "schedule" else eager == other and detail in rules_in(tools, path)


def rules_in(tools, path):
    said = ran(tools.ptxray, "check", "--no-config", "--format=short", path)[1]
    return re.findall(r"\[([a-z-]+)(?:\]|:)", said)


def launch_of(path):
    found = re.search(r"(?m)^// run: (.*)$", path.read_text(errors="replace"))
    return os.environ.get("PTXRAY_LAUNCH") or (found[1] if found else None)


def left_by(tools, path, schedule):
    """Returns the contents of the second buffer after a run, or None if it does not end correctly."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "left"
        words = ["run", "--emulate", "--no-config", "--cores=1", f"--schedule={schedule}", f"--out=1=file:{out}"]
        status, said = ran(tools.ptxray, *words, path, *launch_of(path).split())
        return out.read_bytes() if status == 0 and not said else None


class Failure:
    """Describes how a file fails, the words of `ptxray reduce` that preserve the failure, and the command that shows
    it (`{}` is the file)."""

    def __init__(self, tools, what, words=None, shown=None):
        judge = [sys.executable, __file__, "--build", tools.fuzzers.parents[1], "judge", what, "{}"]
        self.what, self.words = what, words or ["--", *judge]
        self.shown = shown or f"tools/reduce.py judge {what} {{}}"


def failure(tools, path):
    """Returns the failure of a file, or None."""
    for name in (*OF_PTX, *OF_BYTES):
        if (tools.fuzzers / name).exists() and fails(tools, f"fuzzer:{name}", path):
            return Failure(tools, f"fuzzer:{name}", shown=f"{tools.fuzzers / name} {{}}")
    launch = launch_of(path)
    if rules := rules_in(tools, path):
        what = f"rule:{rules[0]}"
        if launch and fails(tools, what, path):  # a false alarm, if it runs correctly
            return Failure(tools, what)
        return Failure(tools, what, [f"--keep-rule={rules[0]}"], "ptxray check {}")
    if found := of_ptxas(tools, path):
        return found
    if launch is None:
        return None
    said = ran(tools.ptxray, "run", "--emulate", "--no-config", "--format=short", path, *launch.split())[1]
    if found := re.search(r"\[(run-[a-z-]+)\]", said):
        words = [f"--keep-finding={found[1]}", "--", *launch.split()]
        return Failure(tools, found[1], words, "ptxray run --emulate {} (its first line has the launch)")
    return Failure(tools, "schedule") if fails(tools, "schedule", path) else None


def of_ptxas(tools, path):
    """Returns how ptxas fails on a file, or None if it does not fail or is missing."""
    if not tools.ptxas.exists():
        return None
    target = re.search(r"(?m)^\s*\.target\s+(\w+)", path.read_text(errors="replace"))
    architecture = f"-arch={target[1] if target else 'sm_90a'}"
    status, said = ran(tools.ptxas, architecture, path, "-o", os.devnull)
    shown, message = f"ptxas {architecture} {{}}", re.search(r"(?:error|fatal) *: (.*)", said)
    if status < 0 or status > 128:
        return Failure(tools, "ptxas-crash", ["--ptxas-crash", f"--ptxas={tools.ptxas}"], shown)
    if status and message:
        return Failure(tools, "ptxas-says", [f"--ptxas-says={message[1]}", f"--ptxas={tools.ptxas}"], shown)
    return None


def reduce(tools, path, jobs):
    found = failure(tools, path)
    if found is None:
        print(f"{path}: nothing fails at it")
        return False
    small = path.with_name(path.name + ".small")
    name = found.what.removeprefix("fuzzer:")
    if name in OF_BYTES:
        limits = ["-minimize_crash=1", f"-max_total_time={SECONDS - 10}"]
        ran(tools.fuzzers / name, *limits, f"-exact_artifact_path={small}", path)
    else:
        os.environ["PTXRAY_LAUNCH"] = launch_of(path) or ""  # the comment with the launch is removed
        command = [tools.ptxray, "reduce", "--quiet", f"--jobs={jobs}", path, "-o", small, *found.words]
        subprocess.run([str(word) for word in command], check=True)
    sizes = f"{path.stat().st_size} bytes became {small.stat().st_size}"
    print(f"{path}: {found.what}: {sizes}: {found.shown.replace('{}', str(small))}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev", help="where the fuzzers are")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("words", nargs="+", metavar="FILE")
    options = parser.parse_args()
    tools = Tools(options.build)
    if options.words[0] == "judge":
        sys.exit(0 if fails(tools, options.words[1], pathlib.Path(options.words[2])) else 1)
    done = [reduce(tools, pathlib.Path(name), options.jobs) for name in options.words]
    sys.exit(0 if all(done) else 1)


if __name__ == "__main__":
    main()
