#include <ops.h>
__global__ void k(unsigned *p) {
  unsigned x;
  asm volatile("ld.global" MODIFIER ".u32 %0, [%1];" : "=r"(x) : "l"(p));
  WAIT(0);
  *p = x;
}
