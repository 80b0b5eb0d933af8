"""Builds ptxray with older LLVMs, which are unpacked without root: test_llvms.py PTXRAY [VERSION...]. Each result
must work and judge all modules of the tests like PTXRAY. apt's configured sources provide the packages."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from try_program import Program, compare, try_commands

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import CACHE, ROOT, need, run, skip

VERSIONS = ("16", "19")
PACKAGES = (
    *("llvm-{}-dev", "llvm-{}", "llvm-{}-tools", "llvm-{}-linker-tools", "libllvm{}", "libpolly-{}-dev"),
    *("libncurses-dev", "libtinfo6"),
)


def unpacked(version):
    """Returns the folder with LLVMConfig.cmake of that LLVM."""
    folder = CACHE / f"llvm-{version}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in (package.format(version) for package in PACKAGES):
            given = subprocess.run([need("apt-get"), "-qq", "download", name], cwd=folder, stderr=subprocess.PIPE)
            if given.returncode != 0 and name.endswith(f"{version}-dev"):
                skip("apt", f"apt-get does not give {name}")
        for package in folder.glob("*.deb"):
            run("dpkg", "-x", package, folder)
            package.unlink()
        (folder / "complete").touch()
    return folder / f"usr/lib/llvm-{version}/lib/cmake/llvm"


def main():
    judged = Program([pathlib.Path(sys.argv[1]).resolve()])
    for version in sys.argv[2:] or VERSIONS:
        build = CACHE / f"with-llvm-{version}"
        options = [f"-DLLVM_DIR={unpacked(version)}", f"-DCMAKE_PREFIX_PATH={CACHE / f'llvm-{version}' / 'usr'}"]
        said = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options)
        assert f"LLVM {version}." in said, said
        run("cmake", "--build", build, "--target", "ptxray")
        program = Program([build / "tools/ptxray/ptxray"])
        with tempfile.TemporaryDirectory() as name:
            work = pathlib.Path(name)
            (work / "use").mkdir()
            try_commands(program, work / "use")
            print(f"LLVM {version}: ptxray works and judges {compare(program, judged, work)} modules alike", flush=True)


main()
