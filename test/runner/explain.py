#!/usr/bin/env python3
"""Tests the pages of `ptxray explain` for all names: explain.py PTXRAY SOURCE-FOLDER [--ptxas]

Every instruction, directive, pragma, special register, target, qualifier and rule has a page with the required
parts. With --ptxas, ptxas must accept each line that is shown as correct and reject each line that ptxray reports as
an error. Skipped (77) without ptxas, unless PTXRAY_REQUIRE names `ptxas` or `all`."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mistakes import find_ptxas

# These are the titles of the parts of a page of each kind. `?` marks optional parts.
PARTS = {
    "instruction": ["For example", "A typical mistake", "Needs", "Form", "Manual"],
    "directive": ["For example", "A typical mistake", "Form", "Where it is written", "Needs", "Manual"],
    "pragma": ["For example", "A typical mistake", "Form", "Where it is written", "Needs", "Manual"],
    "special register": ["For example", "A typical mistake", "Type", "For whom", "Needs", "Manual"],
    "target": ["For example", "A typical mistake", "Where the code runs", "What it holds", "Needs", "Manual"],
    "qualifier": [],
}
# Readers do not know these words of the notation and of conditions.
INNER = re.compile(r"\brequires\b|\bwhen\b|\bgate\b|ptxas exact|-tuple|\bwarn\(|!\w|\bsm_\w+\+")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def parts_of(page):
    """Returns the sections of each part. Sections before the first part belong to all."""
    parts, common = [], []
    for section in page["sections"]:
        if section["kind"] == "part":
            parts.append([])
        else:
            (parts[-1] if parts else common).append(section)
    return [common + part for part in parts] or [common]


def problems_of_page(page):
    for sections in parts_of(page):
        titles = [section["title"] for section in sections]
        only_ptxas = any("ccepted by ptxas" in title for title in titles) and "Form" not in " ".join(titles)
        for wanted in PARTS[page["kind"]]:
            if not any(title.startswith(wanted) for title in titles) and not (
                only_ptxas and wanted in ("Form", "Needs")
            ):
                yield f"no `{wanted}`"
        for section in sections:
            yield from problems_of_section(section)
    if not page["title"]:
        yield "no title"


def problems_of_section(section):
    if section["title"].startswith("A typical mistake") and not section["rows"][0].get("note"):
        yield "nothing is reported of the mistake"
    if section["title"] in ("Qualifiers", "Operands", "Arguments"):
        for row in section["rows"]:
            has_values = row["words"][0].startswith(".") and section["title"] == "Qualifiers" and not row.get("depth")
            if not row.get("text") and not has_values:
                yield f"{section['title']}: nothing is said of {' '.join(row['words'])}"
    for row in section["rows"]:
        for text in (row.get("text", ""), row.get("note", "")):
            if section["kind"] != "code" and (found := INNER.search(text)):
                yield f"`{found[0]}` in: {text}"


def names_of(ptxray):
    isa = json.loads(run(ptxray, "isa", "--format=json").stdout)
    return {
        "instruction": set(isa["mnemonics"]),
        "special register": {one["name"] for one in isa["specialRegisters"]},
        "target": {one["name"] for one in isa["targets"]},
        "directive or pragma": {one["name"] for one in isa["examples"]} - set(isa["mnemonics"]),
    }


def directives_of(source):
    """Returns the words that begin a directive or declaration, or belong to one, from the grammar."""
    words = set(re.findall(r"'(\.[a-z_]+)'", (source / "grammar" / "PtxLexer.g4").read_text()))
    assert len(words) > 40 and {".reg", ".entry", ".ptr", ".callprototype"} <= words
    return words


def walk(ptxray, pages, source):
    problems = []
    directives = {page["name"] for page in pages if page["kind"] == "directive"}
    problems += [f"{name}: no page of this directive" for name in sorted(directives_of(source) - directives)]
    for name in sorted(directives):
        shown = run(ptxray, "explain", name)
        if shown.returncode or not all(part in shown.stdout for part in ("For example", "A typical mistake", "Manual")):
            problems.append(f"{name}: explain shows `{shown.stdout}`")
    known = {page["name"] for page in pages}
    for kind, names in names_of(ptxray).items():
        problems += [f"{name}: no page of this {kind}" for name in sorted(names - known)]
    for page in pages:
        problems += [f"{page['name']}: {problem}" for problem in problems_of_page(page)]
    rules = json.loads(run(ptxray, "rules", "--format=json").stdout)
    for rule in rules:
        shown = run(ptxray, "explain", rule["id"])
        first, _, rest = shown.stdout.partition("\n")
        if shown.returncode or rule["group"] not in first or rule["level"] not in first:
            problems.append(f"{rule['id']}: `{first}` says neither its group nor its level")
        if len(rest) < 40 or "## " not in rest or "//@" in rest or "```" in rest:
            problems.append(f"{rule['id']}: its page")
    overview = run(ptxray, "explain")
    if overview.returncode or ".maxntid" not in overview.stdout or "tcgen05" not in overview.stdout:
        problems.append(f"explain: {overview.stdout}")
    print(f"{len(pages)} pages, {len(rules)} rules")
    return problems


def examples(pages):
    """Yields the name, the report, and the module."""
    for page in pages:
        for section in page["sections"]:
            for row in section["rows"]:
                if "module" in row:
                    yield page["name"], row.get("note", ""), row["module"]


def judged(ptxas, folder, number, example):
    name, note, module = example
    is_mistake, is_refused, needs_code = bool(note), note.startswith("error:"), "[codegen-" in note
    if is_mistake and not is_refused:
        return None  # ptxray only reports a warning
    path = pathlib.Path(folder, f"{number}.ptx")
    path.write_text(module)
    target = re.search(r"^\.target (sm_\w+)", module, re.M)
    arch = target[1] if target else "sm_90"
    if not needs_code:
        arch = arch.replace("sm_", "compute_")
    done = run(ptxas, f"-arch={arch}", "-c", str(path), "-o", os.devnull)
    old = "not defined for option" in done.stderr or "unsupported" in done.stderr.lower()
    if old or (done.returncode != 0) == is_refused:
        return None
    return f"{name}: ptxas {'accepts' if is_refused else 'refuses'}\n{module}{done.stderr}"


def with_ptxas(pages, ptxas):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        results = pool.map(lambda one: judged(ptxas, folder, *one), enumerate(examples(pages)))
        return [problem for problem in results if problem]


def main():
    ptxray, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    pages = json.loads(run(ptxray, "explain", "--format=json").stdout)
    if "--ptxas" in sys.argv:
        ptxas = find_ptxas(source)
        if not ptxas:
            print("skipped: no ptxas")
            return 1 if {"ptxas", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
        problems = with_ptxas(pages, ptxas)
    else:
        problems = walk(ptxray, pages, source)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
