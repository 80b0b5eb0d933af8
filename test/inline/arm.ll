; Of another machine, as its triple says; a later module of the same file may be for a GPU. //@ skipped 2
target triple = "arm64-apple-macosx15.0.0"
define i64 @f(ptr %p) {
  %1 = call i64 asm sideeffect "ldr ${0:w}, [$1]", "=r,r,~{memory}"(ptr %p)
  %2 = call i64 asm sideeffect "add.s33 $0, $1, 1", "=r,r,~{memory}"(ptr %p)
  ret i64 %1
}
target triple = "nvptx64-nvidia-cuda"
module asm ".global .b32 counted;"
@seen = internal addrspace(1) global i32 0
define void @g(i32 %a) {
  call void asm sideeffect "add.s33 $0, $1, 1;", "=r,r,~{memory}"(i32 %a) ; // error: [unknown-qualifier]
  call void asm sideeffect "red.global.add.u32 [seen], $0;", "r"(i32 %a)
  call void asm sideeffect "red.global.add.u32 [counted], $0;", "r"(i32 %a)
  call void asm sideeffect "red.global.add.u32 [unseen], $0;", "r"(i32 %a) ; // error: [undefined-symbol]
  call void asm sideeffect ".reg .b32 held;", ""()
  call void asm sideeffect "mov.b32 held, $0;", "r"(i32 %a)
  ret void
}
define void @h(i32 %a) {
  call void asm sideeffect "mov.b32 held, $0;", "r"(i32 %a) ; // error: [undefined-symbol]
  ret void
}
