"""Compiles the quick tests for aarch64 like a release, and runs them under qemu's user mode: test_emulated.py [-R
REGEX].

For tests that call a program, a script emulates the program. Some tests are skipped: those that compile, load the
library into a process of this machine, check the text of the repository or the memory of a process, or run another
test."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import ROOT, copy_sources, need, skip

RELEASE = ROOT / "tools" / "release"
GTEST = pathlib.Path("/usr/src/googletest")  # of the package googletest
NOT_HERE = ("tidy", "style", "library", "python", "example-score", "terminal", "lsp-memory", "seeds")
GLIBC = pathlib.Path("/usr/aarch64-linux-gnu")  # of the package libc6-arm64-cross; ptxray-run asks for it


def load(name):
    sys.path.insert(0, str(RELEASE))
    spec = importlib.util.spec_from_file_location("release", RELEASE / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def emulate(program, *emulator):
    """Writes a script that replaces a program."""
    real = program.with_name(program.name + ".emulated")
    if program.read_bytes().startswith(b"\x7fELF"):
        program.rename(real)
    program.write_text(f'#!/bin/sh\nexec {" ".join(map(str, emulator))} -0 "$0" "{real}" "$@"\n')
    program.chmod(0o755)


def main():
    emulator = need("qemu-aarch64-static")
    for folder, package in ((GTEST, "googletest"), (GLIBC, "libc6-arm64-cross")):
        if not folder.exists():
            skip(package, f"{folder} is missing: apt-get install {package}")
    tool = load("__main__.py")
    release = tool.Release(tool.git("rev-parse", "HEAD").strip(), ROOT / "build" / "release-work", None)
    _, _, source = tool.source.build(release.work, release.version, release.revision, release.epoch)
    compiler = tool.compile.Compiler(release.work, release.zig, release.epoch)
    (target,) = (one for one in tool.targets.TARGETS if one.name == "aarch64-linux")
    prefix = compiler.third_party(target)
    gtest, build = release.work / "gtest-emulated", release.work / "emulated"
    log = release.work / "emulated.log"
    log.unlink(missing_ok=True)
    compiler.configure(GTEST, gtest / "build", log, target, prefix, f"-DCMAKE_INSTALL_PREFIX={gtest}")
    compiler.run(log, "cmake", "--build", gtest / "build", "--target", "install")
    options = [f"-DLLVM_DIR={prefix / 'lib/cmake/llvm'}", f"-DCMAKE_CROSSCOMPILING_EMULATOR={emulator}"]
    options.append(f"-DPTXRAY_JSON_INCLUDE={source / 'generated' / 'include'}")
    options.append(f"-DPTXRAY_ZIG={release.zig}")
    tree = release.work / "source-emulated"  # of a source archive, which has its parser, no tests are built
    shutil.rmtree(tree, ignore_errors=True)
    copy_sources(tree)
    shutil.copytree(source / "generated/antlr4-runtime", tree / "generated/antlr4-runtime")
    (tree / "build").mkdir()
    (tree / "build/cuda").symlink_to(ROOT / "build/cuda")
    options.append("-DCMAKE_CXX_FLAGS=-g0 -fno-sanitize=undefined")  # which zig turns on where nothing is optimised
    compiler.configure(tree, build, log, target, f"{prefix};{gtest}", *options)
    compiler.run(log, "cmake", "--build", build, "--target", "tools/all", "test/all")
    driver = [tree / "test/ptxas/FakeDriver.cpp", "-o", build / "test/ptxas/driver/libcuda.so.1"]
    flags = ["-std=c++20", "-shared", "-fPIC", "-I", tree / "tools/ptxray-run"]
    compiler.run(log, release.zig, "c++", "-target", target.launcher, *flags, *driver)
    for name in ("ptxray", "ptxray-isagen"):
        emulate(build / "tools" / name / name, emulator)
    emulate(build / "tools/ptxray-run/ptxray-run", emulator, "-L", GLIBC)
    words = ["ctest", "--test-dir", build, "-LE", "long|shipped", "-E", f"^({'|'.join(NOT_HERE)})$", *sys.argv[1:]]
    sys.exit(subprocess.run([*words, "-j2", "--output-on-failure"]).returncode)


main()
