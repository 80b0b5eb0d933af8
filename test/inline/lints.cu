//@ pedantic
// What no compiler says: about operands, memory, labels.
__device__ void lints(int a, int *p) {
  int d;
  asm("add.s32 %0, %0, %1;" : "=r"(d) : "r"(a)); // warning: [output-read-first]
  asm("add.s32 %0, %0, %1;" : "+r"(d) : "r"(a));
  asm("mov.u32 %0, 0; add.s32 %0, %0, %1;" : "=r"(d) : "r"(a));
  asm("{ .reg .pred p; setp.eq.s32 p, %1, 0; @p mov.u32 %0, 1; @!p mov.u32 %0, 2; }" : "=r"(d) : "r"(a));
  asm("add.s32 %0, %1, %1;" : "=r"(d) : "r"(a), "r"(d)); // pedantic: [unused-operand]
  asm volatile("st.global.u32 [%0], 1;" ::"l"(p)); // pedantic: [missing-memory-clobber]
  asm("st.global.u32 [%0], 1;" ::"l"(p) : "memory");
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(d) : "l"(p));
  asm("atom.global.add.u32 %0, [%1], 1;" : "=r"(d) : "l"(p) : "memory"); // pedantic: [missing-volatile]
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(d) : "l"(p) : "memory");
  asm("mov.u32 %0, %tid.x;" : "=r"(d)); // pedantic: [nvcc-only]
  asm("mov.u32 %0, %%tid.x;" : "=r"(d));
  asm("add.s32 %0, %1, %2;" : "=r"(d) : "r"(a) "r"(d)); // pedantic: [nvcc-only]
  asm volatile("again: bra again;"); // warning: [shared-label]
  asm volatile("{ again: bra again; }");
  asm volatile("again%=: bra again%=;" :);
}
__global__ void kernel() {
  asm volatile("again: bra again;");
}
