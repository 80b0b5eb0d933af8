#!/usr/bin/env python3
"""Compares the diagnostics before and after a change, and prints the differences by rule.

    tools/dev diff BASE [FILE|FOLDER...]

BASE is a git revision, which is built below build/diff, or the path of a ptxray. It is compared with this tree, built
with the preset `quick`, or with --tool. The files are those of test/isa, test/samples and test/module, and of
build/corpus if tools/corpus.py made it. In files with sections, each section is a module.

    new, gone      a diagnostic that only one of the two reports
    level          an error before, a warning after
    moved          the same rule at another position of the file
    renamed        another rule at the same position and level
    text           the same rule and position; message, notes or fixes differ

--rename FILE lists renamed rules, which are not differences, as lines `old new`. --no-text does not compare
messages, notes and fixes. Exit status: 0 no differences, 1 differences, 2 the comparison failed."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))
import sections  # noqa: E402

WORK = ROOT / "build" / "diff"
BINARY = "tools/ptxray/ptxray"
FILES_A_CALL = 200
KINDS = ["new", "gone", "level", "moved", "renamed", "text"]


# ---- the programs


def build(source, folder):
    """Builds the program of a source tree with the preset `quick`."""
    if not (folder / "build.ninja").exists():
        command(
            [
                "cmake",
                "-S",
                source,
                "-B",
                folder,
                "-G",
                "Ninja",
                "-DCMAKE_BUILD_TYPE=Debug",
                "-DBUILD_TESTING=OFF",
                "-DCMAKE_C_COMPILER=clang-22",
                "-DCMAKE_CXX_COMPILER=clang++-22",
                "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0",
            ]
        )
    command(["cmake", "--build", folder, "--target", "ptxray"])
    return folder / BINARY


def command(words):
    result = subprocess.run(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
    )
    if result.returncode != 0:
        fail(f"{' '.join(map(str, words))}:\n{result.stdout[-4000:]}")
    return result.stdout.strip()


def fail(message):
    print(f"tools/dev diff: {message}", file=sys.stderr)
    sys.exit(2)


def program_of(base):
    """Returns a path unchanged. Builds a revision once, and keeps it."""
    if pathlib.Path(base).is_file():
        return pathlib.Path(base).resolve()
    revision = command(["git", "rev-parse", "--verify", base + "^{commit}"])
    kept = WORK / "programs" / revision
    if not kept.exists():
        source = WORK / "source"
        if not (source / ".git").exists():
            command(["git", "worktree", "prune"])
            command(["git", "worktree", "add", "--force", "--detach", source, revision])
        command(["git", "-C", source, "checkout", "--quiet", "--force", "--detach", revision])
        print(f"building {revision[:10]}", file=sys.stderr)
        program = build(source, WORK / "build")
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(program, kept)
    return kept


def program_here():
    preset = ROOT / "build" / "quick"
    if not (preset / "build.ninja").exists():
        command(["cmake", "--preset", "quick"])
    return build(ROOT, preset)


# ---- the texts


def texts_of(paths, folder):
    """Returns {path to check: (path to show, line to show for each line, or None if they are the same)}."""
    if not paths:
        paths = [ROOT / "test" / name for name in ("isa", "samples", "module")]
        paths += [ROOT / "build" / "corpus"] if (ROOT / "build" / "corpus").exists() else []
    found = {}
    for path in paths:
        if not path.exists():
            fail(f"no file or folder {path}")
        files = [path] if path.is_file() else sorted([*path.rglob("*.ptx"), *path.rglob("*.lines")])
        for file in files:
            add_texts(file, folder, found)
    return found


def add_texts(file, folder, found):
    shown = os.path.relpath(file)
    if file == sections.PRELUDE:
        return
    if file.suffix != ".lines" and "//@ ptx " not in file.read_text(encoding="latin-1"):
        found[str(file)] = shown, None
        return
    for ptx, targets, lines in sections.sections(file):
        text, origins = sections.module(ptx, targets, lines)
        made = folder / f"{len(found)}.ptx"
        made.write_text(text, encoding="latin-1")
        found[str(made)] = shown, origins


# ---- the diagnostics


class Diagnostic:
    def __init__(self, found, shown, origins, names):
        def line(number):  # a line of the prelude has a negative number
            return number if origins is None else origins[number - 1] or -number

        start, end = found["range"]["start"], found["range"]["end"]
        self.file = shown
        self.start = line(start["line"]), start["column"]
        self.end = line(end["line"]), end["column"]
        self.rule = names.get(found["rule"], found["rule"])
        self.level, self.message = found["severity"], found["message"]
        self.text = self.message, json.dumps([found["notes"], found.get("fix")])

    def place(self):
        line, column = self.start
        return f"{self.file}:{line}:{column}" if line > 0 else f"{self.file} (line {-line} of the module around it)"


def diagnostics(program, texts, names):
    paths = list(texts)
    calls = [paths[i : i + FILES_A_CALL] for i in range(0, len(paths), FILES_A_CALL)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = pool.map(lambda call: check(program, call), calls)
        return [Diagnostic(found, *texts[found["path"]], names) for output in outputs for found in output]


def check(program, paths):
    """Checks files. If the program crashes, it checks each file separately, so that the report names the file."""
    words = [program, "check", "--no-config", "--pedantic", "--format=jsonl", "--jobs=1", *paths]
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode in (0, 1):
        return [json.loads(line) for line in result.stdout.decode(errors="replace").splitlines()]
    if len(paths) > 1:
        return [found for path in paths for found in check(program, [path])]
    error = result.stderr.decode(errors="replace").strip().splitlines()
    nowhere = {"line": 1, "column": 1}
    return [
        {
            "path": paths[0],
            "rule": "(no answer)",
            "severity": "error",
            "notes": [],
            "message": f"exit status {result.returncode}: {''.join(error[:1])}",
            "range": {"start": nowhere, "end": nowhere},
        }
    ]


# ---- the difference


def compare(before, after, with_text):
    """Returns [(kind, diagnostic before or None, diagnostic after or None)]."""
    keys = [  # from the most to the least specific key; pairs of one key are not compared again
        ("", lambda d: (d.file, d.start, d.end, d.rule, d.level, d.text if with_text else "")),
        ("text", lambda d: (d.file, d.start, d.end, d.rule, d.level)),
        ("level", lambda d: (d.file, d.start, d.end, d.rule)),
        ("moved", lambda d: (d.file, d.start[0], d.rule, d.level)),
        ("renamed", lambda d: (d.file, d.start, d.level)),
        ("moved", lambda d: (d.file, d.rule, d.level, d.text)),
    ]
    changes = []
    for kind, key in keys:
        waiting = collections.defaultdict(list)
        for found in before:
            waiting[key(found)].append(found)
        rest = []
        for found in after:
            pair = waiting.get(key(found))
            if not pair:
                rest.append(found)
            elif kind:
                changes.append((kind, pair.pop(0), found))
            else:
                pair.pop(0)
        before, after = [found for left in waiting.values() for found in left], rest
    return changes + [("gone", found, None) for found in before] + [("new", None, found) for found in after]


def source_line(place_of):
    try:
        line = pathlib.Path(place_of.file).read_text(encoding="latin-1").splitlines()[place_of.start[0] - 1]
    except (OSError, IndexError):
        return ""
    return line.strip() if place_of.start[0] > 0 else ""


def describe(kind, before, after):
    now = after or before
    text = f"{now.level}: {now.message}"
    if kind == "level":
        text = f"{before.level} -> {after.level}: {after.message}"
    elif kind == "moved":
        text = f"from {before.start[0]}:{before.start[1]}: {after.message}"
    elif kind == "text" and before.message != after.message:
        text = f"{before.message}\n{'':9}-> {after.message}"
    elif kind == "text":
        text = f"{before.text[1]}\n{'':9}-> {after.text[1]}"
    elif kind == "renamed":
        text = f"was {before.rule}: {before.message}\n{'':9}-> {after.message}"
    return text


def print_changes(changes, examples):
    by_rule = collections.defaultdict(lambda: collections.defaultdict(list))
    for change in changes:
        by_rule[(change[2] or change[1]).rule][change[0]].append(change)
    for rule, kinds in sorted(by_rule.items(), key=lambda item: -sum(map(len, item[1].values()))):
        print(f"{rule}: " + ", ".join(f"{len(kinds[kind])} {kind}" for kind in KINDS if kind in kinds))
        for kind in KINDS:
            for change in kinds.get(kind, [])[:examples]:
                now = change[2] or change[1]
                print(f"  {kind:6} {now.place()}  {describe(*change)}")
                if line := source_line(now):
                    print(f"{'':9}{line[:160]}")


def read_names(path):
    names = {}
    for line in path.read_text().splitlines() if path else []:
        words = line.split("#")[0].split()
        if len(words) not in (0, 2):
            fail(f"{path}: `old new` expected, not `{line}`")
        if words:
            names[words[0]] = words[1]
    return names


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="tools/dev diff"
    )
    parser.add_argument("base", metavar="BASE")
    parser.add_argument("files", metavar="FILE|FOLDER", type=pathlib.Path, nargs="*")
    parser.add_argument("--tool", type=pathlib.Path, help="the program to compare with BASE")
    parser.add_argument(
        "--rename", metavar="FILE", type=pathlib.Path, help="rules renamed on purpose: `old new` a line"
    )
    parser.add_argument("--no-text", action="store_true", help="compare only rules, levels and places")
    parser.add_argument("--examples", type=int, default=3, metavar="N", help="of each kind and rule (default: 3)")
    options = parser.parse_args()

    programs = [program_of(options.base), options.tool.resolve() if options.tool else program_here()]
    names = read_names(options.rename)
    with tempfile.TemporaryDirectory() as folder:
        texts = texts_of(options.files, pathlib.Path(folder))
        before, after = (diagnostics(program, texts, names) for program in programs)
    changes = compare(before, after, not options.no_text)
    print_changes(changes, options.examples)
    print(f"{len(texts)} texts; {len(before)} diagnostics before, {len(after)} after; {len(changes)} differ")
    sys.exit(1 if changes else 0)


if __name__ == "__main__":
    main()
