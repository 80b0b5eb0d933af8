#!/usr/bin/env python3
"""Keeps test/samples: lines of PTX with the verdict of ptxas.

  samples.py judge [FILE...]   judges all lines (or those of the files) with ptxas again, and writes the marks
  samples.py add NAME < TEXT   adds lines `ptx 8.6, sm_100a<tab>INSTRUCTION` to test/samples/NAME.lines, judged
  samples.py grow [FILE]       has `mutation-tests` look for lines that notice the damages which FILE
                               (test/mutation/survivors.txt) names, and adds the fewest: those that ptxas judges as
                               ptxray does to test/samples, those that only a warning or an id tells to test/isa, to be
                               blessed and read; prints what is left, with the lines that ptxas judged otherwise

ptxas is found as the tests find it ($PTXRAY_PTXAS, `tools/dev cuda`, PATH); $PTXRAY_BUILD names the build folder
(default build/release)."""

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
    version, number, variant, options = re.fullmatch(r"ptx (\S+), sm_(\d+)(\w?)(.*)", header).groups()
    return [int(part) for part in version.split(".")], int(number), variant, options


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
    """Adds lines. Each of `lines` contains the header of a section, an instruction, and perhaps the verdict."""
    comments, sections = read(path)
    for header, text, *mark in lines:
        sections[header].setdefault(text, (mark or ["?"])[0] + " " + text)
    text = "".join(line + "\n" for line in comments)
    for header in sorted(sections, key=section_key):
        text += ("\n" if text else "") + "//@ " + header + "\n"
        text += "".join(sections[header][line] + "\n" for line in sorted(sections[header]))
    path.write_text(text)
    return path


def candidates(found):
    """Returns a map from the name of a damage to [(how it is noticed, section, instruction)], from the output of
    `--search`."""
    lines, out = [], {}
    for line in found.splitlines():
        if line.startswith("  "):
            lines.append(line[2:].split("\t"))
        elif "  (line " in line:
            out[line] = [tuple(words[:3]) for words in lines]
            lines = []
    return out


def noticed(mutation, names, path):
    """Returns a map from the line of the file to the names of the damages that it notices."""
    found = subprocess.run([mutation, "--names", names, "--extra", path], stdout=subprocess.PIPE, text=True).stdout
    out = collections.defaultdict(set)
    for line in found.splitlines():
        if line.startswith(f"  {path}:"):
            place, name = line[2:].split("\t")
            out[int(place.rpartition(":")[2])].add(name)
    return out


def fewest(noticed_by):
    """Returns lines that together notice all damages that any line notices."""
    left = set().union(*noticed_by.values()) if noticed_by else set()
    while left:
        line = max(noticed_by, key=lambda line: (len(noticed_by[line] & left), -line))
        yield line
        left -= noticed_by[line]


def located(path):
    """Returns a map from the number of a line to its section and text."""
    header, out = "", {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("//@ "):
            header = line[4:]
        elif line:
            out[number] = header, line
    return out


def grow(wanted=root / "test/mutation/survivors.txt"):
    mutation = build / "test/mutation/mutation-tests"
    work = build / "samples"
    work.mkdir(exist_ok=True)
    names, lines, snippets = work / "survivors.txt", work / "found.lines", work / "found.ptx"
    command = [mutation, "--names", wanted, "--search", "4"]
    found = candidates(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)
    names.write_text("".join(name + "\n" for name in found))

    lines.unlink(missing_ok=True)
    judge([add(lines, [(header, text) for of in found.values() for by, header, text in of if by == "verdict"])])
    chapters = collections.defaultdict(list)
    told = noticed(mutation, names, lines)
    where = located(lines)
    for number in fewest(told):
        header, line = where[number]
        chapters[min(told[number]).split("/")[0].split(".")[0]].append((header, line[2:], line[0]))
    for chapter, kept in chapters.items():
        add(folder / f"damages_{chapter}.lines", kept)

    told = set().union(*told.values()) if told else set()
    sections = collections.defaultdict(list)
    for name, of in found.items():
        for by, header, text in of[:2] if name not in told else []:
            if by != "verdict":
                sections[header].append(text)
    snippets.write_text(
        "".join(
            f"//@ {header}\n" + "".join(text + "\n" for text in dict.fromkeys(texts))
            for header, texts in sections.items()
        )
    )
    told_by_ids = noticed(mutation, names, snippets)
    where = located(snippets)
    wanted = collections.defaultdict(lambda: collections.defaultdict(list))
    for number in fewest(told_by_ids):
        header, text = where[number]
        wanted[min(told_by_ids[number]).split(".isa")[0]][header].append(text)
    for family, sections in wanted.items():
        path = root / "test/isa" / (family + ".ptx")
        with path.open("a") as out:
            for header in sorted(sections, key=section_key):
                out.write(f"\n//@ {header}\n" + "".join(text + "\n" for text in sections[header]))
        print("added to", path)
    told |= set().union(*told_by_ids.values()) if told_by_ids else set()
    for name, of in found.items():
        if name not in told:
            print(name)
            for by, header, text in of:
                print(f"  {by}\t{header}\t{text}")
    return 0


def main():
    command, *arguments = sys.argv[1:] or ["--help"]
    if command == "judge":
        sys.exit(judge(arguments))
    if command == "add":
        lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
        sys.exit(judge([add(folder / (arguments[0] + ".lines"), lines)]))
    if command == "grow":
        sys.exit(grow(*arguments))
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
