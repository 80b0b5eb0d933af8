"""Compiles LLVM assembly to PTX in memory with llvmlite, and checks the PTX: check_llvmlite.py [FILE.ll]. A compiler
that is based on LLVM can check its output in this way. llvm_check.cpp does the same in C++."""

import pathlib
import sys

import llvmlite.binding as llvm
import ptxray

KERNEL = """
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @twice(ptr addrspace(1) %data) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr float, ptr addrspace(1) %data, i32 %thread
  %value = load float, ptr addrspace(1) %place
  %sum = fadd float %value, %value
  store float %sum, ptr addrspace(1) %place
  ret void
}
"""


def compiled(assembly, cpu="sm_90", features="+ptx86"):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(assembly)
    module.verify()
    machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu=cpu, features=features)
    return machine.emit_assembly(module)


def main():
    ptx = compiled(pathlib.Path(sys.argv[1]).read_text() if sys.argv[1:] else KERNEL)
    found = ptxray.Checker().check(ptx)
    for d in found:
        print(d)
    print(f"{len(ptx)} bytes for {found.target}: {found.errors} errors")
    return found.errors > 0


if __name__ == "__main__":
    sys.exit(main())
