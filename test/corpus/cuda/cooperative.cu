// Cooperative groups, asynchronous copies, barriers, pipelines and clusters.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void groups(int *p) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  p[block.thread_rank()] = cg::reduce(tile, p[0], cg::plus<int>()) + cg::inclusive_scan(tile, p[1]);
  auto active = cg::coalesced_threads();
  p[1] = active.shfl(p[2], 0) + tile.any(p[3]) + tile.match_any(p[4]);
  __shared__ int buffer[256];
  cg::memcpy_async(block, buffer, p, sizeof buffer);
  cg::wait(block);
  cg::this_grid().sync();
  p[5] = buffer[threadIdx.x];
}
__global__ void barriers(int *p) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) int buffer[256];
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(cg::this_thread_block(), buffer, p, cuda::aligned_size_t<16>(sizeof buffer), bar);
  bar.arrive_and_wait();
  p[threadIdx.x] = buffer[threadIdx.x];
}
__global__ void pipelines(int *p, int n) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int buffer[2][128];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int i = 0; i < n; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, buffer[i % 2], p + i * 128, sizeof buffer[0], pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    p[threadIdx.x] += buffer[i % 2][threadIdx.x];
    pipe.consumer_release();
  }
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clusters(int *p) {
  __shared__ int mine[32];
  auto cluster = cg::this_cluster();
  mine[threadIdx.x % 32] = p[threadIdx.x];
  cluster.sync();
  p[threadIdx.x] = *cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  cluster.sync();
}
#endif
