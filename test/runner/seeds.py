"""Reads docs/seeds.md: each row says what answers it, and entries, rules, commands and tests that it names exist."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
rules = set(re.findall(r'^DIAG\(\w+, +"([^"]+)"', (root / "lib/Diagnostics/Diagnostics.def").read_text(), re.M))
commands = set(re.findall(r'^      \{"(\w+)",$', (root / "tools/ptxray/main.cpp").read_text(), re.M))
problems = []
rows = 0
for number, line in enumerate((root / "docs/seeds.md").read_text().splitlines(), 1):
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if not line.startswith("|") or set(line) <= set("|- ") or cells[0] == "item":
        continue
    rows += 1

    def problem(text):
        problems.append(f"docs/seeds.md:{number}: {text}")

    if len(cells) != 5 or not all(cells[:4]):
        problem("a row has an item, a section, what it says, what answers it and a test")
        continue
    answer, tests = cells[3], re.findall(r"`([^`]+)`", cells[4])
    for entry in re.findall(r"entry `([^`]+)`", answer):
        if not (root / "grammar/isa" / (entry + ".isa")).exists():
            problem(f"no grammar/isa/{entry}.isa")
    for word in re.findall(r"(?<!entry )`([^`]+)`", answer):
        if word.startswith("ptxray "):
            if word.split()[1] not in commands:
                problem(f"no command `{word}`")
        elif re.fullmatch(r"[a-z]+(-[a-z]+)+", word) and word not in rules:
            problem(f"no rule `{word}`")
    for test in tests:
        folders = (root, *(root / "test" / folder for folder in ("isa", "module", "unit", "cli")))
        if not any((folder / test).exists() for folder in folders):
            problem(f"no test `{test}`")
    if not tests and not answer.startswith("open"):
        problem("answered, but not tested")
for text in problems:
    print(text)
if rows < 150:
    print(f"only {rows} rows")
sys.exit(bool(problems) or rows < 150)
