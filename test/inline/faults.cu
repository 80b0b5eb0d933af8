// One fault each, as nvcc or ptxas refuses it; the same without a fault is in clean.cu. //@ skipped 1

// address-r-generic
__device__ int ld(unsigned a) {
  int d;
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(d) : "r"(a)); // error: [codegen-address-32]
  return d;
}

// b128
__device__ void exch(void *p, unsigned __int128 v) {
  asm volatile("st.global.b128 [%0], %1;" :: "l"(p), "l"((long long)v) : "memory"); // error: [operand-size]
}

// basic-percent
__device__ void nano() { asm volatile("nanosleep.u32 %r0x;"); } // error: [undefined-symbol]

// clobber
__device__ void sync0() {
  asm volatile("bar.sync 0;" ::: "memory", "eax"); // error: [inline-clobber]
}

// const-output
__device__ void st(int v) {
  asm volatile("mov.b32 5, %0;" :: "r"(v)); // error: [destination-register]
}

// constant-range
__device__ void bar() {
  asm volatile("bar.sync %0, %1;" :: "n"(16), "n"(128)); // error: [immediate-value]
}

// constraint-letter
__device__ int neg(int a) { int d; asm("neg.s32 %0, %1;" : "=r"(d) : "g"(a)); return d; } // error: [inline-constraint]

// cvt-rounding
__device__ unsigned short cvt(float a) {
  unsigned short d;
  asm("cvt.bf16.f32 %0, %1;" : "=h"(d) : "f"(a)); // error: [missing-qualifier]
  return d;
}

// duplicate-reg
__device__ int two(int a) {
  int d;
  asm("{ .reg .b32 t; .reg .b32 t; add.s32 t, %1, 1; mov.b32 %0, t; }" : "=r"(d) : "r"(a)); // error: [duplicate-definition]
  return d;
}

// early-clobber
__device__ int mul2(int a, int b) {
  int d;
  asm("mul.lo.s32 %0, %1, %2; add.s64 %0, %0, %1;" : "=&r"(d) : "r"(a), "r"(b)); // error: [operand-size]
  return d;
}

// extra-comma
__device__ int add3(int a, int b) {
  int d;
  asm("add.s32 %0, %1,, %2;" : "=r"(d) : "r"(a), "r"(b)); // error: [extra-token]
  return d;
}

// float-literal
__device__ float scale(float a) {
  float d;
  asm("mul.f32 %0, %1, 1.5f;" : "=f"(d) : "f"(a)); // error: [malformed-number]
  return d;
}

// guard-not-pred
__device__ void st_if(int c, unsigned s, int v) {
  asm volatile("@%0 st.shared.u32 [%1], %2;" :: "r"(c), "r"(s), "r"(v) : "memory"); // error: [guard-not-predicate]
}

// in-lambda
template <class F> __device__ void each(F f) { f(1); }
__device__ void use(unsigned s) {
  each([&](int v) { asm volatile("st.shared.v2.u32 [%0], %1;" :: "r"(s), "r"(v)); }); // error: [vector-expected]
}

// indexed-macro-loop
#define Z(i) "mad.lo.u32 %0, %" #i ", %1, %0;\n"
__device__ unsigned dot(unsigned a, unsigned b) {
  unsigned d = 0;
  asm(Z(1) Z(2) Z(3) : "+r"(d) : "r"(a), "r"(b)); // error: [inline-operand-index]
  return d;
}

// kernel-linkage-name
extern "C" __device__ int counter;
__device__ int counter = 0;
__device__ int get() {
  int d;
  asm volatile("ld.global.s32 %0, [countr];" : "=r"(d)); // error: [undefined-symbol]
  return d;
}

// label-missing
__device__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{\n"
    ".reg .pred P1;\n"
    "LAB_WAIT:\n"
    "mbarrier.test_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
    "@P1 bra DONE;\n" // error: [undefined-symbol]
    "bra LAB_WAIT;\n"
    "DONE1:\n"
    "}\n" :: "r"(bar), "r"(parity));
}

// macro-paste
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define RED(n) asm volatile("red.global.add." XSTR(CAT(u, n)) " [%0], %1;" :: "l"(p), "r"(v) : "memory")
__device__ void red(unsigned *p, unsigned v) {
  RED(23); // error: [unknown-qualifier]
}

// macro-stringify
#define LD(op, type) asm volatile("ld." #op "." #type " %0, [%1];" : "=r"(v) : "l"(p))
__device__ unsigned ld(const unsigned *p) {
  unsigned v;
  LD(globl, u32); // error: [unknown-qualifier]
  return v;
}

