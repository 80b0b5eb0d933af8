// The triple of a host says nothing about the modules inside. //@ skipped 2
module attributes {llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  llvm.func @f(%a: i32) {
    %0 = llvm.inline_asm has_side_effects "rdtsc", "=r" : () -> i32
    %1 = llvm.inline_asm has_side_effects "movl $1, $0", "=r,r" %a : (i32) -> i32
    llvm.return
  }
  gpu.module @kernels {
    llvm.func @g(%a: i32) {
      %0 = llvm.inline_asm "add.s32 $0, $1;", "=r,r" %a : (i32) -> i32 // error: [missing-operand]
      llvm.return
    }
  }
}
