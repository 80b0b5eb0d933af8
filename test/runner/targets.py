"""Tests the answers of `ptxray targets` for each file with ptxas. It must accept the file with the stated version
and target, and reject it just below: targets.py PTXRAY SOURCE_FOLDER [FILE...]"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ptxray, root, *files = sys.argv[1:]
releases = sorted(
    pathlib.Path(root, "build/cuda").glob("*/bin/ptxas"),
    key=lambda path: [int(part) for part in path.parts[-3].split(".") if part.isdigit()],
)
ptxas = os.environ.get("PTXRAY_PTXAS") or (releases and str(releases[-1])) or shutil.which("ptxas")
if not ptxas:
    print("skipped: no ptxas")
    required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
    sys.exit(1 if "all" in required or "ptxas" in required else 77)
known = json.loads(subprocess.run([ptxray, "version", "--format=json"], stdout=subprocess.PIPE, check=True).stdout)
known_plain = [t["name"] for t in known["targets"] if t["documented"] and t["name"][-1].isdigit()]
since = {target["name"]: target["since"] for target in known["targets"]}
versions = known["ptx"]


def accepts(text, version, target):
    text = re.sub(r"(?m)^\.version .*", ".version " + version, text)
    text = re.sub(r"(?m)^\.target .*", ".target " + target, text)
    number, variant = re.fullmatch(r"sm_(\d+)([af]?)", target).groups()
    number = {82: 86, 101: 110}.get(int(number), max(75, int(number)))
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        return (
            subprocess.run(
                [ptxas, f"-arch=compute_{number}{variant}", file.name, "-o", os.devnull],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ).returncode
            == 0
        )


def statements_of(path, answer):
    """Yields the text that is judged in place of a statement, and its stated requirements."""
    words = [ptxray, "check", "--no-config", "--show-expansion", "--format=json", path]
    report = json.loads(subprocess.run(words, stdout=subprocess.PIPE).stdout)
    modules = report["files"][0]["inline"]["expansions"]
    assert [m["range"]["start"]["line"] for m in modules] == [s["line"] for s in answer["statements"]]
    return zip((module["text"] for module in modules), answer["statements"])


def check_statement(path, text, statement):
    """Tests a statement with the first and the last of its targets, and just below the first."""
    least = {target["name"]: target["version"] for target in statement["targets"]}
    plain = [name for name in known_plain if name in least]
    cases = [(least[name], name, True) for name in (next(iter(least)), list(least)[-1])]
    if plain and plain[0] != known_plain[0]:
        cases.append((versions[-1], known_plain[known_plain.index(plain[0]) - 1], False))
    failed = 0
    for version, target, expected in cases:
        # Below sm_100, nvcc uses separate registers for floats, which is why some statements are rejected there.
        is_float = not expected and plain[0] == "sm_100"
        if accepts(text.replace(".reg .b32 %0", ".reg .f32 %0") if is_float else text, version, target) != expected:
            print(f"{path}:{statement['line']}: ptxas {'refuses' if expected else 'accepts'} {version} with {target}")
            failed += 1
    return failed


wrong = 0
for path in files or sorted(pathlib.Path(root, "test/targets").iterdir()):
    text = pathlib.Path(path).read_text()
    answer = json.loads(subprocess.run([ptxray, "targets", "--format=json", path], stdout=subprocess.PIPE).stdout)
    if "statements" in answer:
        wrong += sum(check_statement(path, *one) for one in statements_of(path, answer))
        continue
    least = {target["name"]: target["version"] for target in answer["targets"]}
    checks = []
    for target in since:
        if target in least:
            below = versions[versions.index(least[target]) - 1]
            checks.append((least[target], target, True))
            if versions.index(since[target]) <= versions.index(below):
                checks.append((below, target, False))
        elif next(t["documented"] for t in known["targets"] if t["name"] == target):
            checks.append((versions[-1], target, False))
    for version, target, expected in checks:
        if accepts(text, version, target) != expected:
            print(f"{path}: with {version} and {target}, ptxas {'refuses' if expected else 'takes'} it")
            wrong += 1
sys.exit(wrong != 0)