// missing-bracket
__device__ void st(unsigned s, int v) {
  asm volatile("st.shared.u32 [%0, %1;" :: "r"(s), "r"(v) : "memory"); // error: [missing-operand]; error: [extra-operand]; error: [expected-bracket]
}

// missing-operand
__device__ float fma_rn(float a, float b, float c) {
  float d;
  asm("fma.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b), "f"(c)); // error: [missing-operand]
  return d;
}

// missing-semicolon-end
__device__ void commit() {
  asm volatile("cp.async.commit_group" ::: "memory"); // error: [expected-semicolon]
}
__global__ void kk() { commit(); asm volatile("cp.async.wait_group 0;"); }

// missing-semicolon-mid
__device__ void cp(unsigned s, const void *g) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16\n" // error: [expected-semicolon]
               "cp.async.commit_group;\n" :: "r"(s), "l"(g));
}

// mma-shape
__device__ void mma(float (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 " // error: [qualifier-not-allowed]
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// no-equals
__device__ int neg(int a) { int d = 0; asm("neg.s32 %0, %1;" : "r"(d) : "r"(a)); return d; } // error: [inline-constraint]

// out-of-range
__device__ int bfi(int a, int b) {
  int d;
  asm("{\n"
      "  bfi.b32 %0, %1, %2, 8, %3;\n" // error: [inline-operand-index]
      "}" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

// percent-percent
__device__ unsigned lane() {
  unsigned d;
  asm("mov.u32 %0, %%lane_id;" : "=r"(d)); // error: [undefined-symbol]
  return d;
}

// pred-operand
__device__ int ballot(int p) {
  int d;
  asm volatile("vote.sync.ballot.b32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(p)); // error: [predicate-expected]
  return d;
}

// qualifier-order-type
__device__ void fence() {
  asm volatile("fence.acq_rel.cluste;" ::: "memory"); // error: [unknown-qualifier]
}

// raw-string
__device__ float ex2(float a) {
  float d;
  asm(R"ptx({
    .reg .f32 t;
    mul.f32 t, %1, 0f3FB8AA3B;
    ex2.aprox.ftz.f32 %0, t; // error: [unknown-qualifier]
  })ptx" : "=f"(d) : "f"(a));
  return d;
}

// size-h-r
__device__ unsigned short hadd(unsigned short a, unsigned short b) {
  unsigned short d;
  asm("add.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "r"((unsigned)b)); // error: [operand-size]
  return d;
}

// size-l-r
__device__ unsigned atom(unsigned *p, unsigned v) {
  unsigned d;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(d) : "l"(p), "l"((unsigned long long)v) : "memory"); // error: [operand-size]
  return d;
}

// string-constexpr
__device__ void pf(const void *p) {
  asm volatile("prefetch.global.L2::evict_norml [%0];" :: "l"(p)); // error: [unknown-qualifier]
}

// symbolic
__device__ int neg(int a) { int d; asm("neg.s32 %[d], %[a];" : [d] "=r"(d) : [a] "r"(a)); return d; } // error: [inline-operand-name]; error: [inline-operand-name]

// template-n
template <int N> __device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group.read %0;" :: "n"(N)); // error: [unexpected-qualifier]
}
__global__ void kk() { wait<3>(); }

// tma-coords
__device__ void tma(unsigned dst, const void *map, int x, int y, unsigned bar) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" // error: [vector-length]
               " [%0], [%1, {%2, %3}], [%4];"
               :: "r"(dst), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}

// undeclared-in-braces
__device__ int sel(int a, int b) {
  int d;
  asm("{\n\t"
      ".reg .pred p;\n\t"
      "setp.lt.s32 q, %1, %2;\n\t" // error: [undefined-symbol]
      "selp.b32 %0, %1, %2, p;\n\t"
      "}\n" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

// vector-length
__device__ uint4 ldm(unsigned s) {
  uint4 v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%4];" // error: [vector-length]
    : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(s));
  return v;
}

// asm-goto
__device__ int f(int a) {
  asm goto("setp.eq.s32 %p9, %0, 0; @%p9 bra %l1;" :: "r"(a) :: out); // error: [undefined-symbol]; error: [undefined-symbol]
  return 1;
out:
  return 0;
}

// carry-chain
__device__ void add128(unsigned (&r)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
  asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7;" // error: [missing-operand]
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

// class-method
struct Barrier {
  unsigned long long *bar;
  __device__ void arrive(unsigned tx) {
    unsigned s = (unsigned)__cvta_generic_to_shared(bar);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0];" :: "r"(s), "r"(tx) : "memory"); // error: [missing-operand]
  }
};
__global__ void kk() { Barrier b{nullptr}; b.arrive(4); }

// dup-label
__global__ void f(int *p) {
  asm volatile("L_wait: nanosleep.u32 10; setp.ne.s32 %p<1>, %0, 0;" :: "r"(p[0])); // error: [syntax-error]
}

// enum-constant
enum : int { Threads = 128, BarrierId = 3 };
__device__ void f() {
  asm volatile("barrier.sync.aligned %0, %1, %2;" :: "n"((int)BarrierId), "n"((int)Threads), "n"(1)); // error: [extra-operand]
}

// half-imm
__device__ unsigned f(unsigned a) {
  unsigned d;
  asm("fma.rn.f16x2 %0, %1, 1.0, %1;" : "=r"(d) : "r"(a)); // error: [float-immediate]
  return d;
}

// host-and-device
inline unsigned long long ticks() {
#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
  unsigned lo, hi; asm volatile("rdtsc" : "=a"(lo), "=d"(hi)); return ((unsigned long long)hi << 32) | lo;
#else
  return 0;
#endif
}
__device__ unsigned long long dticks() {
  unsigned long long t;
  asm volatile("mov.u32 %0, %%clock64;" : "=l"(t)); // error: [operand-size]
  return t;
}

// ifdef-branches
__device__ void f(unsigned s) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0]" :: "r"(s)); // error: [expected-semicolon]
#else
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(s));
#endif
  asm volatile("bar.warp.sync 0xffffffff;");
}

