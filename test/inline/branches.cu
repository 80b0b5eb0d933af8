//@ skipped 2
// A block that one statement opens is closed in each branch of an `if`, or of an `#if`.
template <int N> __device__ unsigned both(unsigned x, unsigned b) {
  unsigned r;
  asm volatile("{\n .reg .b32 t;\n add.u32 t, %1, %2;\n mov.b32 %0, t;\n" : "=r"(r) : "r"(x), "r"(b));
  if constexpr (N == 1) {
    asm volatile("add.u32 t, %0, 1;\n}\n" ::"r"(r));
  } else if constexpr (N == 2) {
    asm volatile("add.u32 t, %0, 2;" ::"r"(r));
    asm volatile("add.u32 u, %0, 2;\n}\n" ::"r"(r)); // error: [undefined-symbol]
  } else {
    asm volatile("add.u33 t, %0, 3;\n}\n" ::"r"(r)); // error: [unknown-qualifier]
  }
  asm volatile("add.u32 t, %0, 3;" ::"r"(r)); // error: [undefined-symbol]
  return r;
}
__device__ void single(unsigned x, bool a, bool b) {
  asm volatile("{ .reg .b32 t;");
  if (a)
    asm volatile("mov.b32 t, %0; }" ::"r"(x));
  else if (b)
    for (int i = 0; i < 1; ++i) {
      asm volatile("mov.b32 t, %0; }" ::"r"(x));
    }
  else
    asm volatile("mov.b33 t, %0; }" ::"r"(x)); // error: [unknown-qualifier]
}
__device__ void either(unsigned x) {
  asm volatile("{ .reg .b32 t;");
#ifdef FAST
  asm volatile("mov.b32 t, %0; }" ::"r"(x));
#else
  asm volatile("mov.b33 t, %0; }" ::"r"(x)); // error: [unknown-qualifier]
#endif
}
// A disjunction is about another machine only if each part is.
__device__ unsigned vendors(unsigned x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  asm("mov.b33 %0, %0;" : "+r"(x)); // error: [unknown-qualifier]
#endif
#if defined(__HIPCC__) || defined(__CUDACC__)
#ifdef __CUDA_ARCH__
  asm("mov.b34 %0, %0;" : "+r"(x)); // error: [unknown-qualifier]
#endif
#endif
#if defined(__HIPCC__) || (defined(__x86_64__) && !defined(NOTHING))
  asm("mov.b35 %0, %0;" : "+r"(x));
#endif
#if defined(USE_ROCM)
#else
  asm("mov.b36 %0, %0;" : "+r"(x)); // error: [unknown-qualifier]
#endif
  // Registers of Intel's GPUs.
  asm("{\n.decl V v_type=G type=UB num_elts=64 alias=<%1,0>\nadd.sat (M1_NM, 32) V(0,0)<2> V(0,0)<1;1,0> -254:w\n}\n"
      : "=rw"(x)
      : "rw"(x));
  return x;
}
