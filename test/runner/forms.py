#!/usr/bin/env python3
"""Tests the pages of `ptxray explain` for single forms: forms.py PTXRAY SOURCE-FOLDER [--ptxas]

Every valid opcode in test/isa has its own page. The module on the page has no error, and neither has it with the
version and target that the page requires. With any earlier version, it has an error. With --ptxas, ptxas must accept
the modules. Skipped (77) without ptxas, unless PTXRAY_REQUIRE names `ptxas` or `all`."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mistakes import find_ptxas

NEEDS = re.compile(r"PTX (\d+\.\d+) and (sm_\d+[af]?)(?: or higher)?")
# Only old versions or function bodies support these.
WITHOUT_PAGE = re.compile(r"(wmma|rcp\.f32|rsqrt\.f32|(ld|st)\.param::func)\b")


def opcodes_of(source):
    found = set()
    for path in sorted((source / "test/isa").rglob("*.ptx")):
        for line in path.read_text().splitlines():
            match = re.match(r"([a-z]\w*(?:\.[\w:]+)+)[ ;]", line)
            if match and "//" not in line:
                found.add(match[1])
    return sorted(found)


def section(page, title):
    return next((one for one in page["sections"] if one["title"].startswith(title)), None)


def verdicts(ptxray, texts, folder):
    """Returns the worst report for each text: an error, a text that is in no manual, or nothing."""
    for number, text in enumerate(texts):
        pathlib.Path(folder, f"{number:05}.ptx").write_text(text)
    done = subprocess.run(
        [ptxray, "check", "--no-config", "--format=jsonl", folder], capture_output=True, text=True, check=False
    )
    worst = [""] * len(texts)
    for line in done.stdout.splitlines():
        report = json.loads(line)
        number = int(pathlib.Path(report.get("path", "-1.ptx")).stem)
        if report.get("severity") == "error":
            worst[number] = "error"
        elif report.get("rule", "").startswith("undocumented"):
            worst[number] = worst[number] or "undocumented"
    return worst


def with_header(module, version, target):
    if float(version) < 2.3:
        module = module.replace(".address_size 64\n", "")
    return re.sub(r"\.version \S+\n\.target \S+", f".version {version}\n.target {target}", module, count=1)


def asked(pages, versions, since):
    """Yields the page, the text, whether it must have an error, and why."""
    for page in pages:
        example = section(page, "A complete module")
        module = example["rows"][0]["module"]
        yield page["name"], module, False, "the example"
        match = NEEDS.fullmatch(section(page, "Needs")["rows"][0]["text"])
        if not match:
            continue
        version, target = match.groups()
        version = max(version, since[target], key=float)
        yield page["name"], with_header(module, version, target), False, f"{version} and {target}, as it says"
        earlier = [one for one in versions if float(one) < float(version) and one != "5.1"]  # 5.1 is treated as 6.0
        if earlier:
            yield page["name"], with_header(module, earlier[-1], target), True, f"{earlier[-1]} and {target}"


def walk(ptxray, pages, versions, since):
    problems = []
    questions = list(asked(pages, versions, since))
    with tempfile.TemporaryDirectory() as folder:
        answers = verdicts(ptxray, [one[1] for one in questions], folder)
        for (name, module, is_wrong, why), worst in zip(questions, answers, strict=True):
            if worst == "error" if not is_wrong else not worst:
                problems.append(f"{name}: {why}: {worst or 'nothing is reported'}\n{module}")
    for page in pages:
        for title in ("Its words", "Needs", "Manual", "See also"):
            if not section(page, title):
                problems.append(f"{page['name']}: no `{title}`")
    print(f"{len(pages)} forms, {len(questions)} texts")
    return problems


def assembled(ptxas, folder, number, page):
    module = section(page, "A complete module")["rows"][0]["module"]
    path = pathlib.Path(folder, f"{number}.ptx")
    path.write_text(module)
    target = re.search(r"\.target (\w+)", module)[1]
    done = subprocess.run(
        [ptxas, "-c", f"-arch={target}", str(path), "-o", os.devnull], capture_output=True, text=True, check=False
    )
    is_unknown = "is not defined for option 'gpu-name'" in done.stderr  # an old GPU
    return f"{page['name']}: {done.stderr}{module}" if done.returncode and not is_unknown else None


def main():
    ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
    names = opcodes_of(source)
    isa = json.loads(subprocess.check_output([ptxray, "isa", "--format=json"]))
    names = [name for name in names if name not in isa["mnemonics"]]
    answered = json.loads(subprocess.check_output([ptxray, "explain", "--format=json", *names]))
    pages = [page for page in answered if page["kind"] == "form"]
    without = sorted(set(names) - {page["name"] for page in pages})
    if "--ptxas" in sys.argv:
        ptxas = find_ptxas(source)
        if not ptxas:
            required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
            sys.exit("ptxas is required" if {"ptxas", "all"} & set(required) else 77)
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            tried = pool.map(lambda one: assembled(ptxas, folder, *one), enumerate(pages))
            problems = [one for one in tried if one]
    else:
        versions = [one["name"] for one in isa["ptxVersions"]]
        since = {one["name"]: one["since"] for one in isa["targets"]}
        problems = walk(ptxray, pages, versions, since)
        problems += [f"{name}: no page of its own" for name in without if not WITHOUT_PAGE.match(name)]
    print("\n".join(problems[:40]))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
