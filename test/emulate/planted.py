#!/usr/bin/env python3
"""Tests that planted faults are found at their lines: planted.py PTXRAY [WORD...]

planted.txt contains small kernels, and planted-edits.txt contains changes of one line in kernels of this repository.
Each entry describes a faulty and a correct kernel. The first must have one error, of the named rule at the named line,
and the second none. With WORDs, only the entries run whose titles contain one of them.

    //@ TITLE | [sm_90] OPTION... ARGUMENT...    begins a kernel of planted.txt; its body follows
    LINE  // fault: RULE                         the line of the error; `time`: the kernel exceeds its time limit
    LINE  // right: LINE                         the line of the correct kernel (`fault: RULE; right: LINE`: both)

    //@ PATH | OPTION... ARGUMENT...             begins a kernel of planted-edits.txt, a file of the repository
    - LINE                                       a line of it, which occurs once (or the first one after `N:`)
    + LINE                                       the line of the faulty kernel; empty if it lacks the line
    ! RULE LINE                                  the rule, and the line of the faulty kernel at which it is reported"""

import concurrent.futures
import dataclasses
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
HEAD = """.version 8.0
.target {target}
.address_size 64
.global .align 16 .u32 table[4] = {{1, 2, 3, 4}};
.const .align 16 .u32 fixed[4] = {{1, 2, 3, 4}};
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>;
  .reg .f32 %f<8>;
  .reg .b64 %d<16>;
  .shared .align 16 .b32 held[64];
  .shared .align 8 .b64 object;
  .local .align 8 .b32 own[8];
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [b];
  ld.param.u32 %r15, [n];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d3, %d0, %d2;
  add.u64 %d4, %d1, %d2;
"""


@dataclasses.dataclass
class Planted:
    title: str
    words: list
    faulty: str
    right: str
    rule: str
    line: int  # line of the faulty kernel


def sections(path):
    """Returns the titles of a file, their words, and their lines."""
    title, words, lines = None, [], []
    for line in [*path.read_text().splitlines(), "//@ "]:
        if not line.startswith("//@ "):
            lines.append(line)
            continue
        if title:
            yield title, words, lines
        title, _, rest = line.removeprefix("//@ ").partition(" | ")
        words, lines = shlex.split(rest), []


def small():
    for title, words, lines in sections(FOLDER / "planted.txt"):
        target = words.pop(0) if words and words[0].startswith("sm_") else "sm_80"
        head, faulty, right, found = HEAD.format(target=target), [], [], None
        for number, line in enumerate(lines, head.count("\n") + 1):
            code, _, marks = line.partition(" // ")
            marks = dict(mark.split(": ", 1) for mark in marks.split("; ", 1)) if marks else {}
            faulty.append(code)
            right.append(marks.get("right", code))
            if "fault" in marks:
                assert not found, f"{title}: two faults"
                found = marks["fault"].strip(), number
        assert found and right != faulty, f"{title}: no fault, or nothing that is right"
        arguments = [word for word in words if not word.startswith("-")]
        options = [word for word in words if word.startswith("-")]
        if not any(word.startswith("--block") for word in options):
            options.append("--block=32")
        launch = [*options, *(arguments or ["iota:u32:32", "zeros:u32:32"]), "32"]
        texts = [head + "\n".join(body) + "\n  ret;\n}\n" for body in (faulty, right)]
        yield Planted(title, launch, *texts, *found)


def place(lines, wanted, title):
    """Returns the index of a line. `2: LINE` is the second line with that text."""
    counted = re.match(r"(\d+): (.*)", wanted)
    text = counted[2] if counted else wanted
    found = [i for i, line in enumerate(lines) if line.strip() == text.strip()]
    assert counted or len(found) == 1, f"{title}: {len(found)} lines are `{text}`"
    return found[int(counted[1]) - 1 if counted else 0]


def edited():
    for title, words, lines in sections(FOLDER / "planted-edits.txt"):
        right = (ROOT / title).read_text()
        minus, plus, report = (next((line[2:] for line in lines if line.startswith(sign)), "") for sign in "-+!")
        faulty = right.splitlines()
        faulty[place(faulty, minus, title)] = plus
        rule, _, at = report.partition(" ")
        line = 0 if rule == "time" else place(faulty, at, f"{title}: {plus}") + 1
        yield Planted(f"{title}: {minus.strip()} -> {plus.strip()}", words, "\n".join(faulty) + "\n", right, rule, line)


def launched(ptxray, text, words):
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "k.ptx"
        path.write_text(text)
        command = [ptxray, "run", "--emulate", "--no-config", "--format=short", path, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, (done.stdout + done.stderr).replace(f"{path}:", "").splitlines()


def problem(ptxray, one):
    """Returns the problem with the reports on a planted fault, or an empty string."""
    status, lines = launched(ptxray, one.right, one.words)
    if status or any(re.search(r"\b(error|warning)\b", line) for line in lines):
        return f"the right kernel: {status} {lines}"
    status, lines = launched(ptxray, one.faulty, one.words)
    if one.rule == "time":
        return "" if status == 6 and any("has not ended after" in line for line in lines) else f"{status} {lines}"
    errors = [line for line in lines if ": error: " in line]
    wanted = [line for line in errors if line.startswith(f"{one.line}:") and line.endswith(f"[{one.rule}]")]
    if status == 1 and len(wanted) == 1 and (len(errors) == 1 or one.rule == "run-hang"):
        return ""
    return f"{one.rule} at line {one.line} wanted: {status} {lines}"


def main():
    ptxray, *words = sys.argv[1:]
    everything = [*small(), *edited()]
    chosen = [one for one in everything if not words or any(word in one.title for word in words)]
    assert chosen, "no kernel has been chosen"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        problems = list(pool.map(lambda one: problem(ptxray, one), chosen))
    for one, text in zip(chosen, problems):
        if text:
            print(f"{one.title} ({shlex.join(one.words)})\n  {text}")
    print(f"{len(chosen)} faults, {sum(map(bool, problems))} not found as they are")
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
