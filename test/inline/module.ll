; LLVM's assembly, and a line of MLIR's.
define void @kernel(i32 %a) {
  %1 = tail call i32 asm sideeffect "add.s32 $0, $1, 1;\0A", "=r,r,~{memory}"(i32 %a)
  %2 = call i32 asm "add.s33 $0, $1, 1;", "=r,r"(i32 %a) ; // error: [unknown-qualifier]
  call void asm sideeffect "{\0A\09.reg .pred p;\0A\09setp.ne.s32 p, $0, 0;\0A\09@p bra L${:uid};\0AL${:uid}:\0A}", "r"(i32 %a)
  %3 = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %laneid;", "=r,r" %a : (i32) -> i32
  %4 = llvm.inline_asm asm_dialect = att "neg.s32 $0, $1;\0Aret.q;", "=r,r" %a : (i32) -> i32 ; // error: [unknown-qualifier]
  call void asm sideeffect "setp.ne.s32 $0, $1, 0;", "=b,r"(i32 %a)
  ret void
}
