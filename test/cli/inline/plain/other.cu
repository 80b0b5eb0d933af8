__device__ int f(int a) {
  int d;
  asm("{\n\t"
      ".reg .b32 t;\n\t"
      "add.s32 t, %1, 1;\n\t"
      "mov.b32 %0, t;\n\t"
      "}"
      : "=r"(d)
      : "r"(a));
#if __CUDA_ARCH__ >= 900
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
  asm volatile("cp.async.commit_group;" ::: "memory");
  return d;
}
