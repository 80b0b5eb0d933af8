#!/usr/bin/env python3
"""Downloads ptxas, or a complete nvcc, from PyPI's wheels into build/cuda/<release>/.

    tools/dev cuda                 ptxas 13.5 and 13.0
    tools/dev cuda 12.4 13.2       those releases
    tools/dev cuda --all           every release of tools/cuda-releases.txt
    tools/dev cuda --nvcc          nvcc 13.5 with its headers, in build/cuda/nvcc

The wheels are pinned by hash in tools/cuda-releases.txt. Existing files are not changed. Exit status 1: a package is
not available."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import pypi

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "cuda"
DEFAULT = ["13.5", "13.0"]


def pinned():
    """Returns rows of (what, package, version, sha256). `what` is a release or `nvcc`."""
    for line in (ROOT / "tools" / "cuda-releases.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield tuple(line.split())


def fetch_ptxas(release, package, version, sha256):
    target = CACHE / release / "bin" / "ptxas"
    if target.exists():
        return
    print(f"fetching ptxas {release} ({package} {version})", file=sys.stderr)
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(pypi.download(package, version, folder, sha256)) as wheel,
    ):
        name = next(n for n in wheel.namelist() if n.endswith("/bin/ptxas"))
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        partial.write_bytes(wheel.read(name))
    partial.chmod(0o755)
    partial.rename(target)


def fetch_nvcc(rows):
    target = CACHE / "nvcc"
    if (target / "complete").exists():
        return
    for _, package, version, sha256 in rows:
        print(f"fetching {package} {version}", file=sys.stderr)
        with (
            tempfile.TemporaryDirectory() as folder,
            zipfile.ZipFile(pypi.download(package, version, folder, sha256)) as wheel,
        ):
            for member in wheel.infolist():
                parts = pathlib.PurePosixPath(member.filename).parts
                if member.is_dir() or parts[:1] != ("nvidia",):
                    continue
                path = target.joinpath(*parts[2:])  # the path without nvidia/cu13
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(wheel.read(member))
                if "bin" in parts:
                    path.chmod(0o755)
    (target / "complete").touch()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--nvcc", action="store_true")
    options = parser.parse_args()
    rows = list(pinned())
    releases = [row for row in rows if row[0] != "nvcc"]
    wanted = options.release or ([] if options.nvcc else DEFAULT)
    if options.all:
        wanted = [row[0] for row in releases]
    failed = False
    for release in wanted:
        row = next((r for r in releases if r[0] == release), None)
        if not row:
            print(f"no release {release}; known: {' '.join(r[0] for r in releases)}", file=sys.stderr)
            return 2
        try:
            fetch_ptxas(*row)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"ptxas {release} cannot be had: {error}", file=sys.stderr)
            failed = True
    if options.nvcc:
        try:
            fetch_nvcc([row for row in rows if row[0] == "nvcc"])
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"nvcc cannot be had: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
