"""Compiles the programs for wasm32-wasi in the same way as tools/release, with a calling interface for JavaScript."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "release-work"
sys.path.append(str(ROOT / "tools" / "release"))

import compile  # noqa: E402  (lies in tools/release)
import source  # noqa: E402
import sources  # noqa: E402
import targets  # noqa: E402

TARGET = next(target for target in targets.TARGETS if target.is_wasm)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def zig():
    subprocess.run([sys.executable, ROOT / "tools" / "zig.py"], check=True)
    return max((ROOT / "build" / "zig").glob("*/zig"))


def of_working_tree():
    """Returns the folders of the source and of the programs, for the files that git lists in the working tree."""
    revision = git("stash", "create") or "HEAD"
    WORK.mkdir(parents=True, exist_ok=True)
    _, _, folder = source.build(WORK, "playground", revision, epoch=1)
    place = compile.Compiler(WORK, zig(), epoch=1).program(folder, TARGET)
    return folder, place / "ptxray"


def licences():
    """Returns the licence texts of the program's parts."""
    return sources.licences(WORK, zig(), TARGET.zig)
