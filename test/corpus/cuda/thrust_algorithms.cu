// What Thrust makes of ordinary calls.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

void run(float *x, float *y, int *k, int n) {
  thrust::transform(thrust::device, x, x + n, y, y, Saxpy{2.0f});
  thrust::sort(thrust::device, k, k + n);
  thrust::exclusive_scan(thrust::device, k, k + n, k);
  x[0] = thrust::reduce(thrust::device, y, y + n, 0.0f);
  x[1] = thrust::inner_product(thrust::device, x, x + n, y, 0.0f);
  thrust::unique(thrust::device, k, k + n);
}
