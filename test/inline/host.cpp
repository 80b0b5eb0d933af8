// Assembly of other machines is none of our business. //@ skipped 14
int renamed() asm("another_name");
register long stack asm("rsp");
static unsigned long long ticks() {
  unsigned lo, hi;
  asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
  __asm__ __volatile__("mfence" ::: "memory");
  asm volatile("lock; xaddl %0, %1" : "+r"(lo), "+m"(hi) : : "memory", "cc");
  asm volatile("mov %1, %0; add $1, %0" : "=r"(lo) : "r"(hi));
#if defined(__aarch64__)
  asm volatile("add.s33 %0, %0, 1;" : "+r"(lo));
#elif defined(__HIP__)
  asm volatile("mov.b33 %0, %0;" : "+r"(lo));
#endif
  // RISC-V and ARM have words of PTX in theirs.
  __asm__ volatile("mova.x.m  %[t]\n\tfcvt.ps.f16 %[r], %[r]" : [t] "=&r"(lo), [r] "=&f"(hi) : [raw] "r"(hi));
  asm("fcvt.s.f16 %[r], %[a]" : [r] "=f"(lo) : [a] "f"(hi));
  asm volatile("flw f0, %1\n fcvt.ps.f16 f1, f0\n" : "=r"(lo) : "r"(hi));
  asm("vadd.f32 %q0, %q1, %q2" : "=w"(lo) : "w"(hi), "w"(hi));
  asm("vmad.u32 d0, d1, d2" ::: "d0", "d1");
  asm volatile("yield");
  asm volatile("fence.i");
#ifndef __CUDA_ARCH__
  asm volatile("ret.q33" : "+r"(lo));
#endif
  return lo;
}
__device__ void device() {
  // The label of a declaration is not a statement.
  __device__ float sampled(float) __asm("llvm.amdgcn.image.sample.lz.3d.v4f32.f32");
  extern int renamed_too asm("_"
                             "other"),
      table[4] asm("other_table");
  int other() noexcept __asm__("trap");
  if (sampled(1.0f) > 0)
    asm("trap"); // error: [expected-semicolon]
  else
    asm("trap"); // error: [expected-semicolon]
  for (;;)
    asm("brkpt;");
  asm("trapp;"); // error: [unknown-instruction]
  // ptxray: ignore unknown-instruction
  asm("trapp;");
  asm("trap"); // error: [expected-semicolon]
}
