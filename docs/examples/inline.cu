// What `ptxray check` and `ptxray targets` read in a source: one statement has a misspelt word.
__device__ float sum(float a, float b) {
      float d;
      asm("add.tfz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
      return d;
}

__global__ void start(float *to, const float *from) {
      __shared__ float tile[128];
      unsigned at = __cvta_generic_to_shared(tile + threadIdx.x);
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from + threadIdx.x) : "memory");
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      to[threadIdx.x] = tile[threadIdx.x];
}

__device__ void order() {
      // A warpgroup writes registers, which `wgmma` then reads.
#define FENCE "wgmma.fence.sync.aligned;"
      asm volatile(FENCE ::: "memory");
}
