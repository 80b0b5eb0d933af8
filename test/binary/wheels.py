"""Shipped libraries: wheels.py PTXRAY SOURCE_FOLDER. Fetches a few wheels of PyPI into build/wheels; every PTX in them
is what cuobjdump extracts where that reads the file, `check` finds no error in it, and `targets` knows its modules.
Skipped (77) without PyPI, unless PTXRAY_REQUIRE names `pypi` or `all`."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import pypi

binary, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
cache = root / "build" / "wheels"
WHEELS = [("bitsandbytes", "0.50.2"), ("warp-lang", "1.19.0")]


def fetch(package, version):
    """the path of a wheel"""
    found = sorted(cache.glob(f"{package.replace('-', '_')}-{version}-*.whl"))
    if found:
        return found[0]
    try:
        return pypi.download(package, version, cache)
    except subprocess.CalledProcessError:
        print(f"skipped: PyPI does not give {package} {version}")
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        sys.exit(1 if {"pypi", "all"} & set(required) else 77)


def run(*arguments, status=0):
    result = subprocess.run([binary, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != status:
        print(" ".join(map(str, arguments)), "gives", result.returncode)
        sys.exit((result.stdout[-2000:] + result.stderr[-2000:]).decode())
    return result.stdout.decode()


def cuobjdump_texts(library, folder):
    """what cuobjdump extracts of both sections, as hashes; None where it gives up: 13.5 does at cubins of CUDA 12.1"""
    result = subprocess.run(
        [cuobjdump, "-all", "-xptx", "all", library], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if result.returncode:
        return None
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.ptx")}


cuobjdump = cache / "cuobjdump" / "nvidia" / "cu13" / "bin" / "cuobjdump"
if not cuobjdump.exists():
    with zipfile.ZipFile(fetch("nvidia-cuda-cuobjdump", "13.5.37")) as file:
        file.extractall(cache / "cuobjdump")
    cuobjdump.chmod(0o755)
compared = texts = 0
for wheel in [fetch(*one) for one in WHEELS]:
    start = time.monotonic()
    entries = json.loads(run("extract", "--list", "--format=json", wheel))["entries"]
    kinds = [entry["kind"] for entry in entries]
    print(f"{wheel.name}: {len(entries)} entries, {kinds.count('PTX')} PTX, listed in {time.monotonic() - start:.1f} s")
    assert kinds.count("PTX") and kinds.count("cubin"), wheel
    run("check", "--no-config", wheel)
    table = json.loads(run("targets", "--format=json", wheel))["files"][0]
    assert table["modules"] and any(gpu["verdict"] != "none" for gpu in table["gpus"]), table
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(wheel) as file:
        folder = pathlib.Path(name)
        document = json.loads(run("extract", "--format=json", "-o", folder / "ours", wheel))
        of_member = {}
        for entry in document["entries"]:
            if "file" in entry:
                text = pathlib.Path(entry["file"]).read_bytes()
                assert re.search(rb"^\.version " + entry["version"].encode() + rb"\s", text, re.M), entry
                of_member.setdefault(entry["member"], []).append(hashlib.sha256(text).hexdigest())
                texts += 1
        for member, ours in of_member.items():
            library = folder / "library.so"
            library.write_bytes(file.read(member))
            theirs = folder / "theirs"
            shutil.rmtree(theirs, ignore_errors=True)
            theirs.mkdir()
            expected = cuobjdump_texts(library, theirs)
            if expected is not None:
                # Texts with the same name overwrite each other there.
                assert expected <= set(ours), f"{member}: cuobjdump has other texts"
                compared += len(expected)
            # The same library, bare.
            bare = json.loads(run("targets", "--format=json", library))["files"][0]
            assert bare["modules"], member
print(
    f"{texts} texts, {compared} of them compared with cuobjdump;",
    resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
    "MiB at most",
)
