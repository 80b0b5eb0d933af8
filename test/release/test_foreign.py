"""Builds programs for Windows and macOS, and tests them as far as possible on Linux: test_foreign.py [OUT].

`tools/dev release` builds them with the program for Linux, or has built them in OUT. The Windows program runs under
wine and must judge all modules of the tests like the Linux program. For macOS, the test only checks the system
requirements of the programs."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import ROOT, run

TARGETS = ("x86_64-linux", "x86_64-windows", "aarch64-macos", "x86_64-macos")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "release-foreign")
    if len(sys.argv) < 2:
        run(sys.executable, ROOT / "tools" / "release", *TARGETS, "--out", out)
    parts = ("sums", "contents", "tarballs")
    sys.exit(subprocess.run([sys.executable, pathlib.Path(__file__).with_name("try_all.py"), out, *parts]).returncode)


main()
