//@ target sm_90a, skipped 4
// What an `#if` keeps from the target is left out; where it is not known, a statement may be for another target.
__device__ void guarded(unsigned a) {
#if __CUDA_ARCH__ >= 1000
  asm("tcgen05.fence::before_thread_sync;");
#elif __CUDA_ARCH__ >= 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm("wgmma.fence.sync.aligned;");
  asm("tcgen05.fence::before_thread_sync;"); // error: [requires-target-variant]
#elif defined(SOMETHING)
  asm("wgmma.fence.sync.aligne;");
#else
  asm("wgmma.fence.sync.aligne;");
#endif
#ifdef SOMETHING
  asm("tcgen05.fence::before_thread_sync;");
  asm("tcgen05.fence::before_thread_sinc;"); // error: [unknown-instruction]
#else
  asm("tcgen05.fence::before_thread_sync;");
#endif
#if (__CUDA_ARCH__ / 10) == 90 && (defined(SOMETHING) || !defined(__CUDACC__) || true)
  asm("tcgen05.fence::before_thread_sync;"); // error: [requires-target-variant]
#endif
#if 0
  asm("add.s33 %0, %0, 1;" : "+r"(a));
#endif
  asm("mov.u32 %0, %1;" : "=r"(a) : "f"(1.0f)); // error: [operand-type]
  asm("tcgen05.fence::before_thread_sync;"); // error: [requires-target-variant]
}
