// Guards that let targets through which the instruction refuses.
__device__ void wide(unsigned a, int *p) {
#if __CUDA_ARCH__ >= 900
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // warning: [guard-too-wide] "admits sm_90:"
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;"); // warning: [guard-too-wide] "sm_90a"
#endif
#if defined(SOMETHING) && __CUDA_ARCH__ >= 900
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
#ifdef SOMETHING
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  asm volatile("cp.async.commit_group;" ::: "memory"); // warning: [guard-too-wide] "sm_75"
#endif
#if __CUDA_ARCH_FAMILY_SPECIFIC__ >= 1000 && __CUDA_ARCH_FAMILY_SPECIFIC__ < 1200
  asm volatile("tcgen05.fence::before_thread_sync;");
#endif
#if defined(__CUDA_ARCH_SPECIFIC__) && __CUDA_ARCH_SPECIFIC__ == 900
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#else // a choice among the targets of the file says nothing about the oldest one
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
#if __CUDA_ARCH__ < 900
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
#if __CUDA_ARCH__ == 900
  asm volatile("fence.proxy.async;" ::: "memory");
#elif __CUDA_ARCH__ >= 700
  asm volatile("cp.async.commit_group;" ::: "memory"); // warning: [guard-too-wide] "sm_75"
#endif
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
