"""Reads the output formats with the tools that they are for: test_formats.py PTXRAY. vim's errorformat reads
`short`, jq reads `jsonl`, and `github` is compared with the output of GitHub's package @actions/core."""

import json
import pathlib
import subprocess
import sys
import tempfile

from common import CACHE, ROOT, need, run, skip

binary = pathlib.Path(sys.argv[1]).resolve()
vim, jq, npm, node = need("vim"), need("jq"), need("npm"), need("node")
cases = ROOT / "test" / "cli"
files = ["formats.ptx", "report.ptx", "severity.ptx", "suppressions.ptx"]


def check(format):
    # The output is bytes, since some inputs are not UTF-8.
    return subprocess.run(
        [binary, "check", "--pedantic", "--no-config", "--format=" + format, *files], cwd=cases, stdout=subprocess.PIPE
    ).stdout.decode()


def shown(diagnostic):
    """Returns the rule and its kind as text output shows them: `missing-qualifier:scope`."""
    kind = diagnostic["args"].get("kind", "other")
    return diagnostic["rule"] + (":" + kind if kind != "other" else "")


document = json.loads(check("json"))
found = [(file["path"], d) for file in document["files"] for d in file["diagnostics"]]
assert len(found) > 20

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "errors").write_text(check("short"))
    script = (
        f"set errorformat=%f:%l:%c:\\ %t%*[^:]:\\ %m | cgetfile {folder}/errors | "
        f"call writefile([json_encode(map(getqflist(), {{_, e -> [bufname(e.bufnr), e.lnum, e.col, e.type, "
        f"e.text]}}))], '{folder}/list') | qall!"
    )
    run(vim, "-u", "NONE", "-es", "-c", script, cwd=cases, stdin=subprocess.DEVNULL)
    read = json.loads((folder / "list").read_text())
assert len(read) == len(found), "vim reads another number of errors"
for (path, d), (file, line, column, kind, text) in zip(found, read):
    assert [file, line, column] == [path, d["range"]["start"]["line"], d["range"]["start"]["column"]], (d, file)
    assert kind == ("e" if d["severity"] == "error" else "w") and text.endswith(f"[{shown(d)}]"), text

rules = run(jq, "-r", ".rule", input=check("jsonl")).split()
assert rules == [d["rule"] for _, d in found], "jq reads other rules"

package = CACHE / "actions-core"
if not (package / "node_modules").exists():
    package.mkdir(parents=True, exist_ok=True)
    if subprocess.run(
        [npm, "install", "--silent", "--no-audit", "--no-fund", "@actions/core@1.11.1"], cwd=package
    ).returncode:
        skip("npm", "npm does not give @actions/core")
program = """
const { issueCommand } = require("@actions/core/lib/command");
for (const [name, properties, message] of JSON.parse(require("fs").readFileSync(0)))
  issueCommand(name, properties, message);
"""
commands = []
for path, d in found:
    begin, end = d["range"]["start"], d["range"]["end"]
    place = {"line": begin["line"], "endLine": end["line"]}
    if begin["line"] == end["line"]:
        place.update(col=begin["column"], endColumn=end["column"])
    name = {"error": "error", "warning": "warning", "pedantic": "notice"}[d["severity"]]
    commands.append([name, {"title": shown(d), "file": path, **place}, d["message"]])
theirs = run(node, "-e", program, input=json.dumps(commands), cwd=package).splitlines()
ours = check("github").splitlines()
assert len(theirs) == len(ours)
for a, b in zip(theirs, ours):
    assert a == b or "<" in b, f"@actions/core writes\n{a}\nptxray\n{b}"  # <U+001B>: escapes that a log must not see
print(len(found), "diagnostics: as vim, jq and @actions/core read them")
