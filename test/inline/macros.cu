//@ skipped 5
#include "names.h"
#include "nowhere.h"
#include "macros.cu"
#define TYPE "f32"
#define ROUND(mode) "." #mode
#define PASTE(a, b) a##b
#define ADD(type)                                                                                                      \
  __device__ void add_##type(unsigned *r, unsigned a) {                                                                \
    asm("add." #type " %0, %1, %1;" : "=r"(*r) : "r"(a));                                                              \
  }
ADD(s32)
ADD(s33) // error: [unknown-qualifier]
#define OPERANDS(x) : "=f"(x) : "f"(x)
#define ASM asm volatile
#define WIDTH(n) asm("add." TEXT(PASTE(u, n)) " %0, %0, 1;" : "+r"(a))
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
#define UNUSED(x) asm("add.s34 %0, %0, 1;" : "+r"(x)) // error: [unknown-qualifier]
#if SOMETHING
#define UNCERTAIN "s32"
#else
#define UNCERTAIN "u32"
#endif
#define BOMB0 "x" "x"
#define BOMB1 BOMB0 BOMB0 BOMB0 BOMB0 BOMB0 BOMB0 BOMB0 BOMB0
#define BOMB2 BOMB1 BOMB1 BOMB1 BOMB1 BOMB1 BOMB1 BOMB1 BOMB1
#define BOMB3 BOMB2 BOMB2 BOMB2 BOMB2 BOMB2 BOMB2 BOMB2 BOMB2
#define BOMB4 BOMB3 BOMB3 BOMB3 BOMB3 BOMB3 BOMB3 BOMB3 BOMB3
#define BOMB5 BOMB4 BOMB4 BOMB4 BOMB4 BOMB4 BOMB4 BOMB4 BOMB4
#define BOMB6 BOMB5 BOMB5 BOMB5 BOMB5 BOMB5 BOMB5 BOMB5 BOMB5
__device__ void uses(float f, unsigned a) {
  asm("add" SUFFIX " %0, %0, %0;" : "+f"(f));
  asm(JOIN("add" ROUND(rn), "." TYPE) " %0, %0, %0;" : "+f"(f));
  asm("add" ROUND(rq) ".f32 %0, %0, %0;" : "+f"(f)); // error: [unknown-qualifier]
  asm("neg.f32 %0, %1;" OPERANDS(f));
  WIDTH(32);
  WIDTH(23); // error: [unknown-qualifier]
  ASM("neg.f33 %0, %0;" : "+f"(f)); // error: [unknown-qualifier]
  asm("add." UNCERTAIN " %0, %0, 1;" : "+r"(a));
  asm("add." MISSING " %0, %0, 1;" : "+r"(a));
  asm(BOMB6);
  asm(LOOP);
  asm("add.s32 %0, %0, "
#if SOMETHING
      "1;"
#else
      "2;"
#endif
      : "+r"(a));
}
