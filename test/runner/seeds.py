"""Tests docs/seeds.md: its rows must be those of the documents, none may be open, and the named items must exist and
work.

    seeds.py PTXRAY SNIPPET_TESTS UNIT_TESTS REFERENCE_TESTS

Entries and rules must exist, commands must print output, and the tests must pass. The snippets or the unit tests of a
row must test the rule that it names."""

import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# These are the numbers of rows of each document. Figures and tables with a number occur once each.
ROWS = {
    "movmatrix": 3,
    "stmatrix": 9,
    "ldmatrix": 12,
    "tcgen05": 142,
    "Stack, video and miscellaneous instructions": 18,
    "In-register matrix transpose for RDNA 4 architecture GPUs": 3,
}
NUMBERED = {"Figure": [*range(104, 111), *range(182, 268)], "Table": range(39, 56)}

problems = []


def read_rows(text):
    """Yields (line, section, cells)."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            section = line[3:].rsplit(" (", 1)[0]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|- ") and cells[0] != "item":
            yield number, section, cells


def source_of(test):
    for place in (ROOT / "test/isa", ROOT / "test/module", ROOT / "test/unit", ROOT):
        if (place / test).is_file():
            return place / test
    return None


def snippet_name(source):
    """Returns the name in snippet-tests, such as `isa.matrix/ldmatrix`."""
    folder, *rest = source.relative_to(ROOT / "test").with_suffix("").parts
    return folder + "." + "/".join(rest)


def main():
    ptxray, snippet_tests, unit_tests, reference_tests = sys.argv[1:5]
    rules = set(re.findall(r'^DIAG\(\w+, +"([^"]+)"', (ROOT / "lib/Diagnostics/Diagnostics.def").read_text(), re.M))
    commands, snippets, units, count = set(), set(), set(), {}
    seen = []
    for number, section, cells in read_rows((ROOT / "docs/seeds.md").read_text()):

        def problem(text, number=number):
            problems.append(f"docs/seeds.md:{number}: {text}")

        count[section] = count.get(section, 0) + 1
        if len(cells) != 5 or not all(cells):
            problem("a row has an item, a section, what it says, what answers it and a test")
            continue
        item, _, _, answer, test_cell = cells
        seen.append(item)
        if "open" in answer.split():
            problem("it is open")
        sources = []
        for test in re.findall(r"`([^`]+)`", test_cell):
            source = source_of(test)
            if not source:
                problem(f"no test `{test}`")
                continue
            sources.append(source)
            (units if source.suffix == ".cpp" else snippets).add(source)
        if not sources:
            problem("it names no test")
        for entry in re.findall(r"entry `([^`]+)`", answer):
            if not (ROOT / "grammar/isa" / (entry + ".isa")).exists():
                problem(f"no grammar/isa/{entry}.isa")
        for word in re.findall(r"(?<!entry )`([^`]+)`", answer):
            if word.startswith("ptxray "):
                commands.add(word)
            elif re.fullmatch(r"[a-z]+(-[a-z]+)+(:[a-z-]+)?", word):
                if word.split(":")[0] not in rules:
                    problem(f"no rule `{word}`")
                elif not any(re.search(rf"\[{word}[\]:]", source.read_text()) for source in sources):
                    problem(f"no test of it expects `{word}`")
    for name, numbers in NUMBERED.items():
        for number in numbers:
            if seen.count(f"{name} {number}") != 1:
                problems.append(f"{name} {number} has not one row")
    if count != ROWS:
        problems.append(f"the rows by document are {count}")

    for command in sorted(commands):
        words = shlex.split(command)[1:]
        if words == ["check"]:
            continue  # the following rules were looked up above
        done = subprocess.run([ptxray, *words], capture_output=True, text=True)
        if done.returncode or not done.stdout:
            problems.append(f"`{command}`: {done.stderr.strip() or done.stdout.strip()[-200:]}")

    wanted = {snippet_tests: {snippet_name(source) for source in snippets}, unit_tests: set(), reference_tests: set()}
    for source in units:
        program = reference_tests if source.parent.name == "device" else unit_tests
        wanted[program] |= {suite + ".*" for suite in re.findall(r"^TEST\((\w+),", source.read_text(), re.M)}
    ran = 0
    for program, names in wanted.items():
        done = subprocess.run([program, "--gtest_filter=" + ":".join(sorted(names))], capture_output=True, text=True)
        passed = set(re.findall(r"^\[       OK \] (\S+)", done.stdout, re.M))
        ran += len(passed)
        if done.returncode:
            problems.append(done.stdout[-2000:])
        for name in names:
            if not any(test == name or (name.endswith(".*") and test.startswith(name[:-1])) for test in passed):
                problems.append(f"{name} did not run")
    for text in problems:
        print(text)
    print(f"{len(seen)} rows, {len(commands)} commands, {ran} tests, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
