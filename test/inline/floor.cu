// What is always compiled says for which targets a function is: guards need not keep others out.
#ifndef FLOOR_CU
#define FLOOR_CU
__device__ float chooses(float x, float y, float z) {
  float r;
  asm volatile("tcgen05.wait::ld.sync.aligned;");
#if __CUDA_ARCH__ == 1000
  r = x + y + z;
#else
  asm volatile("tcgen05.fence::after_thread_sync;");
  asm("max.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
#endif
#if __CUDA_ARCH__ >= 900
  asm volatile("tcgen05.fence::before_thread_sync;");
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 1000
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // warning: [guard-too-wide] "sm_100a"
#endif
  return r;
}
__device__ void other() {
#if __CUDA_ARCH__ >= 900
  asm volatile("tcgen05.fence::before_thread_sync;"); // warning: [guard-too-wide] "admits sm_90:"
#endif
}
#endif
