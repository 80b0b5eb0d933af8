#!/usr/bin/env python3
"""Tests fixes that insert one instruction to correct an asynchronous operation: hazard_fixes.py PTXRAY SOURCE-FOLDER

The test formats the wrong kernel on the page of each rule in several ways. After its fix, ptxray must report nothing,
and ptxas must accept it if it is installed. The fix inserts the line that the manual requires, with the indent and line
end of its neighbours.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mistakes import find_ptxas

# The fixes insert these lines before or after another line.
CURES = {
    "unwaited-copy": ("cp.async.wait_group 0;", "before", "bar.sync 0;"),
    "uncommitted-copy": ("cp.async.commit_group;", "after", "cp.async."),
    "unfenced-registers": ("wgmma.fence.sync.aligned;", "before", "wgmma.mma_async"),
    "register-in-flight": ("wgmma.wait_group.sync.aligned 0;", "before", "st.global"),
    "missing-proxy-fence": ("fence.proxy.async;", "before", "bar.sync 0;"),
    "unfenced-copy": ("fence.proxy.async;", "before", "bar.sync 0;"),
    "source-in-flight": ("cp.async.bulk.wait_group 0;", "before", "st.shared"),
    "unordered-init": ("fence.mbarrier_init.release.cluster;", "after", "mbarrier.init"),
    "unwaited-tensor-store": ("tcgen05.wait::st.sync.aligned;", "before", "tcgen05.ld"),
    "unwaited-tensor-load": ("tcgen05.wait::ld.sync.aligned;", "before", "tcgen05.st"),
}
ptxray, root = sys.argv[1], pathlib.Path(sys.argv[2])
ptxas = find_ptxas(root)


def example_of(rule):
    page = (root / f"docs/diagnostics/{rule}.md").read_text().partition("## Example")[2]
    return re.search(r"```ptx[^\n]*\n(.*?)```", page, re.DOTALL)[1]


def reported(text, form):
    command = [ptxray, "check", "--no-config", "--pedantic", f"--format={form}", "-"]
    return json.loads(subprocess.run(command, input=text.encode(), capture_output=True).stdout)


def said(text):
    return reported(text, "json")["files"][0]["diagnostics"]


def sarif_edits(text):
    (result,) = reported(text, "sarif")["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    return [(one["deletedRegion"]["byteOffset"], one["insertedContent"]["text"]) for one in change["replacements"]]


def fixed(text):
    done = subprocess.run(
        [ptxray, "check", "--no-config", "--pedantic", "--fix", "--unsafe-fixes", "-"],
        input=text.encode(),
        capture_output=True,
    )
    return done.stdout.decode()


def is_accepted(text):
    target = re.search(r"\.target (\w+)", text)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.ptx")
        path.write_text(text)
        command = [ptxas, f"-arch={target}", "-c", path, "-o", os.devnull]
        return not subprocess.run(command, capture_output=True).returncode


def problems_of(rule, text):
    cure, side, neighbour = CURES[rule]
    (report,) = said(text)
    if report["rule"] != rule or report["fix"]["safe"] or len(report["fix"]["edits"]) != 1:
        yield f"{report['rule']} with {report.get('fix')}"
        return
    if sarif_edits(text) != [(edit["offset"], edit["text"]) for edit in report["fix"]["edits"]]:
        yield f"SARIF has {sarif_edits(text)}"
    made = fixed(text)
    before, after = text.splitlines(keepends=True), made.splitlines(keepends=True)
    new = [number for number, line in enumerate(after) if line.strip() == cure]
    added = [number for number in new if after[:number] + after[number + 1 :] == before]
    if not added:
        yield "more than a line was inserted:\n" + made
        return
    beside = after[added[0] + (1 if side == "before" else -1)]
    if not beside.strip().startswith(neighbour):
        yield f"it is {side} {beside}"
    indent, end = re.match(r"([ \t]*).*?(\r?\n)", beside).groups()
    if after[added[0]] != indent + cure + end:
        yield f"the line is {after[added[0]]!r}, beside {beside!r}"
    if said(made):
        yield f"then {[d['message'] for d in said(made)]}"
    if ptxas and not is_accepted(made):
        yield "ptxas refuses it:\n" + made


def on_one_line(text):
    """Returns the text with all statements of the body on one line."""
    head, brace, body = text.partition("{\n")
    return head + brace + "  " + " ".join(line.strip() for line in body.splitlines()[:-1]) + "\n}\n"


def main():
    problems = []
    for rule, (cure, *_) in CURES.items():
        text = example_of(rule)
        tabs, carriage = text.replace("\n  ", "\n\t"), text.replace("\n", "\r\n")
        for written in (text, tabs, carriage, text.replace(";\n", "; // as it was\n")):
            problems += [f"{rule}: {problem}" for problem in problems_of(rule, written)]
        narrow = on_one_line(text)
        line = fixed(narrow)
        if narrow not in (line.replace(cure + " ", "", 1), line.replace(" " + cure, "", 1)):
            problems.append(f"{rule}: on one line\n{line}")
        if said(line):
            problems.append(f"{rule}: on one line it does not help\n{line}")
    print(*problems, sep="\n")
    print(f"{len(CURES)} rules, {len(problems)} problems, {'with' if ptxas else 'without'} ptxas")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
