#!/usr/bin/env python3
"""Keeps test/samples: lines of PTX with the verdict of ptxas.

  samples.py judge [FILE...]   asks ptxas about all lines again (or those of the files) and writes the marks
  samples.py add NAME < TEXT   adds lines `ptx 8.6, sm_100a<tab>INSTRUCTION` to test/samples/NAME.lines, judged
  samples.py grow [SEED]       looks among what `ptxray isa --enumerate` prints for lines that notice damages to
                               grammar/isa which no test notices (`mutation-tests`), and adds them

ptxas is found as the tests find it ($PTXRAY_PTXAS, `tools/dev cuda`, PATH); $PTXRAY_BUILD names the build
folder (default build/release)."""
import collections
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(os.environ.get("PTXRAY_BUILD", root / "build/release"))
folder = root / "test/samples"


def judge(files):
    environment = dict(os.environ, PTXRAY_BLESS="1")
    oracle = build / "test/runner/oracle-tests"
    return subprocess.run([oracle, "--samples", *files, "--gtest_brief=1"], env=environment).returncode


def section_key(header):
    version, target = re.fullmatch(r"ptx (\S+), (sm_\S+)", header).groups()
    number, variant = re.fullmatch(r"sm_(\d+)(\w?)", target).groups()
    return [int(part) for part in version.split(".")], int(number), variant


def read(path):
    sections, comments = collections.defaultdict(dict), []
    section = None
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("//@ "):
            section = sections[line[4:]]
        elif section is None:
            comments.append(line)
        elif line:
            section[line[2:].split("  // known: ")[0]] = line
    return comments, sections


def add(path, lines):
    """`lines`: the header of a section, an instruction, and perhaps the verdict."""
    comments, sections = read(path)
    for header, text, *mark in lines:
        sections[header].setdefault(text, (mark or ["?"])[0] + " " + text)
    text = "".join(line + "\n" for line in comments)
    for header in sorted(sections, key=section_key):
        text += ("\n" if text else "") + "//@ " + header + "\n"
        text += "".join(sections[header][line] + "\n" for line in sorted(sections[header]))
    path.write_text(text)
    return path


def enumerated(name, version, target, seed):
    """what the entries of a mnemonic accept and refuse there"""
    command = [build / "tools/ptxray/ptxray", "isa", "--enumerate=" + name, "--target=" + target, "--count=120",
               "--seed=" + seed] + ["--ptx=" + version] * bool(version)
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [(line.split("  // error")[0], "// error" not in line) for line in lines if not line.startswith("//@")]


# Beside the newest version with these targets: where gates begin.
TARGETS = "sm_75 sm_90a sm_100a sm_120a sm_107a".split()
OLDER = """9.5 sm_20, 9.5 sm_30, 9.5 sm_50, 9.5 sm_52, 9.5 sm_60, 9.5 sm_61, 9.5 sm_70, 9.5 sm_80, 9.5 sm_86, 9.5 sm_89, 9.5 sm_90,
9.5 sm_100, 9.5 sm_100f, 9.5 sm_103a, 9.5 sm_110a, 9.5 sm_120, 9.5 sm_120f, 9.5 sm_121a, 2.0 sm_20, 3.0 sm_30, 4.2 sm_50,
5.0 sm_60, 6.0 sm_70, 6.2 sm_70, 6.4 sm_75, 6.5 sm_75, 7.0 sm_80, 7.3 sm_80, 7.5 sm_80, 7.7 sm_86, 7.8 sm_90, 8.0 sm_90a,
8.2 sm_90a, 8.5 sm_90a, 8.6 sm_100a, 8.7 sm_100a, 8.7 sm_120a, 8.8 sm_100a, 8.8 sm_120a, 9.0 sm_100a, 9.1 sm_100a, 9.2 sm_100a,
9.3 sm_100a, 9.4 sm_107a"""


def grow(seed):
    """Enumerates, asks ptxas, and keeps the lines that notice damages which nothing noticed before."""
    mutation = build / "test/mutation/mutation-tests"
    work = build / "samples"
    work.mkdir(exist_ok=True)
    survivors = work / "survivors.txt"
    if not survivors.exists():
        with survivors.open("w") as out:
            subprocess.run([mutation], stdout=out)
    chapters = {line.split("/")[0] for line in survivors.read_text().splitlines() if ".isa: " in line}
    mnemonics = subprocess.run([build / "tools/ptxray/ptxray", "isa", "--list"], stdout=subprocess.PIPE, text=True).stdout
    files = []
    for chapter in chapters:
        damaged = {line.split(".isa: ")[0] for line in survivors.read_text().splitlines() if line.startswith(chapter)}
        names = {name for entry in damaged for path in [root / "grammar/isa" / (entry + ".isa")]
                 for words in re.findall(r"^instruction ([^{]*)", path.read_text(), re.M) for name in words.replace(",", " ").split()}
        lines = []
        for name in sorted(names):
            if name + "\t" not in mnemonics:
                continue
            accepted = []
            for target in TARGETS:
                texts = enumerated(name, "", target, seed)
                lines += [("ptx 9.5, " + target, text) for text, _ in texts]
                accepted += [text for text, valid in texts if valid][:12]
            for older in OLDER.replace("\n", " ").split(", "):
                version, target = older.split()
                lines += [(f"ptx {version}, {target}", text) for text in accepted[::3]]
        path = work / (chapter + ".lines")
        path.unlink(missing_ok=True)
        files.append(add(path, lines))
    judge(files)
    extra = [word for path in files for word in ("--extra", path)]
    found = subprocess.run([mutation, "--names", survivors, *extra], stdout=subprocess.PIPE, text=True).stdout
    kept = collections.defaultdict(set)
    for line in found.splitlines():
        if line.startswith("  "):
            path, _, number = line[2:].split("\t")[0].rpartition(":")
            if pathlib.Path(path) in files:
                kept[path].add(int(number))
    for path, numbers in kept.items():
        lines = pathlib.Path(path).read_text().splitlines()
        header, chosen = "", []
        for number, line in enumerate(lines, 1):
            if line.startswith("//@ "):
                header = line[4:]
            elif number in numbers:
                chosen.append((header, line[2:], line[0]))
        add(folder / ("enumerated_" + pathlib.Path(path).name), chosen)
    survivors.write_text("".join(line + "\n" for line in found.splitlines() if not line.startswith("  ")))
    return 0


command, *arguments = sys.argv[1:] or ["--help"]
if command == "judge":
    sys.exit(judge(arguments))
elif command == "add":
    sys.exit(judge([add(folder / (arguments[0] + ".lines"), [line.rstrip("\n").split("\t") for line in sys.stdin])]))
elif command == "grow":
    sys.exit(grow(*(arguments or ["1"])))
sys.exit(__doc__)
