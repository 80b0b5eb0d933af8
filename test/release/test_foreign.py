"""Programs for Windows and macOS, made and tried as far as that is possible on Linux: test_foreign.py [OUT].

`tools/dev release` makes them beside the one for Linux, or has made them in OUT. That of Windows is used under wine and
judges all modules of the tests as that of Linux does; of those of macOS it is looked at what they ask of a system."""

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
