; Intrinsics that C does not reach.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.ex2.approx.f(float)
declare half @llvm.fma.f16(half, half, half)
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
declare i32 @llvm.nvvm.prmt(i32, i32, i32)

define ptx_kernel void @exchange(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) %p, align 4
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 4, i32 31)
  %b = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %a, i32 2, i32 31)
  %c = extractvalue { i32, i1 } %b, 0
  %d = extractvalue { i32, i1 } %b, 1
  %e = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %d)
  %f = select i1 %e, i32 %c, i32 %a
  %g = call i32 @llvm.fshl.i32(i32 %f, i32 %v, i32 7)
  %h = call i32 @llvm.nvvm.prmt(i32 %g, i32 %v, i32 12816)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %t = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %u = trunc i64 %t to i32
  %w = add i32 %h, %u
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

define ptx_kernel void @halves(ptr addrspace(1) %p, <2 x half> %x, half %y, float %z) {
  %a = call <2 x half> @llvm.fma.v2f16(<2 x half> %x, <2 x half> %x, <2 x half> %x)
  %b = call half @llvm.fma.f16(half %y, half %y, half %y)
  %c = call float @llvm.nvvm.ex2.approx.f(float %z)
  %d = fptrunc float %c to half
  %e = fadd half %b, %d
  %f = insertelement <2 x half> %a, half %e, i32 0
  store <2 x half> %f, ptr addrspace(1) %p, align 4
  ret void
}

@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@name = private unnamed_addr addrspace(1) constant [6 x i8] c"hello\00", align 1
@pointer = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @name to ptr), align 8
define ptx_kernel void @globals(ptr %p, i32 %i) {
  %a = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 %i
  %b = load i32, ptr addrspace(4) %a
  %c = load ptr, ptr addrspace(1) @pointer
  %d = load i8, ptr %c
  %e = zext i8 %d to i32
  %f = add i32 %b, %e
  %g = atomicrmw add ptr %p, i32 %f monotonic
  %h = cmpxchg ptr %p, i32 %g, i32 %f acq_rel monotonic
  fence seq_cst
  ret void
}
