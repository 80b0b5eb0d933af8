#!/usr/bin/env python3
"""Runs the commands that the documents show: docs_commands.py PTXRAY ROOT [PTXAS].

A session is a block of `console`: a command after `$ `, and below it the expected output of both streams. A line
`...` stands for any lines, and `...` at the end of a line for any end. A block of `sh` is a script. A line of
another block is a command if it begins with the name of a program; two or more blanks separate a description. These
must end with the status 0, or with 1 for findings. All commands run in a folder with the repository and a reader's
files. LEFT lists commands that cannot run there, with the reason. The subcommands and options of commands in
sentences must exist, and commands that look up names are run."""

import collections
import functools
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

PTXRAY, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PTXAS = next((path.resolve() for path in map(pathlib.Path, sys.argv[3:]) if path.exists()), None)
FEWEST = 350  # minimum number of commands that run; a lower number means that blocks are not found any more
PROGRAMS = ("ptxray", "tools/", "pip ", "cmake ", "python3 ")

# Commands with such words are skipped for this reason, or because that test runs them.
LEFT = {
    r"ptxray run (?!--emulate)": "a GPU",
    r"ptxray (record|replay) ": "a GPU; the test emulate-record runs both over the emulated driver",
    r"--differs-from-emulator": "a GPU",
    r"ptxray debug ": "a person who types; test/debug/fault.txt is this session",
    r"nvcc|-hook": "nvcc",
    r"client\.py": "the driver's library and a program of the reader's; the test emulate-driver",
    r"tools/dev check": "a clone in which nothing was built; the test first_answer",
    r"tools/dev (test|bench|hunt|release)|test/release": "many minutes; each is a long test",
    r"tools/dev build|cmake -S|cmake --build": "a build; the test recipes",
    r"pip install": "a build; the test wheel",
    r"tools/slips\.py": "a corpus of real files",
}
LOOK_UP = ("explain", "layout", "desc", "isa", "rules")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|[<\[]|\.\.\.|--list|--field")
OF_PTXAS = r"(^|\n)ptxas |--ptxas-crash"

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry {name}(.param .u64 in, .param .u64 out, .param .u32 count)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r4, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r4, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd4, %rd1, %rd3;
    add.u64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    mul.rn.f32 %f2, %f1, 0f40000000;
    st.global.f32 [%rd5], %f2;
DONE:
    ret;
}}
"""
DRAW = """.version 8.0
.target sm_80
.address_size 64
.visible .entry draw(.param .u64 .ptr image, .param .u64 drawn)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    .reg .f32 %f<5>;
    ld.param.u64 %rd1, [image];
    ld.param.u64 %rd2, [drawn];
    mov.f32 %f1, 0f3F000000;
    tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f1}];
    mov.u32 %r1, 0;
    cvt.rzi.u32.f32 %r2, %f1;
    sust.b.2d.b32.trap [%rd2, {%r1, %r1}], %r2;
    ret;
}
"""


def npy(values, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}f", *values)


def lay_out(desk):
    """Copies the repository and a reader's files into the folder."""
    for name in ("docs", "test", "tools", "grammar"):
        (desk / name).symlink_to(ROOT / name)
    for folder in ("bin", "include", "src", "kernels", "build", "dist"):
        (desk / folder).mkdir()
    (desk / "bin" / "ptxray").symlink_to(PTXRAY)
    if PTXAS:
        (desk / "bin" / "ptxas").symlink_to(PTXAS)
    text = KERNEL.format(name="gemm")
    for name in ("kernel.ptx", "a.ptx", "gemm.ptx", "wrong.ptx", "kernels/one.ptx"):
        (desk / name).write_text(text)
    (desk / "draw.ptx").write_text(DRAW)
    numbers = [float(i) for i in range(1024)]
    (desk / "input.npy").write_bytes(npy(numbers, "(1024,)"))
    (desk / "expected.npy").write_bytes(npy([2 * number for number in numbers], "(1024,)"))
    (desk / "image.npy").write_bytes(npy([1.0] * 4096, "(64, 64)"))
    source = '__device__ void wait() { asm volatile("bar.sync 0;" ::: "memory"); }\n'
    (desk / "kernel.cu").write_text(source)
    (desk / "src" / "kernel.cu").write_text(source)
    (desk / "build" / "compile_commands.json").write_text("[]")
    (desk / "dist" / "library.whl").write_bytes((ROOT / "docs" / "examples" / "library.so").read_bytes())
    (desk / "is-wrong.sh").write_text('#!/bin/sh\ngrep -q "mul.rn.f32" "$1"\n')
    (desk / "is-wrong.sh").chmod(0o755)


Command = collections.namedtuple("Command", "line text shown")  # shown: None if only the status is compared


