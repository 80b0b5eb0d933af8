; Calls of assembly, right and wrong.
target triple = "nvptx64-nvidia-cuda"
define i32 @f(i32 %a) {
  %1 = call i32 asm "add.s32 $0, $1, 1;", "=r,r"(i32 %a)
  %2 = call i32 asm sideeffect "{\0A\09.reg .pred p;\0A\09setp.ne.s32 p, $1, 0;\0A\09vote.sync.ballot.b32 $0, p, 0xffffffff;\0A\09}", "=r,r,~{memory}"(i32 %a)
  %3 = call i32 asm sideeffect "{\0A\09.reg .pred p;\0A\09setp.ne.s32 q, $1, 0;\0A\09vote.sync.ballot.b32 $0, p, 0xffffffff;\0A\09}", "=r,r,~{memory}"(i32 %a) ; // error: [undefined-symbol]
  %4 = call { i32, i32 } asm "mov.b64 {$0, $1}, $2;", "=r,=r,l"(i64 0)
  %5 = call { i32, i32 } asm "mov.b64 {$0, $1}, $3;", "=r,=r,l"(i64 0) ; // error: [inline-operand-index]
  call void asm sideeffect "bar.sync $0;", "n"(i32 0)
  call void asm sideeffect "bar.snc $0;", "n"(i32 0) ; // error: [unknown-qualifier]
  call void asm sideeffect "st.shared.b32 [$0], $1;", "r,r"(i32 0, i32 1)
  call void asm sideeffect "st.shared.b32 [$0], $1", "r,r"(i32 0, i32 1) ; // error: [expected-semicolon]
  %6 = call i16 asm "mov.b16 $0, $1;", "=h,h"(i16 1)
  %7 = call i16 asm "mov.b32 $0, $1;", "=h,h"(i16 1) ; // error: [operand-size]
  ret i32 %1
}
; asm "a comment"
module asm ".global .b32 x;"
