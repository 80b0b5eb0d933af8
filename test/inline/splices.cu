// Numbers inside of words: nvcc pastes them, and some number must make a word.
template <int Group, int Shape, int Bits> __device__ void splices(int a, uint4 &d, uint4 b, uint2 c) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(a), "r"(32), "n"(Group));
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(a), "r"(32), "n"(2));
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(a), "r"(32), "n"(3)); // error: [unknown-qualifier]
  asm volatile("tcgen05.alloc.cta_grup::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(a), "r"(32), "n"(Group)); // error: [unknown-qualifier]
  asm("mma.sync.aligned.m16n8k%10.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d.x), "+r"(d.y), "+r"(d.z), "+r"(d.w)
      : "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w), "r"(c.x), "r"(c.y), "n"(Shape));
  asm("mma.sync.aligned.m%10n8k%11.row.col.s32.s%12.s%12.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d.x), "+r"(d.y), "+r"(d.z), "+r"(d.w)
      : "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w), "r"(c.x), "r"(c.y), "n"(Shape / 4), "n"(Shape), "n"(Bits));
  asm("mma.sync.aligned.m16n8k%8.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4}, {%5}, {%0, %1, %2, %3};" // error: [vector-length]
      : "+r"(d.x), "+r"(d.y), "+r"(d.z), "+r"(d.w)
      : "r"(b.x), "r"(c.x), "r"(c.y), "r"(a), "n"(Shape));
  asm("tcgen05.ld.sync.aligned.32x32b.x%3.b32 {%0, %1}, [%2];" : "=r"(d.x), "=r"(d.y) : "r"(a), "n"(Shape));
  asm("cp.async.bulk.prefetch.tensor.%1d.L2.global.tile [%0, {%2, %2, %2}];" ::"l"((long)a), "n"(Shape), "r"(a));
  asm("cp.async.cg.shared.global.L2::%2B [%0], [%1], 16;" ::"r"(a), "l"((long)a), "n"(Bits));
  asm("dp%2a.u32.u32 %0, %1, %1, %0;" : "+r"(d.x) : "r"(a), "n"(Shape));
  asm("mov.u%2 %0, %1;" : "=r"(d.x) : "r"(a), "n"(Bits));
  asm("mov.u%2 %0, %1;" : "=r"(d.x) : "l"((long)a), "n"(Bits)); // error: [operand-size]
  asm("mov.u32 %0, %%envreg%1;" : "=r"(d.x) : "n"(Bits));
  asm volatile("WAIT_%1: bar.sync 0; bra WAIT_%1;" ::"r"(a), "n"(Bits)); // warning: [shared-label]
  asm("mov.u32 %0, 0x%1; // %1%%" : "=r"(d.x) : "n"(Bits));
#if __CUDA_ARCH__ >= 900
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(Group));
#endif
}