def commands(page):
    """Returns the commands of a page."""
    found, kind = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            kind = line[3:] if kind is None else None
            goes_on = False
        elif kind == "console" and line.startswith("$ "):
            found.append(Command(number, line[2:], []))
        elif kind == "console" and found[-1].text.endswith("\\"):
            found[-1] = Command(found[-1].line, found[-1].text[:-1] + line.strip(), [])
        elif kind == "console":
            found[-1].shown.append(line)
        elif kind == "sh" and goes_on:
            found[-1] = Command(found[-1].line, found[-1].text + "\n" + line, None)
        elif kind == "sh":
            found.append(Command(number, line, None))
            goes_on = True
        elif kind == "" and line.startswith(PROGRAMS) and not re.match(r"[\w-]+:|\w+\(", line):
            found.append(Command(number, re.split(r" {2,}", line)[0], None))
    return found


def mentions(page):
    """Returns the commands in sentences and tables of a page, without those in blocks."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), page.read_text(), flags=re.S | re.M)
    for found in re.finditer(r"`(ptxray [^`]+)`", text):
        yield Command(text.count("\n", 0, found.start()) + 1, " ".join(found[1].split()), None)


@functools.cache
def help_of(subcommand, desk):
    """Returns the output of --help, and `--help` itself, or an empty text if the subcommand does not exist."""
    result = run(f"ptxray {subcommand} --help", desk, desk)
    return "" if result.returncode else result.stdout.decode() + "--help"


def problem_of_mention(text, desk):
    """Returns the problem with a command in a sentence. Words in capitals are placeholders."""
    words = text.split(" -- ")[0].replace("--field", "").split()[1:]
    asks = words[0] in LOOK_UP and any(not word.startswith("-") for word in words[1:])
    if words[0].startswith("-") or (asks and not PLACEHOLDER.search(text)):
        result = run(text, desk, desk)
        return f"ends with {result.returncode}: {result.stdout.decode()}" if result.returncode else ""
    text = help_of(words[0], desk)
    unknown = [word for word in words if word.startswith("--") and not re.search(word.split("=")[0] + r"\b", text)]
    return f"has {unknown}, which is not in its --help" if unknown else "" if text else "is not a subcommand"


def fits(shown, printed):
    """Returns whether the printed lines match the shown lines."""
    pattern = ""
    for line in shown:
        if line == "...":
            pattern += r"(?:.*\n)*"
        elif line.endswith("..."):
            pattern += re.escape(line[:-3]) + r".*\n"
        else:
            pattern += re.escape(line) + r"\n"
    return re.fullmatch(pattern, printed) is not None


def run(command, folder, desk):
    environment = {**os.environ, "PATH": f"{desk}/bin:{os.environ['PATH']}", "HOME": str(desk)}
    for name in ("NO_COLOR", "PTXRAY_SITE", "CLICOLOR_FORCE"):
        environment.pop(name, None)
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )


def problem_of(command, folder, desk):
    result = run(command.text, folder, desk)
    printed = "\n".join(line.rstrip() for line in result.stdout.decode().splitlines()) + "\n"
    if command.shown is None:
        expected = (0, 1, 255, -11) if command.text.startswith("ptxas ") else (0, 1)  # one shows a crash of ptxas
        return "" if result.returncode in expected else f"ends with {result.returncode}:\n{printed}"
    return "" if fits([line.rstrip() for line in command.shown], printed if printed.strip() else "") else printed


def main():
    ran, left, wrong = 0, collections.Counter(), []
    reasons = {**LEFT, **({} if PTXAS else {OF_PTXAS: "ptxas"})}
    with tempfile.TemporaryDirectory() as folder:
        desk = pathlib.Path(folder)
        lay_out(desk)
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            for command in commands(page):
                pattern = next((one for one in reasons if re.search(one, command.text)), None)
                if pattern:
                    left[pattern] += 1
                    continue
                ran += 1
                at = page.parent if "found/" in str(page) else desk
                if problem := problem_of(command, at, desk):
                    wrong.append(f"{page.relative_to(ROOT)}:{command.line}: `{command.text}` {problem}")
            for mention in mentions(page):
                ran += 1
                if problem := problem_of_mention(mention.text, desk):
                    wrong.append(f"{page.relative_to(ROOT)}:{mention.line}: `{mention.text}` {problem}")
    for pattern, reason in reasons.items():
        print(f"left out: {left[pattern]} with `{pattern}`: {reason}")
        if not left[pattern]:
            wrong.append(f"no command has `{pattern}`: take it out of LEFT")
    print(f"{ran} commands ran")
    print("\n".join(wrong))
    assert ran >= FEWEST, f"only {ran} commands were found"
    sys.exit(1 if wrong else 0)


main()
