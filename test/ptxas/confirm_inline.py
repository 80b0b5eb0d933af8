#!/usr/bin/env python3
"""Every error that ptxray finds in the assembly of sources, and whether ptxas refuses the statement for each target it
knows: confirm_inline.py PTXRAY PTXAS FILE|FOLDER...

Exit status 1: ptxas accepts one of them for some target. What nvcc refuses before ptxas is shown as such."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

ptxray, ptxas, *paths = sys.argv[1:]
HELP = subprocess.run([ptxas, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
TARGETS = sorted(set(re.findall(r"'sm_(\d+[af]?)'", HELP)), key=lambda name: (int(name.rstrip("af")), name))
OLD = [("6.3", "70"), ("6.0", "60")]  # what later versions no longer have
OF_NVCC = {"inline-clobber", "inline-constraint", "inline-operand-index", "inline-operand-name", "codegen-address-32"}
NEWEST = subprocess.run([ptxas, "--list-version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]


def ask(text, version, target):
    """What ptxas says against a text; empty: nothing."""
    number = int(target.rstrip("af"))
    text = re.sub(r"(?m)^\.version .*", ".version " + version, text)
    text = re.sub(r"(?m)^\.target .*", ".target sm_" + target, text)
    if number >= 100:  # where nvcc has one class of registers for 32 bits
        text = text.replace(".reg .f32 %", ".reg .b32 %").replace(".reg .f64 %", ".reg .b64 %")
    arch = "75" if number < 75 else target
    words = [ptxas, f"-arch=compute_{arch}", "-", "-o", os.devnull]
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = re.findall(r"(?:error|fatal)\s*: (.*)", done.stdout)
    return said[0] if done.returncode else ""


def confirm(error):
    """The words of ptxas for the target that was judged, and the targets for which it accepts the statement."""
    target = re.search(r"(?m)^\.target sm_(\w+)", error["module"]).group(1)
    said = ask(error["module"], NEWEST if int(target.rstrip("af")) >= 75 else "6.3", target)
    cases = [(NEWEST, name) for name in TARGETS] + OLD
    return said, [name for version, name in cases if not ask(error["module"], version, name)]


def errors_of(report):
    modules = (report.get("inline") or {}).get("expansions", [])
    found = {}
    for d in report["diagnostics"]:
        if d["severity"] != "error":
            continue
        ranges = [d["range"], *(n["range"] for n in d["notes"] if "range" in n)]
        owner = next(
            (
                m
                for r in ranges
                for m in modules
                if m["range"]["start"]["offset"] <= r["start"]["offset"] <= m["range"]["end"]["offset"]
            ),
            None,
        )
        place = (report["path"], d["range"]["start"]["line"])
        module = owner and owner["text"]
        found.setdefault(place, {"place": place, "rule": d["rule"], "message": d["message"], "module": module})
    return list(found.values())


def answer_to(error):
    if error["rule"] in OF_NVCC:
        return "(nvcc refuses it, or has no such addresses)", []
    return confirm(error) if error["module"] else ("", [])


def main():
    words = ["check", "--no-config", "--inline", "--show-expansion", "--format=json"]
    done = subprocess.run([ptxray, *words, *paths], stdout=subprocess.PIPE)
    errors = [error for report in json.loads(done.stdout)["files"] for error in errors_of(report)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(answer_to, errors))
    for error, (said, accepted) in zip(errors, answers, strict=True):
        path, line = error["place"]
        verdict = f"accepted for {' '.join(accepted)}" if accepted else "refused for all targets"
        wrong += bool(accepted) or not said
        print(f"{path}:{line}: {error['message']} [{error['rule']}]\n    ptxas: {said or 'nothing'}; {verdict}")
    print(f"{len(errors)} errors, {wrong} of them not confirmed", file=sys.stderr)
    sys.exit(wrong != 0)


main()
