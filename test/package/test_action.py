"""Tests the GitHub action: its schema, and its steps, which run like in a runner: test_action.py PTXRAY."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from common import BAD, GOOD, ROOT, need, python_with, run, wheel

python = python_with("check-jsonschema==0.39.0")
action = ROOT / "tools" / "action" / "action.yml"
run(python, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", action)
bash = need("bash")
load = "import json, sys, ruamel.yaml; json.dump(ruamel.yaml.YAML(typ='safe').load(open(sys.argv[1])), sys.stdout)"
document = json.loads(run(python, "-c", load, action))


def run_action(folder, **inputs):
    """Returns the output and status of all steps, each in its own shell."""
    values = {key: inputs.get(key, entry.get("default", "")) for key, entry in document["inputs"].items()}
    (folder / "output").write_text("")
    environment = {**os.environ, "RUNNER_TEMP": str(folder / "temp"), "GITHUB_OUTPUT": str(folder / "output")}
    (folder / "temp").mkdir(exist_ok=True)
    text, status = "", 0
    for step in document["runs"]["steps"]:
        extra = {
            key: re.sub(r"\$\{\{ *inputs\.(\w+) *\}\}", lambda m: values[m.group(1)], value)
            for key, value in step["env"].items()
        }
        result = subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder / "project",
            env={**environment, **extra},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        text, status = text + result.stdout, result.returncode
        assert status in (0, 1), result.stderr
        if status:
            break
    return text, status


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    project = folder / "project"
    project.mkdir()
    package = str(wheel(sys.argv[1]))
    (project / "good.ptx").write_text(GOOD)
    assert run_action(folder, package=package) == ("", 0)
    (project / "bad.ptx").write_text(BAD)
    text, status = run_action(folder, package=package, arguments="--off=undefined-symbol --werror", sarif="found.sarif")
    assert status == 1 and text.startswith("::error title=expected-semicolon,file=./bad.ptx,line=8,"), text
    assert (folder / "output").read_text() == "status=1\n"
    assert len(json.loads((project / "found.sarif").read_text())["runs"][0]["results"]) == 1
    assert run_action(folder, package=package, paths="good.ptx")[1] == 0
    assert run_action(folder, package=sys.argv[1], paths="good.ptx") == ("", 0)  # runs the program of the build
    digest = hashlib.sha256(pathlib.Path(sys.argv[1]).read_bytes()).hexdigest()
    assert run_action(folder, package=sys.argv[1], paths="good.ptx", sha256=digest) == ("", 0)
    text, status = run_action(folder, package=sys.argv[1], paths="good.ptx", sha256="0" * 64)
    assert status == 1 and "::error::sha256: the package has another" in text, text
    for address in ("https://localhost/ptxray", "http://localhost/ptxray"):  # the script downloads no file
        text, status = run_action(folder, package=address, paths="good.ptx")
        assert status == 1 and text.startswith("::error::"), text
    text, status = run_action(folder, paths="good.ptx")
    assert status == 1 and text.startswith("::error::package: write the path"), text
    library = str(ROOT / "docs/examples/library.so")
    answer = {"package": package, "paths": "", "binaries": library, "driver": "535"}
    assert run_action(folder, **answer, gpus="sm_75 sm_90") == ("", 0)
    text, status = run_action(folder, **answer, gpus="sm_75 sm_120")
    assert status == 1 and text.startswith(f"::error file={library}::{library} on sm_120 with R535: no: "), text
    odd = project / "a,b:c%d.so"
    odd.write_bytes(pathlib.Path(library).read_bytes())
    text, status = run_action(folder, **answer | {"binaries": odd.name}, gpus="sm_120")
    assert status == 1 and text.startswith("::error file=a%2Cb%3Ac%25d.so::a,b:c%25d.so on sm_120"), text
print("the action is valid, installs and annotates")
