"""Tests docs/examples/embedding/llvm_check.cpp in a program with another LLVM: test_llvm.py LIBRARY."""

import pathlib
import shutil
import sys
import tempfile

from common import ROOT, run, skip

EXAMPLE = ROOT / "docs" / "examples" / "embedding" / "llvm_check.cpp"
KERNEL = """
define ptx_kernel void @twice(ptr addrspace(1) %data) {
  %value = load float, ptr addrspace(1) %data
  %sum = fadd float %value, %value
  store float %sum, ptr addrspace(1) %data
  ret void
}
"""
# LLVM does not read this text.
FAULT = KERNEL.replace("ret void", 'call void asm sideeffect "bar.snyc 0;", ""()\n  ret void')


def main():
    config = next(filter(None, map(shutil.which, ("llvm-config-22", "llvm-config"))), None)
    if not config or "NVPTX" not in run(config, "--targets-built"):
        skip("llvm", "no LLVM with a code generator for PTX")
    words = run(config, "--cppflags", "--ldflags", "--libs").split()
    library = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "llvm_check"
        run("c++", "-std=c++20", EXAMPLE, f"-I{ROOT}/include", *words, library, f"-Wl,-rpath,{library.parent}",
            "-o", program)  # fmt: skip
        kernel = folder / "kernel.ll"
        for text, status, found in ((KERNEL, 0, ": 0 findings"), (FAULT, 1, "[unknown-qualifier]")):
            kernel.write_text(text)
            for gpu in ("sm_80", "sm_90"):
                shown = run(program, kernel, gpu, status=status)
                assert found in shown and f"for {gpu}:" in shown, shown
    print("LLVM and the library work in one program")


main()
