// Each statement by itself, and the file by those without an `#if`.
template <int N> __device__ void statements(int a, float b, void *p) {
  asm volatile("cp.async.wait_group 3;");
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(a));
  asm volatile("{ .reg .b32 t; mov.u32 t, %0; }" ::"f"(b));
  asm volatile("{\n"
               ".reg .pred p;\n"
               "elect.sync _|p, -1;\n"
               "@p redux.sync.add.s32 %0, %1, -1;\n"
               "}"
               : "=r"(a)
               : "r"(a));
#if __CUDA_ARCH__ >= 900
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;");
#endif
}
