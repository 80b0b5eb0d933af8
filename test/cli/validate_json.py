"""Validates `ptxray check --format=json` against docs/diagnostics.schema.json, over all PTX of the tests and over
hostile inputs, and compares the output for one and for many jobs: validate_json.py PTXRAY SOURCE_FOLDER"""
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
schema = json.loads((root / "docs/diagnostics.schema.json").read_text())
validator = jsonschema.validators.validator_for(schema)(schema)


def output(*arguments):
    return subprocess.run([binary, "check", "--format=json", *arguments], stdout=subprocess.PIPE).stdout


with tempfile.TemporaryDirectory() as folder:
    hostile = os.fsencode(folder) + b"/\xff\x1b[31m \"\n.ptx"
    pathlib.Path(os.fsdecode(hostile)).write_bytes(b"\xef\xbb\xbf.version 8.0\n\0\xff\x1b[2J \x80 `{}\"\\\r\n")
    inputs = [str(root / "test"), os.fsdecode(hostile), folder + "/missing", folder, *[str(root / "test/isa/prelude.ptx")] * 20]
    for options in ([], ["--pedantic"], ["--werror"]):
        one = output("--jobs=1", *options, *inputs)
        assert one == output("--jobs=8", *options, *inputs), "--jobs changes the output"
        document = json.loads(one.decode("utf-8"))
        for error in validator.iter_errors(document):
            sys.exit(f"{list(error.absolute_path)}: {error.message}")
print(len(document["files"]), "files,", sum(len(f["diagnostics"]) for f in document["files"]), "diagnostics: valid")
