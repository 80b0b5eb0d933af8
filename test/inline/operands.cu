// Constraints, constants, what is read and written.
template <int Value, bool Flag> __device__ void operands(int a, float f, double e, short h) {
  int d;
  asm("add.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "n"(5));
  asm("add.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "n"(Value));
  asm("ld.shared.u32 %0, [%1 + %2 * 4];" : "=r"(d) : "r"(a), "n"(Value));
  asm("bar.sync %0, %1;" ::"n"(Value), "n"(128));
  asm("bar.sync %0, %1;" ::"n"(17), "n"(128)); // error: [immediate-value]
  asm("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Value));
  asm("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(25)); // error: [immediate-value]
  asm("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(a), "n"(Value));
  asm("mov.u32 %0, 1;" ::"n"(Value)); // error: [destination-register]
  asm("add.s32 %0, %1, 1;" : "=r"(d) : "0"(a)); // error: [inline-constraint] "tied operands"
  asm("add.s32 %0, %1, 1;" : "=r"(d) : "g"(a)); // error: [inline-constraint]
  asm("add.s32 %0, %0, %1;" : : "r"(d), "r"(a)); // warning: [input-operand-written]
  asm("add.s32 %0, %0, %1;" : "+r"(d) : "r"(a));
  asm("{ .reg .b32 t; mov.b32 t, %1; }" : "=r"(d) : "r"(a)); // warning: [output-never-written]
  asm("bar.sync 0;" ::: "r1"); // error: [inline-clobber]
  asm("neg.s32 %[d], %1;" : [d] "=r"(d) : "r"(a)); // error: [inline-operand-name]
  // A float register of its own exists below sm_100 only, where ptxas tells it from others.
  asm("mov.u32 %0, %1;" : "=r"(d) : "f"(f)); // warning: [inline-register-type] "on earlier targets: `%1` is .f32"
  asm("add.f64 %0, %1, %1;" : "=d"(e) : "d"(e));
  asm("add.f16 %0, %1, %1;" : "=h"(h) : "h"(h));
  asm("add.f16 %0, %1, %1;" : "=r"(d) : "h"(h)); // error: [operand-size]
  asm("add.s32 %0, %1, 1; trap;" : "=r"(d) "+r"(a) : "r"(a) "r"(a));
}
