"""Tests shipped libraries: wheels.py PTXRAY SOURCE_FOLDER. Fetches some wheels of PyPI into build/wheels. The PTX in
them must equal the output of cuobjdump of CUDA 12.8 and 13.5, if these can read the file. `check` must find no error
in it, and the answers of `targets` for each GPU must follow from cuobjdump's lists. Skipped (77) without PyPI,
unless PTXRAY_REQUIRE names `pypi` or `all`."""

import collections
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
# These wheels are built with CUDA 11.8 to 13.2: plain, with LZ4 and zstd, with and without PTX, and with modules that
# one link combined.
WHEELS = [
    ("bitsandbytes", "0.50.2"),
    ("warp-lang", "1.19.0"),
    ("ctranslate2", "4.8.5"),
    ("spconv-cu120", "2.3.6"),
    ("faiss-gpu-cu12", "1.14.1.post1"),
    ("lmdeploy", "0.18.0"),
    ("nvidia-curand-cu12", "10.3.10.19"),
    ("nvidia-npp-cu12", "12.4.1.87"),
    ("jax-cuda12-plugin", "0.10.2"),
]
# Triton's wheel contains the cuobjdump of the CUDA release it was built with.
CUOBJDUMPS = [("nvidia-cuda-cuobjdump", "13.5.37"), ("triton", "3.4.0")]
# These GPUs are for data centres and desktops. Jetsons follow other rules.
GPUS = [50, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 103, 120, 121]


def fetch(package, version):
    """Returns the path of a wheel."""
    found = sorted(cache.glob(f"{package.replace('-', '_')}-{version}-*.whl"))
    if found:
        return found[0]
    try:
        return pypi.download(package, version, cache)
    except subprocess.CalledProcessError:
        print(f"skipped: PyPI does not give {package} {version}")
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        sys.exit(1 if {"pypi", "all"} & set(required) else 77)


def fetch_cuobjdump(package, version):
    folder = cache / f"{package}-{version}"
    found = list(folder.rglob("cuobjdump"))
    if not found:
        with zipfile.ZipFile(fetch(package, version)) as file:
            file.extractall(folder, [name for name in file.namelist() if name.endswith("/bin/cuobjdump")])
        found = list(folder.rglob("cuobjdump"))
        found[0].chmod(0o755)
    return found[0]


def run(*arguments, status=0):
    result = subprocess.run([binary, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != status:
        print(" ".join(map(str, arguments)), "gives", result.returncode)
        sys.exit((result.stdout[-2000:] + result.stderr[-2000:]).decode())
    return result.stdout.decode()


def as_json(*arguments):
    return json.loads(run(*arguments, "--format=json"))


def cuobjdump_texts(cuobjdump, library, folder):
    """Returns the texts that cuobjdump extracts from both sections, as hashes. Returns None if it fails: 13.5 does
    so at cubins of CUDA 12.1."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [cuobjdump, "-all", "-xptx", "all", library]
    if subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        return None
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.ptx")}


def cuobjdump_images(cuobjdump, library):
    """Returns the number of cubins and PTX texts per target that cuobjdump lists, or None if it fails."""
    listed = ""
    for kind in ("-lelf", "-lptx"):
        result = subprocess.run([cuobjdump, "-all", kind, library], capture_output=True, text=True)
        if result.returncode:
            return None
        listed += result.stdout
    return collections.Counter(re.findall(r"\.sm_(\d+[af]?)\.(cubin|ptx)$", listed, re.M))


def suits(gpu, target, kind):
    number, suffix = int(target.rstrip("af")), target[-1] if target[-1] in "af" else ""
    if suffix == "a":
        return gpu == number
    is_of_generation = gpu // 10 == number // 10 and gpu % 10 >= number % 10
    return is_of_generation if kind == "cubin" or suffix == "f" else gpu >= number


def compare_verdicts(member, images, table):
    """Compares the verdicts on a library without Jetsons. They must be equal if all modules have the same images.
    Otherwise only the existence of images is compared."""
    images = {image: count for image, count in images.items() if int(image[0].rstrip("af")) not in {53, 62, 72, 87}}
    are_alike = set(images.values()) == {table["modules"]}
    verdicts = {gpu["gpu"]: gpu["verdict"] for gpu in table["gpus"]}
    for gpu in GPUS:
        kinds = {kind for target, kind in images if suits(gpu, target, kind)}
        expected = "native" if "cubin" in kinds else "compiled" if kinds else "none"
        ours = verdicts[f"sm_{gpu}"]
        same = ours == expected if are_alike else (ours == "none") == (expected == "none")
        assert same, f"{member}: {ours} on sm_{gpu}, but {expected} by {images}"
    return len(GPUS) if are_alike else 0


def check_member(member, library, ours, cuobjdumps, folder):
    """Returns the number of compared texts and verdicts."""
    texts = verdicts = 0
    table = as_json("targets", library)["files"][0]  # the same library without the wheel
    for cuobjdump in cuobjdumps:
        expected = cuobjdump_texts(cuobjdump, library, folder)
        if expected is not None:
            # cuobjdump overwrites texts with the same name in this case.
            assert expected <= ours, f"{member}: {cuobjdump} has other texts"
            texts += len(expected)
        images = cuobjdump_images(cuobjdump, library)
        if images and table["modules"] and not table["loose"]:  # a cubin may have no code
            verdicts += compare_verdicts(member, images, table)
    return texts, verdicts


def check_wheel(wheel, cuobjdumps):
    start = time.monotonic()
    entries = as_json("extract", "--list", wheel)["entries"]
    kinds = collections.Counter(entry["kind"] for entry in entries)
    print(f"{wheel.name}: {len(entries)} entries, {kinds['PTX']} PTX, listed in {time.monotonic() - start:.1f} s")
    assert kinds["cubin"], wheel
    run("check", "--no-config", wheel)
    table = as_json("targets", wheel)["files"][0]
    assert table["modules"] and any(gpu["verdict"] != "none" for gpu in table["gpus"]), table
    of_member = {entry["member"]: set() for entry in entries}
    texts = verdicts = 0
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(wheel) as file:
        folder = pathlib.Path(name)
        for entry in as_json("extract", "-o", folder / "ours", wheel)["entries"] if kinds["PTX"] else []:
            if "file" in entry:
                text = pathlib.Path(entry["file"]).read_bytes()
                assert re.search(rb"^\.version " + entry["version"].encode() + rb"\s", text, re.M), entry
                of_member[entry["member"]].add(hashlib.sha256(text).hexdigest())
        for member, ours in of_member.items():
            library = folder / "library.so"
            library.write_bytes(file.read(member))
            compared = check_member(member, library, ours, cuobjdumps, folder / "theirs")
            texts, verdicts = texts + compared[0], verdicts + compared[1]
    return texts, verdicts


def main():
    cuobjdumps = [fetch_cuobjdump(*one) for one in CUOBJDUMPS]
    compared = [check_wheel(fetch(*one), cuobjdumps) for one in WHEELS]
    texts, verdicts = (sum(column) for column in zip(*compared, strict=True))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{texts} texts and {verdicts} verdicts compared with cuobjdump; {memory} MiB at most")
    assert texts > 900 and verdicts > 100


main()
