// Algorithms of CUB for a warp and for iterators.
#include <cub/cub.cuh>

template <class T> __global__ void warps(T *p) {
  using Reduce = cub::WarpReduce<T>;
  using Scan = cub::WarpScan<T, 16>;
  using Sort = cub::WarpMergeSort<T, 4, 32>;
  using Load = cub::WarpLoad<T, 4, cub::WARP_LOAD_TRANSPOSE>;
  using Store = cub::WarpStore<T, 4, cub::WARP_STORE_STRIPED>;
  using Exchange = cub::WarpExchange<T, 4>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Exchange::TempStorage exchange;
  } shared;
  T v[4];
  Load(shared.load).Load(p, v);
  v[0] = Reduce(shared.reduce).Sum(v[0]);
  v[1] = Reduce(shared.reduce).Reduce(v[1], [](T a, T b) { return a < b ? b : a; });
  Scan(shared.scan).ExclusiveSum(v[2], v[2]);
  Scan(shared.scan).InclusiveScan(v[3], v[3], [](T a, T b) { return a * b; });
  Sort(shared.sort).Sort(v, [](T a, T b) { return a < b; });
  Exchange(shared.exchange).StripedToBlocked(v, v);
  Store(shared.store).Store(p, v);
  p[0] = cub::ShuffleIndex<32>(v[0], 3, ~0u) + cub::ThreadLoad<cub::LOAD_CG>(p + 1);
  cub::ThreadStore<cub::STORE_WT>(p + 2, v[1]);
}
template __global__ void warps<int>(int *);
template __global__ void warps<unsigned char>(unsigned char *);
template __global__ void warps<double>(double *);
template __global__ void warps<long long>(long long *);
