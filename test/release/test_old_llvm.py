"""Tests that CMake reports an LLVM that is too old, and forgets it: after the installation of a newer one, the same
folder can be configured. test_old_llvm.py"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import ROOT, run

with tempfile.TemporaryDirectory() as name:
    old, build = pathlib.Path(name) / "llvm-14", pathlib.Path(name) / "build"
    old.mkdir()
    (old / "LLVMConfig.cmake").write_text("set(LLVM_PACKAGE_VERSION 14.0.6)\n")
    configure = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build]
    refused = subprocess.run([*configure, f"-DLLVM_DIR={old}"], capture_output=True, text=True)
    assert refused.returncode != 0 and "is 14.0.6" in refused.stdout + refused.stderr, refused
    assert "llvm" in (build / "missing-packages").read_text()
    said = run(*configure)
    assert "LLVM 14" not in said and "-- LLVM " in said, said
