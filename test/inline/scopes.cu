// Statements of one function share the scope of its body. //@ skipped 1
struct Field {
  unsigned value;
  __device__ Field &operator+=(const Field &other) {
    asm("{ .reg .pred %top;");
    asm("setp.ne.u32 %top, %0, 0;" ::"r"(other.value));
    asm("@%top add.u32 %0, %0, %1;" : "+r"(value) : "r"(other.value));
    asm("}");
    return *this;
  }
};
__device__ void declares(unsigned a) {
  asm(".reg .b32 shared_name, family<4>;");
  asm("mov.b32 shared_name, %0;" ::"r"(a));
  asm("mov.b32 family3, %0;" ::"r"(a));
}
__device__ void other(unsigned a) {
  asm("mov.b32 shared_name, %0;" ::"r"(a)); // error: [undefined-symbol]
  asm("{ add.s32 %0, %0, 1;" : "+r"(a)); // error: [unclosed-brace]
}
__device__ int counter;
__device__ void variable() { asm("red.global.add.u32 [counter], 1;" ::: "memory"); }
__device__ void labels(unsigned a) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %0;\n"
               "@p bra DONE;\n"
               "bra WAIT;\n"
               "DONE:\n"
               "}" ::"r"(a));
  asm volatile("L%=: bra L%=;");
  asm volatile("@p bra NOWHERE;"); // error: [undefined-symbol]; error: [undefined-symbol]
}
__device__ void unopened(unsigned a) {
  asm(".reg .pred opened;");
  asm("setp.ne.u32 opened, %0, 0;" ::"r"(a));
  asm("}"); // error: [extra-token]
}
// Memory is shared by all functions that are inlined into one.
__device__ void tells() { asm volatile(".shared .align 4 .b8 scratch[64], more[4]; st.shared.f32 [scratch], 0f00000000;"); }
__device__ float asks() {
  float f;
  asm volatile("ld.shared.f32 %0, [scratch + 4];" : "=f"(f));
  asm volatile("ld.shared.f32 %0, [more];" : "=f"(f));
  asm volatile("ld.shared.f32 %0, [scratched];" : "=f"(f)); // error: [undefined-symbol]
  return f;
}
asm(".global .b32 at_the_top;");
__device__ void uses() { asm("red.global.add.u32 [at_the_top], 1;" ::: "memory"); }
