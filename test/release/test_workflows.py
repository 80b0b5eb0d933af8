"""Checks the workflows of a forge with actionlint, and tests the commands that they call: test_workflows.py."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import CACHE, ROOT, need, python_with, run, skip

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"


def actionlint():
    program = CACHE / ACTIONLINT.replace("/", "-") / "actionlint"
    if not program.exists():
        environment = {**os.environ, "GOBIN": str(program.parent), "GOFLAGS": "-modcacherw"}
        if subprocess.run([need("go"), "install", ACTIONLINT], env=environment).returncode != 0:
            skip("go", f"Go's proxy does not give {ACTIONLINT}")
    return program


workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
assert len(workflows) >= 2
run(actionlint(), *workflows)
schema = python_with("check-jsonschema==0.39.0")
run(schema, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)
for form in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")):
    kind = "config" if form.stem == "config" else "forms"
    run(schema, "-m", "check_jsonschema", "--builtin-schema", f"vendor.github-issue-{kind}", form)
for workflow in workflows:
    text = workflow.read_text()
    assert re.search(r"^permissions: \{\}$", text, re.M), f"{workflow.name} takes rights for all its jobs"
    for action in re.findall(r"uses: (\S+)", text):
        assert re.search(r"@[0-9a-f]{40}$", action), f"{workflow.name}: {action} is not pinned by its commit"
    for path in re.findall(r"(?:^|\s)((?:tools|test|\.ci)/[\w./]+)", text):
        assert (ROOT / path).exists(), f"{workflow.name} calls {path}, which does not exist"
print(f"{len(workflows)} workflows are right")
