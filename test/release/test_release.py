"""Tests that `tools/dev release` produces the same bytes in two folders, and installs and uses each artefact:
test_release.py [OUT [TARGET...]]. OUT is a tested release of the current commit, so that only the second one is
built. With targets, only these are built, and artefacts of all targets (the image, the SBOM) are not compared."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import ROOT, run

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = [sys.executable, ROOT / "tools" / "release"]


def sums(folder):
    """Returns {file: checksum}."""
    return {line.split()[1]: line.split()[0] for line in (folder / "SHA256SUMS").read_text().splitlines()}


def main():
    targets = sys.argv[2:]
    first = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "release-first"
    if len(sys.argv) < 2:
        run(*RELEASE, "--out", first)
        tried = subprocess.run([sys.executable, HERE / "try_all.py", first]).returncode
        if tried:
            sys.exit(tried)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        work, second = pathlib.Path(name) / "work", pathlib.Path(name) / "out"
        work.mkdir()
        shutil.copytree(ROOT / "build/release-work/archives", work / "archives")
        run(*RELEASE, *targets, "--work", work, "--out", second, env={**os.environ, "CCACHE_DISABLE": "1"})
        once, again = (sums(folder) for folder in (first, second))
        of_all = {name for name in again if name.endswith((".spdx.json", "-oci.tar"))} if targets else set()
        different = sorted(name for name in again if name not in of_all and again[name] != once.get(name))
        assert not different and (targets or once == again), different or set(once) - set(again)
    print(f"two runs in different folders give the same bytes: {', '.join(sorted(set(again) - of_all))}")


if __name__ == "__main__":
    main()
