#!/usr/bin/env python3
"""Measures every figure of docs/performance.md in one run, each as a ratio, and judges it.

    tools/dev bench [--only WORD] [--json FILE]

nvcc (`tools/dev cuda --nvcc`) makes the inputs in build/bench, where they are stored. The script compares the lowest
CPU time of several rounds. In each round the programs take turns, so that other work on the machine disturbs all of
them equally. Comparisons of several cores use wall-clock time. Exit status 1: a figure misses its limit."""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

import embedding
import emulator
import lsp

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tools" / "bench"
NVCC = ROOT / "build" / "cuda" / "nvcc"
PTXAS = ROOT / "build" / "cuda" / "13.5" / "bin" / "ptxas"
INPUTS = ROOT / "build" / "bench"
RELEASE = ROOT / "build" / "release"
PTXRAY = RELEASE / "tools" / "ptxray" / "ptxray"
BENCH = RELEASE / "tools" / "bench" / "bench"
ARCH = "90"
# The columns are name, source, and flags of nvcc.
STYLES = [("cub", "cub.cu", []), ("mma", "mma.cu", []), ("lineinfo", "cub.cu", ["-lineinfo"])]


# ---- inputs


def compiled(name, source, flags):
    output = INPUTS / f"{name}.ptx"
    if not output.exists():
        print(f"compiling {output.name}", file=sys.stderr)
        subprocess.run(
            [
                NVCC / "bin" / "nvcc",
                "-I",
                NVCC / "include",
                "-I",
                NVCC / "include" / "cccl",
                "-std=c++17",
                "--extended-lambda",
                "-w",
                "-ptx",
                f"-arch=compute_{ARCH}",
                *flags,
                HERE / source,
                "-o",
                output,
            ],
            check=True,
        )
    return output


class Module:
    """Splits a file of nvcc into the kernels and the text outside of them."""

    def __init__(self, path):
        self.head, self.kernels = [], []
        kernel, depth = None, 0
        for line in path.read_text().splitlines(keepends=True):
            if kernel is None and (start := re.match(r"(?:\.visible |\.weak )*\.entry (\w+)", line)):
                kernel = (start[1], [])
            (self.head if kernel is None else kernel[1]).append(line)
            depth += line.count("{") - line.count("}")
            if kernel and depth == 0 and "}" in line:
                self.kernels.append((kernel[0], "".join(kernel[1])))
                kernel = None

    def copies(self, size):
        """Returns a module of at least that many bytes, which repeats the kernels under other names."""
        yield "".join(self.head)
        copy = written = 0
        while written < size:
            for name, text in self.kernels:
                renamed = text.replace(name, f"k{copy}_{name[-40:]}")
                yield renamed
                written += len(renamed)
                copy += 1
                if written >= size:
                    return

    def small_modules(self, count, least, most):
        """Returns modules with one kernel each."""
        head = [line for line in self.head if line.strip() and not re.match(r"\.global|\s*//", line)]
        globals_ = [
            (re.search(r"(\w+)(\[\d+\])*( = .*)?;", line)[1], line) for line in self.head if line.startswith(".global")
        ]
        texts = []
        for name, text in self.kernels:
            used = [line for variable, line in globals_ if variable in text]
            if least <= len(text) + sum(map(len, used)) + sum(map(len, head)) <= most:
                texts.append((name, "".join(head + used) + text))
        for i in range(count):
            name, text = texts[i % len(texts)]
            yield text.replace(name, f"k{i}_{name[-40:]}")


def grown(module, megabytes):
    path = INPUTS / f"{megabytes}MB.ptx"
    if not path.exists():
        with open(path, "w") as file:
            file.writelines(module.copies(megabytes * 1_000_000))
    return path


def small_files(module):
    folder = INPUTS / "small"
    if not (folder / "complete").exists():
        folder.mkdir(exist_ok=True)
        for i, text in enumerate(module.small_modules(10_000, 5_000, 50_000)):
            (folder / f"{i:05}.ptx").write_text(text)
        (folder / "complete").touch()
    return folder


