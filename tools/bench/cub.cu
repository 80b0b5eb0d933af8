// Large kernels of CUB, as one module of several megabytes.
#include "../../test/corpus/cuda/device_sorting.cu"
#include <cuda_fp16.h>
template <class T> void more(T *in, T *out, int n, void *tmp, size_t &b, int *offs) {
  cub::DeviceRadixSort::SortKeys(tmp, b, in, out, n);
  cub::DeviceScan::InclusiveSum(tmp, b, in, out, n);
  cub::DeviceReduce::Sum(tmp, b, in, out, n);
  cub::DeviceSegmentedReduce::Sum(tmp, b, in, out, n, offs, offs + 1);
  cub::DeviceSelect::If(tmp, b, in, out, offs, n, [] __device__(T a) { return a > T(3); });
}
template void more<int>(int *, int *, int, void *, size_t &, int *);
template void more<float>(float *, float *, int, void *, size_t &, int *);
template void more<double>(double *, double *, int, void *, size_t &, int *);
