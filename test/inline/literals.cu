// How templates are written: adjacent literals, escapes, raw strings, splices, comments. //@ skipped 2
__device__ void literals(unsigned *p, unsigned a, float f, unsigned long long l) {
  unsigned d;
  asm("add.s32 %0, %1, %1;" : "=r"(d) : "r"(a));
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "setp.ne.b32 p, %1, 0;\n\t"
               "@p add.s32 %0, %1, %2;\n\t" // error: [inline-operand-index] "the statement has 2 operands, `%0` and `%1`"
               "}"
               : "=r"(d)
               : "r"(a));
  asm volatile(R"(
    mov.u32 %0, %tid.x;
    add.s33 %0, %0, %1;   // error: [unknown-qualifier]
  )" : "=r"(d) : "r"(a));
  asm("mov.u32 \t%0, \
%%laneid;" : "=r"(d));
  asm("add.f32 %0, %1, %2;" : "=r"(d) : "r"(a), "l"(l)); // error: [operand-size] "`%2` is .b64"
  asm("st.global.u32 [%0], %1;" ::"l"(p), "r"(a) : "memory");
  asm("st.global.u32 [%0], %1;" ::"r"(a), "r"(a) : "memory"); // error: [codegen-address-32]
  asm("/* add.s33 */ add.s32 %0, %1, 1; // add.s33" : "=r"(d) : "r"(a));
  asm("{ add.s32 %0, %1, 1; // }" : "=r"(d) : "r"(a)); // error: [unclosed-brace]
  asm("add.s32 %0, %1, 1" : "=r"(d) : "r"(a)); // error: [expected-semicolon]
  asm("add.s32 %0, %1, 1" : "=r"(d) : "r"(a)); // error: [expected-semicolon]
  asm("add.s32 %0, %1, 1" // error: [expected-semicolon] "`1`"
      "mul.lo.s32 %0, %0, %1;" : "=r"(d) : "r"(a));
  asm volatile("{ add.s32 %0, %1, %1" // error: [expected-semicolon] "`%1`"
               "add.s32 %0, %0, 1; }" : "=r"(d) : "r"(a));
  asm volatile("ld.global." : "=r"(d)); // error: [stray-character]; error: [expected-semicolon]
  asm volatile("");
  asm volatile("" ::: "memory");
  const char *text = "asm(\"add.s33 %0, %1;\")"; // asm("add.s33");
  char c = '"', e = '\'';
  int n = 1'000'000;
#if 0
  asm("add.s33 %0, %1, 1;" : "=r"(d) : "r"(a));
#endif
  asm("tanh.approx.f32 %0, %1;" : "=f"(f) : "l"(l)); // error: [operand-size]
}
