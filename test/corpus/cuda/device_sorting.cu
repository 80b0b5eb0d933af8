// More device-wide algorithms of CUB: those that sort, count and group.
#include <cub/cub.cuh>
template <class T> void all(void *tmp, size_t &b, T *in, T *out, int *counts, int n) {
  cub::DeviceMergeSort::SortKeys(tmp, b, in, n, []__device__(T a, T b) { return a < b; });
  cub::DeviceHistogram::HistogramEven(tmp, b, in, counts, 65, T(0), T(64), n);
  cub::DeviceRunLengthEncode::Encode(tmp, b, in, out, counts, counts + n, n);
  cub::DeviceReduce::ReduceByKey(tmp, b, in, out, counts, counts, counts + n, []__device__(int a, int b) { return a + b; }, n);
  cub::DeviceRadixSort::SortPairsDescending(tmp, b, in, out, counts, counts + n, n);
  cub::DevicePartition::Flagged(tmp, b, in, counts, out, counts + n, n);
}
template void all<short>(void *, size_t &, short *, short *, int *, int);
template void all<unsigned long long>(void *, size_t &, unsigned long long *, unsigned long long *, int *, int);
