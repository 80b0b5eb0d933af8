#!/usr/bin/env python3
"""Downloads zig from PyPI into build/zig, pinned by hash: a C++ compiler that links for older versions of glibc. An
existing copy is not changed. Exit status 1: it is not available."""

import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile

import pypi

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = "0.17.1"
SHA256 = "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54"
TARGET = ROOT / "build" / "zig" / VERSION


def main():
    if (TARGET / "zig").exists():
        return 0
    if platform.machine() != "x86_64":
        print(f"the zig that is pinned here runs on x86-64, not on {platform.machine()}", file=sys.stderr)
        return 1
    print(f"fetching zig {VERSION}", file=sys.stderr)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET.parent) as folder:
        try:
            wheel = pypi.download("ziglang", VERSION, folder, SHA256)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"zig cannot be had: {error}", file=sys.stderr)
            return 1
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if name.startswith("ziglang/")])
        unpacked = pathlib.Path(folder) / "ziglang"
        (unpacked / "zig").chmod(0o755)
        shutil.move(unpacked, TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
