"""Validates machine formats over all PTX of the tests and over hostile inputs: validate_formats.py PTXRAY
SOURCE_FOLDER. `ptxray isa --format=json` is validated with docs/isa.schema.json, `ptxray hazards` with
docs/timeline.schema.json, and `ptxray check` with docs/diagnostics.schema.json and the published schema of SARIF.
The test also compares the output of one job and of many."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no Python module jsonschema")
    required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
    sys.exit(1 if "all" in required or "jsonschema" in required else 77)

binary, root = sys.argv[1], pathlib.Path(sys.argv[2])


def validator(schema):
    return jsonschema.validators.validator_for(schema)(schema)


ours = json.loads((root / "docs/diagnostics.schema.json").read_text())
line = {"$ref": "#/$defs/line", "$schema": ours["$schema"], "$defs": ours["$defs"]}
sarif = json.loads((root / "test/cli/sarif-schema-2.1.0.json").read_text())


def output(format, *arguments):
    one = check(format, "--jobs=1", *arguments)
    assert one == check(format, "--jobs=8", *arguments), f"--jobs changes the output of {format}"
    return one.decode("utf-8")


def check(format, *arguments):
    return subprocess.run(
        [binary, "check", "--format=" + format, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout


def validate(schema, document, what):
    for error in validator(schema).iter_errors(document):
        sys.exit(f"{what}: {list(error.absolute_path)}: {error.message}")


isa_schema = json.loads((root / "docs/isa.schema.json").read_text())
for names in ([], ["tcgen05", "mma"]):
    isa = json.loads(subprocess.check_output([binary, "isa", "--format=json", *names]))
    validate(isa_schema, isa, "isa")
    assert all(any((name + ".").startswith(word + ".") for word in names or [name]) for name in isa["mnemonics"])
    spelt = {name for entry in isa["entries"] for form in entry["forms"] for name in form["mnemonics"]}
    assert spelt == set(isa["mnemonics"]), "mnemonics and forms do not go together"
explain_schema = json.loads((root / "docs/explain.schema.json").read_text())
for names in ([], ["mul", ".maxntid"]):
    pages = json.loads(subprocess.check_output([binary, "explain", "--format=json", *names]))
    validate(explain_schema, pages, "explain")

timeline = json.loads((root / "docs/timeline.schema.json").read_text())
shown = set()
for path in sorted((root / "test/cli").glob("timeline*.ptx")):
    told = json.loads(subprocess.check_output([binary, "hazards", "--format=json", path]))
    validate(timeline, told, path.name)
    for function in told["functions"]:
        shown |= {event["kind"] for event in function["events"]}
        for event in function["events"]:
            assert event.get("section", 0) < max(1, len(function["sections"])), event
            assert event.get("barrier", 0) < max(1, len(function["barriers"])), event
assert {"operation", "commit", "wait", "init", "expect", "await", "fence", "hazard"} <= shown, shown

with tempfile.TemporaryDirectory() as folder:
    hostile = os.fsencode(folder) + b'/\xff\x1b[31m "\n.ptx'
    pathlib.Path(os.fsdecode(hostile)).write_bytes(b'\xef\xbb\xbf.version 8.0\n\0\xff\x1b[2J \x80 `{}"\\\r\n')
    inputs = [
        str(root / "test"),
        os.fsdecode(hostile),
        folder + "/missing",
        folder,
        *[str(root / "test/isa/prelude.ptx")] * 20,
    ]
    for options in (["--pedantic"], ["--werror"]):
        document = json.loads(output("json", *options, *inputs))
        validate(ours, document, "json")
        found = sum(len(f["diagnostics"]) for f in document["files"])
        lines = [json.loads(text) for text in output("jsonl", *options, *inputs).split("\n")[:-1]]
        assert len(lines) == found, "jsonl has other diagnostics than json"
        validate({"type": "array", "items": line, **{k: line[k] for k in ("$schema", "$defs")}}, lines, "jsonl")
        runs = json.loads(output("sarif", *options, *inputs))
        validate(sarif, runs, "sarif")
        results = runs["runs"][0]["results"]
        assert len(results) == found, "sarif has other diagnostics than json"
        rules = runs["runs"][0]["tool"]["driver"]["rules"]
        assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
        described = {rule["id"] for rule in rules if "help" in rule}
        assert {result["ruleId"] for result in results} == described, "rules that report nothing are named alone"

    # These are the binaries of test/binary, valid and damaged ones.
    made = pathlib.Path(folder) / "binaries"
    subprocess.run([sys.executable, root / "test/binary/make.py", made], check=True)
    document = json.loads(output("json", "--warnings", "--binaries", str(made)))
    validate(ours, document, "json of binaries")
    assert any("entry" in file for file in document["files"])
    lines = [json.loads(text) for text in output("jsonl", "--binaries", str(made)).split("\n")[:-1]]
    validate({"type": "array", "items": line, **{k: line[k] for k in ("$schema", "$defs")}}, lines, "jsonl of binaries")
    validate(sarif, json.loads(output("sarif", "--binaries", str(made))), "sarif of binaries")
    binaries = json.loads((root / "docs/binaries.schema.json").read_text())
    for command, *options in (("extract", "--list"), ("targets", "--gpu=sm_90", "--driver=550"), ("targets",)):
        schema = {"$ref": f"#/$defs/{command}", "$schema": binaries["$schema"], "$defs": binaries["$defs"]}
        for path in made.iterdir():
            told = subprocess.run([binary, command, "--format=json", *options, path], capture_output=True).stdout
            validate(schema, json.loads(told), f"{command} {path.name}")
print(len(document["files"]), "files,", found, "diagnostics: valid as json, jsonl and sarif")
