"""Tests the program of a release archive: try_program.py ARCHIVE [--runner EMULATOR] [--against PROGRAM].

The program is unpacked into an empty folder. It must print its version, judge, fix, format and run as a language
server. With --against, its output for every module of test/isa and test/samples must equal that of the other
program, which has passed the quick tests. The script only needs Python, so that it runs on any system."""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
import sections
from common import BAD, GOOD, ROOT, version

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


def unpack(path, folder):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    else:
        with tarfile.open(path) as archive:
            archive.extractall(folder)
    (top,) = pathlib.Path(folder).iterdir()
    return top


class Program:
    def __init__(self, command):
        self.command = [str(word) for word in command]

    def run(self, *words, status=0, cwd=None, **given):
        """Runs the program. `given` is `input`, a pipe, or `stdin`, a file."""
        result = subprocess.run(
            [*self.command, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, **given
        )
        if result.returncode != status:
            sys.exit(f"{words}: exit status {result.returncode}, {status} expected\n{result.stderr.decode()}")
        return result.stdout


def say(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def try_commands(program, folder):
    assert program.run("version").decode().startswith(f"ptxray {version()}"), program.run("version")
    text = BAD.replace("%r9", "%r2")
    (folder / "bad.ptx").write_bytes(text.encode())
    (folder / "good.ptx").write_bytes(GOOD.encode())
    assert program.run("check", "good.ptx", cwd=folder) == b""
    said = program.run("check", "--format=short", "bad.ptx", status=1, cwd=folder)
    assert said.startswith(b"bad.ptx:8:18: error: ") and said.endswith(b"[expected-semicolon]\n"), said
    assert b"bad.ptx:8:18" in program.run("check", "--format=short", ".", status=1, cwd=folder)  # searches folders
    assert program.run("check", "--format=short", "-", status=1, input=text.encode()).startswith(b"<stdin>:8:18")
    with open(folder / "bad.ptx", "rb") as file:
        assert program.run("check", "--format=short", "-", status=1, stdin=file).startswith(b"<stdin>:8:18")
    program.run("check", "--format=short", "--output-file=said", "bad.ptx", status=1, cwd=folder)
    assert (folder / "said").read_bytes() == said
    program.run("check", "--fix", "bad.ptx", cwd=folder)
    assert (folder / "bad.ptx").read_bytes() == GOOD.encode()
    program.run("fmt", "good.ptx", cwd=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["bad.ptx", "good.ptx", "said"]
    program.run("check", "missing.ptx", status=2, cwd=folder)
    assert b"expected-semicolon" in program.run("rules")
    program.run("explain", "mma.sync")
    opened = {"uri": "file:///a.ptx", "languageId": "ptx", "version": 1, "text": text}
    session = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
        {"id": 3, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": "file:///a.ptx"}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    answers = program.run("lsp", input=b"".join(map(say, session)))
    assert b"expected-semicolon" in answers and b"\r\n\r\n" in answers, answers


def seconds_to_check(program, folder, functions):
    """Returns the seconds for the given number of functions. The first lacks a semicolon and the last a closing
    brace."""
    function = ".visible .entry k{}()\n{{\n\t.reg .b32 %r<4>;\n{}\tret;\n}}\n"
    body = "\tmov.b32 %r0, %r1;\n" * 40
    text = HEADER + "".join(function.format(n, body) for n in range(functions))
    (folder / "damaged.ptx").write_text(text.replace(";\n\tret", "\n\tret", 1)[:-2])
    began = time.monotonic()
    program.run("check", "--format=short", "damaged.ptx", status=1, cwd=folder)
    return time.monotonic() - began


def try_growth(program, folder):
    """Tests that eight times the text takes eight times as long, not sixty-four: each C library has other slow
    functions."""
    small, large = (seconds_to_check(program, folder, count) for count in (500, 4000))
    assert large < 20 * small, f"{small:.2f} s for 0.4 MB with faults, {large:.2f} for eight times as much"


def modules():
    """Returns names and texts. Large files are mapped and small ones read, so both kinds must occur."""
    for path in sorted([*(ROOT / "test/isa").rglob("*.ptx"), *(ROOT / "test/samples").rglob("*.ptx")]):
        for number, (ptx, targets, lines) in enumerate(sections.sections(path)):
            if ptx:
                yield f"{path.stem}.{number}.ptx", sections.module(ptx, targets, lines)[0].encode("latin-1")


def compare(program, other, folder):
    """Returns the number of compared modules."""
    place = folder / "modules"
    place.mkdir()
    count, whole = 0, b""
    for name, text in modules():
        (place / name).write_bytes(text)
        count, whole = count + 1, whole + text
    (place / "large.ptx").write_bytes(whole[: 2 << 20])
    words = ["check", "--no-config", "--pedantic", "--format=json", "."]
    ours, theirs = (one.run(*words, status=1, cwd=place) for one in (program, other))
    if ours != theirs:
        mine, yours = (json.loads(text) for text in (ours, theirs))
        for a, b in zip(mine["files"], yours["files"]):
            if a != b:
                sys.exit(f"they differ:\n{json.dumps(a)[:2000]}\n{json.dumps(b)[:2000]}")
        sys.exit("they differ in what is not of a file")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--runner", default="")
    parser.add_argument("--against", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        top = unpack(options.archive, folder / "unpacked")
        binary = next(top / "bin" / file for file in ("ptxray", "ptxray.exe") if (top / "bin" / file).exists())
        assert (top / "share/doc/ptxray/LICENSE").exists() and (top / "share/doc/ptxray/THIRD-PARTY-LICENSES").exists()
        program = Program([*shlex.split(options.runner), binary])
        work = folder / "work"
        work.mkdir()
        try_commands(program, work)
        try_growth(program, work)
        more = ""
        if options.against:
            count = compare(program, Program([options.against.resolve()]), folder)
            more = f", and judges {count} modules as {options.against} does"
        print(f"{options.archive.name} works" + more + ("" if os.name == "posix" else f" on {os.name}"))


if __name__ == "__main__":
    main()
