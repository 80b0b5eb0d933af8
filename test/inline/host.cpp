// Assembly of other machines is none of our business.
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
  asm volatile("yield");
  asm volatile("fence.i");
#ifndef __CUDA_ARCH__
  asm volatile("ret.q33" : "+r"(lo));
#endif
  return lo;
}
__device__ void device() {
  asm("trapp;"); // error: [unknown-instruction]
  // ptxray: ignore unknown-instruction
  asm("trapp;");
  asm("trap"); // error: [expected-semicolon]
}