INSTRUCTION = re.compile(r"^(\t(?:@!?%p\d+ )?)([a-z]\w*(?:\.\w+)+)( \t)([^;]*%[rf]d?\d[^;]*);$", re.M)
DAMAGES = {
    "a word misspelt": lambda m: f"{m[1]}{m[2]}x{m[3]}{m[4]};",
    "a name undeclared": lambda m: m[1] + m[2] + m[3] + re.sub(r"%[rf]d?(\d)", r"%none\1", m[4], count=1) + ";",
    "an operand of the wrong size": lambda m: (
        m[1] + m[2] + m[3] + re.sub(r"%(?:rd|r|f|fd)(\d)", r"%rs\1", m[4], count=1) + ";"
    ),
    "a semicolon lost": lambda m: m[0][:-1],
}


def faulty_twins(module):
    """Returns the clean file, and one with 100,000 faults of each kind."""
    clean = grown(module, 8)
    text = clean.read_text()
    twins = {}
    for kind, damage in DAMAGES.items():
        path = INPUTS / f"{kind.split()[1]}.ptx"
        if not path.exists():
            damaged, count = INSTRUCTION.subn(damage, text, count=100_000)
            assert count == 100_000, count
            path.write_text(damaged)
        twins[kind] = path
    return clean, twins


def tiny_file():
    path = INPUTS / "1KB.ptx"
    text = (
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
    )
    while len(text) < 1000:
        text += "ld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 7;\n"
    path.write_text(text + "ret;\n}\n")
    return path


# ---- measuring


def stages(path):
    return json.loads(subprocess.run([BENCH, "stages", path], check=True, capture_output=True, text=True).stdout)


