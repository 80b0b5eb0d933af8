"""`tools/dev release`, twice in different places, gives the same bytes, and each artefact is installed and used:
test_release.py [OUT]. With OUT, which holds a release of the commit at hand, only the second is made."""

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


def main():
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
        run(*RELEASE, "--work", work, "--out", second, env={**os.environ, "CCACHE_DISABLE": "1"})
        a, b = (folder / "SHA256SUMS" for folder in (first, second))
        assert a.read_text() == b.read_text(), run("diff", a, b, status=None)
    print("two runs in different folders give the same bytes")


if __name__ == "__main__":
    main()
