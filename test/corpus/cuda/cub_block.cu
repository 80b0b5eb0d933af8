// Block and warp collectives of CUB, one kernel a type.
#include <cub/cub.cuh>
#include <cuda_fp16.h>

template <typename T, int Threads>
__global__ void __launch_bounds__(Threads) collectives(const T *in, T *out, int *ranks) {
  using Load = cub::BlockLoad<T, Threads, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<T, Threads, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<T, Threads>;
  using Reduce = cub::BlockReduce<T, Threads>;
  using Sort = cub::BlockRadixSort<T, Threads, 4>;
  using Exchange = cub::BlockExchange<T, Threads, 4>;
  using Flag = cub::BlockDiscontinuity<T, Threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
    typename Sort::TempStorage sort;
    typename Exchange::TempStorage exchange;
    typename Flag::TempStorage flag;
  } temp;
  T items[4];
  int flags[4];
  Load(temp.load).Load(in + blockIdx.x * Threads * 4, items);
  __syncthreads();
  Sort(temp.sort).Sort(items);
  __syncthreads();
  Exchange(temp.exchange).StripedToBlocked(items);
  __syncthreads();
  T sum;
  Scan(temp.scan).InclusiveSum(items, items, sum);
  __syncthreads();
  Flag(temp.flag).FlagHeads(flags, items, cuda::std::not_equal_to<T>());
  __syncthreads();
  T whole = Reduce(temp.reduce).Sum(items);
  __syncthreads();
  Store(temp.store).Store(out + blockIdx.x * Threads * 4, items);
  if (threadIdx.x == 0)
    out[0] = whole + sum;
  for (int i = 0; i < 4; ++i)
    ranks[threadIdx.x * 4 + i] = flags[i];
}

template __global__ void collectives<int, 128>(const int *, int *, int *);
template __global__ void collectives<unsigned long long, 256>(const unsigned long long *, unsigned long long *, int *);
template __global__ void collectives<float, 64>(const float *, float *, int *);
template __global__ void collectives<double, 128>(const double *, double *, int *);
template __global__ void collectives<unsigned char, 128>(const unsigned char *, unsigned char *, int *);