def run(rounds, *commands):
    words = []
    for command in commands:
        words += (["++"] if words else []) + [str(word) for word in command]
    output = subprocess.run([BENCH, "run", str(rounds), *words], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


class Report:
    def __init__(self):
        self.lines, self.failed = {}, False

    def line(self, what, value, aim, atLeast, unit=""):
        good = value >= aim if atLeast else value <= aim
        self.failed |= not good
        self.lines[what] = {"value": value, "aim": aim, "good": good}
        print(
            f"{'ok  ' if good else 'FAIL'}  {value:8.2f}{unit}  "
            f"({'at least' if atLeast else 'at most'} {aim:g}{unit})  {what}",
            flush=True,
        )

    def note(self, text):
        print("      " + text, flush=True)


def check(*words):
    return [PTXRAY, "check", "--no-config", *words]


def startup():
    path = INPUTS / "empty.ptx"
    path.write_text(".version 9.0\n.target sm_90\n.address_size 64\n")
    return run(5, check(path))[0]["peak"]


def memory_ratio(path, process):
    return (process["peak"] - startup()) * 1024 / path.stat().st_size


def against_ptxas(report, files):
    ratios = []
    for name, path in files.items():
        ours, theirs = run(9, check(path), [PTXAS, f"-arch=compute_{ARCH}", path, "-o", "/dev/null"])
        assert ours["status"] == 0 and theirs["status"] == 0, (path, ours, theirs)
        ratios.append(theirs["cpu"] / ours["cpu"])
        report.line(f"{name}: CPU time of ptxas over ours", ratios[-1], 7, True, "x")
        report.note(
            f"{path.stat().st_size / 1e6:.2f} MB: ptxray {ours['cpu'] * 1e3:.1f} ms, ptxas {theirs['cpu'] * 1e3:.1f} ms"
        )
        report.line(f"{name}: memory above start-up over the file", memory_ratio(path, ours), 2.5, False, "x")
    report.line("geometric mean of the three", math.prod(ratios) ** (1 / len(ratios)), 10, True, "x")


def steps(report, files):
    for name, path in files.items():
        s = stages(path)
        rate = {step: s["bytes"] / s[step] / 1e6 for step in ("scan", "parse", "check")}
        report.note(
            f"{name}: scan {rate['scan']:.0f}, parse {rate['parse']:.0f}, check {rate['check']:.0f} MB/s; "
            f"{s['instructions']} instructions"
        )
        report.line(
            f"{name}: lexing and parsing, MB/s, where scanning alone makes 550",
            rate["parse"] / rate["scan"] * 550,
            200,
            True,
        )
        if name == "cub":
            report.line(
                "cub: the rules, ns an instruction", (s["check"] - s["parse"]) / s["instructions"] * 1e9, 75, False
            )


def growth(report, module):
    per_megabyte = {}
    for megabytes in (1, 10, 100, 361, 500):
        path = grown(module, megabytes)
        (process,) = run(max(2, min(20, 300 // megabytes)), check(path))
        assert process["status"] == 0
        per_megabyte[megabytes] = process["cpu"] / path.stat().st_size * 1e9
        report.note(
            f"{megabytes} MB: {process['cpu']:.3f} s, {per_megabyte[megabytes]:.2f} ms a MB, "
            f"memory {memory_ratio(path, process):.2f}"
        )
        if megabytes >= 361:
            report.line(
                f"{megabytes} MB: memory above start-up over the file", memory_ratio(path, process), 2.5, False, "x"
            )
            path.unlink()
    report.line(
        "1 to 500 MB: the dearest megabyte over the one of the 1 MB file",
        max(per_megabyte.values()) / per_megabyte[1],
        1.1,
        False,
        "x",
    )


def start(report):
    path = tiny_file()
    ours, theirs = run(50, check(path), [PTXAS, f"-arch=compute_{ARCH}", path, "-o", "/dev/null"])
    report.line("a file of 1 KB, start to finish, ms", ours["wall"] * 1e3, 3, False)
    report.line("a file of 1 KB: time over that of ptxas", ours["wall"] / theirs["wall"], 1 / 3, False, "x")


def many_files(report, module):
    folder = small_files(module)
    names = INPUTS / "small.txt"
    names.write_text("".join(f"{path}\n" for path in sorted(folder.glob("*.ptx"))))
    size = sum(path.stat().st_size for path in folder.glob("*.ptx"))
    one, two, one_each, two_each = run(
        3,
        check("--jobs=1", folder),
        check("--jobs=2", folder),
        *(["xargs", "-a", names, "-n", "1", "-P", str(jobs), *check("--jobs=1")] for jobs in (1, 2)),
    )
    report.note(
        f"10,000 files, {size / 1e6:.0f} MB: wall {one['wall']:.2f} s with one core, {two['wall']:.2f} s with two; "
        f"single calls {one_each['wall']:.2f} and {two_each['wall']:.2f} s"
    )
    report.line("10,000 files: one core over two, wall", one["wall"] / two["wall"], 1.7, True, "x")
    report.line("10,000 files: two cores over xargs with two, wall", two["wall"] / two_each["wall"], 1, False, "x")
    report.line("10,000 files: two cores over xargs with two, CPU", two["cpu"] / two_each["cpu"], 1, False, "x")


def errors(report, module):
    clean, twins = faulty_twins(module)
    for kind, path in twins.items():
        good, bad = run(7, check(clean), check(path))
        assert good["status"] == 0 and bad["status"] == 1, (good, bad)
        shown = subprocess.run(check(path), capture_output=True, text=True).stdout
        report.line(f"100,000 times {kind}: time over that of the clean file", bad["cpu"] / good["cpu"], 3, False, "x")
        report.note(f"{shown.count(chr(10))} lines of output; {shown.splitlines()[-1]}")


def finished(report, options):
    if options.json:
        options.json.write_text(json.dumps(report.lines, indent=1) + "\n")
    return 1 if report.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = "ptxas, steps, growth, start, files, errors, lsp, embedding or emulator"
    parser.add_argument("--only", default="", help=words)
    parser.add_argument("--json", type=pathlib.Path, help="write the figures there")
    options = parser.parse_args()
    INPUTS.mkdir(parents=True, exist_ok=True)
    report = Report()
    if options.only in ("", "emulator"):
        emulator.all_of(report, PTXRAY, INPUTS)
    if options.only == "emulator":
        return finished(report, options)
    files = {name: compiled(name, source, flags) for name, source, flags in STYLES}
    module = Module(files["cub"])
    parts = {
        "ptxas": lambda: against_ptxas(report, files),
        "steps": lambda: steps(report, files),
        "start": lambda: start(report),
        "errors": lambda: errors(report, module),
        "files": lambda: many_files(report, module),
        "growth": lambda: growth(report, module),
        "embedding": lambda: embedding.all_of(report, RELEASE, INPUTS),
        "lsp": lambda: lsp.all_of(report, PTXRAY, {size: grown(module, size) for size in (1, 10)}),
    }
    for name, part in parts.items():
        if options.only in ("", name):
            part()
    return finished(report, options)


if __name__ == "__main__":
    sys.exit(main())
