// WMMA in its shapes and types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, typename In, typename Acc, typename LA, typename LB>
__global__ void product(const In *a, const In *b, Acc *c) {
  wmma::fragment<wmma::matrix_a, M, N, K, In, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, In, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
  wmma::fill_fragment(fc, Acc(0));
  wmma::load_matrix_sync(fa, a, 64);
  wmma::load_matrix_sync(fb, b, 64);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 64, wmma::mem_row_major);
}
using Row = wmma::row_major;
using Col = wmma::col_major;
template __global__ void product<16, 16, 16, half, float, Row, Col>(const half *, const half *, float *);
template __global__ void product<32, 8, 16, half, half, Col, Row>(const half *, const half *, half *);
template __global__ void product<8, 32, 16, signed char, int, Row, Row>(const signed char *, const signed char *, int *);
template __global__ void product<16, 16, 16, unsigned char, int, Col, Col>(const unsigned char *, const unsigned char *, int *);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template __global__ void product<16, 16, 16, __nv_bfloat16, float, Row, Col>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *);
template __global__ void product<8, 8, 4, double, double, Row, Col>(const double *, const double *, double *);
#endif
