// Waits for the other blocks of the cluster.
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\n\t"
               "barrier.cluster.wait.aligned;" ::: "memory");
}