// multicast
__device__ void tma(unsigned d, const void *m, int x, unsigned b, unsigned short mask) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
               " [%0], [%1, {%2}], [%3];" // error: [missing-operand]
               :: "r"(d), "l"(m), "r"(x), "r"(b), "h"(mask) : "memory");
}

// nested-macro-args
#define STRINGIFY(...) #__VA_ARGS__
#define OPERANDS(...) STRINGIFY(__VA_ARGS__)
#define DO(op, ...) asm(op " " OPERANDS(__VA_ARGS__) ";" : "=r"(d) : "r"(a), "r"(b))
__device__ int f(int a, int b) {
  int d;
  DO("mad.lo.s32", %0, %1, %2); // error: [missing-operand]
  return d;
}

// scope-two-statements
__device__ int f(int a) {
  int d;
  asm volatile("{ .reg .pred p; .reg .b32 t;");
  asm volatile("setp.gt.s32 p, %0, 0;" :: "r"(a));
  asm volatile("selp.b32 %0, 1, 0, pp;" : "=r"(d)); // error: [undefined-symbol]
  asm volatile("}");
  return d;
}

// shared-space-l
__device__ float f(const float *p) {
  float d;
  asm volatile("ld.shared.f32 %0, [%1+4}];" : "=f"(d) : "l"(p)); // error: [extra-token]
  return d;
}

// shift-64
__device__ unsigned long long f(unsigned long long a, unsigned long long n) {
  unsigned long long d;
  asm("shl.b64 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(n)); // error: [operand-size]
  return d;
}

// sizeof-constant
template <class T> __device__ void copy(unsigned s, const T *g) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3, %4;" :: "r"(s), "l"(g), "n"(sizeof(T)), "r"(4), "r"(1)); // error: [operand-requires]
}
template __device__ void copy<int>(unsigned, const int *);

// tcgen05
__device__ void ld(unsigned (&r)[4], unsigned t) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, %4;" // error: [operand-shape]
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(t));
}

// two-outputs-swapped
__device__ void split(unsigned long long v, unsigned &lo, unsigned &hi) {
  asm("mov.b64 {%0, %1, %2}, %2;" : "=r"(lo), "=r"(hi) : "l"(v)); // error: [vector-length]
}

// u8-literal
__device__ void st8(unsigned s, unsigned short v) {
  asm volatile(R"(st.shared.u8 [%0], %1)" "\n" R"(;bar.sink 0;)" :: "r"(s), "h"(v)); // error: [unknown-qualifier]
}

// wgmma-pred
__device__ void wg(float (&d)[4], unsigned long long a, unsigned long long b) {
  asm volatile(
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, %6, 1, 1, 0, 0;\n" // error: [predicate-expected]
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(1));
}

// wgmma-regs
__device__ void wg(float (&d)[4], unsigned long long a, unsigned long long b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
    "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n" // error: [vector-length]
    "}\n" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(1));
}
