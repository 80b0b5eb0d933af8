// Matrix products in inline assembly, and fp16 arithmetic, which the toolkit's headers write as inline assembly too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

template <class T> struct Mma;
template <> struct Mma<half> {
  __device__ static void step(float *d, const unsigned *a, const unsigned *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
template <> struct Mma<__nv_bfloat16> {
  __device__ static void step(float *d, const unsigned *a, const unsigned *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};
template <> struct Mma<signed char> {
  __device__ static void step(float *d, const unsigned *a, const unsigned *b) {
    int *i = reinterpret_cast<int *>(d);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(i[0]), "+r"(i[1]), "+r"(i[2]), "+r"(i[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

__device__ inline unsigned sharedAddress(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ inline void loadMatrix(unsigned *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(p)));
}
__device__ inline void copyAsync(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from));
}

template <class T, int Rows, int Columns, int Depth>
__global__ void product(const T *a, const T *b, float *c, int steps) {
  __shared__ __align__(128) T tileA[2][Rows * Depth * 256], tileB[2][Columns * Depth * 128];
  float sum[Rows][Columns][4] = {};
  for (int step = 0; step < steps; ++step) {
    T *nextA = tileA[step & 1], *nextB = tileB[step & 1];
#pragma unroll
    for (int i = 0; i < Rows * Depth; ++i)
      copyAsync(nextA + i * 256 + threadIdx.x * 8, a + (step * Rows * Depth + i) * 256 + threadIdx.x * 8);
#pragma unroll
    for (int i = 0; i < Columns * Depth; ++i)
      copyAsync(nextB + i * 128 + threadIdx.x * 4, b + (step * Columns * Depth + i) * 128 + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      unsigned fa[Rows][4], fb[(Columns + 1) / 2][4];
#pragma unroll
      for (int i = 0; i < Rows; ++i)
        loadMatrix(fa[i], nextA + (i * Depth + k) * 256 + threadIdx.x % 16 * 16);
#pragma unroll
      for (int j = 0; j < (Columns + 1) / 2; ++j)
        loadMatrix(fb[j], nextB + (j * Depth + k) * 256 + threadIdx.x % 16 * 16);
#pragma unroll
      for (int i = 0; i < Rows; ++i)
#pragma unroll
        for (int j = 0; j < Columns; ++j)
          Mma<T>::step(sum[i][j], fa[i], &fb[j / 2][j % 2 * 2]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Rows; ++i)
#pragma unroll
    for (int j = 0; j < Columns; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        c[((blockIdx.x * Rows + i) * Columns + j) * 128 + e * 32 + threadIdx.x] = sum[i][j][e];
}

template <class Pair, int Terms> __global__ void polynomial(const Pair *x, Pair *y, Pair *z) {
  Pair at = x[threadIdx.x], sum = y[threadIdx.x];
#pragma unroll
  for (int i = 0; i < Terms; ++i) {
    sum = __hfma2(sum, at, x[i]);
    if (i % 4 == 1)
      sum = __hmax2(sum, __hadd2(y[i], __hmul2(at, sum)));
    if (i % 8 == 3)
      sum = h2exp(sum);
    if (i % 8 == 7)
      at = __hmin2(__habs2(__hsub2(at, sum)), h2sqrt(y[i]));
  }
  z[threadIdx.x] = sum;
}

template <class In, class Acc, int Tiles> __global__ void tiles(const In *a, const In *b, Acc *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Acc> sum[Tiles][Tiles];
#pragma unroll
  for (int i = 0; i < Tiles * Tiles; ++i)
    wmma::fill_fragment(sum[i / Tiles][i % Tiles], Acc(0));
#pragma unroll 2
  for (int k = 0; k < 64; ++k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, In, wmma::row_major> fa[Tiles];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, In, wmma::col_major> fb[Tiles];
#pragma unroll
    for (int i = 0; i < Tiles; ++i) {
      wmma::load_matrix_sync(fa[i], a + (k * Tiles + i) * 256, 16);
      wmma::load_matrix_sync(fb[i], b + (k * Tiles + i) * 256, 16);
    }
#pragma unroll
    for (int i = 0; i < Tiles * Tiles; ++i)
      wmma::mma_sync(sum[i / Tiles][i % Tiles], fa[i / Tiles], fb[i % Tiles], sum[i / Tiles][i % Tiles]);
  }
#pragma unroll
  for (int i = 0; i < Tiles * Tiles; ++i)
    wmma::store_matrix_sync(c + i * 256, sum[i / Tiles][i % Tiles], 16, wmma::mem_row_major);
}

#define PRODUCT(T, R, C, D) template __global__ void product<T, R, C, D>(const T *, const T *, float *, int);
#define PRODUCTS(T) \
  PRODUCT(T, 1, 2, 2) PRODUCT(T, 2, 2, 2) PRODUCT(T, 2, 4, 2) PRODUCT(T, 4, 4, 2) PRODUCT(T, 4, 8, 2) \
  PRODUCT(T, 8, 4, 2) PRODUCT(T, 8, 8, 1) PRODUCT(T, 4, 4, 4) PRODUCT(T, 2, 8, 4) PRODUCT(T, 4, 8, 3) \
  PRODUCT(T, 8, 2, 3) PRODUCT(T, 8, 8, 2) PRODUCT(T, 6, 8, 2) PRODUCT(T, 4, 8, 4) PRODUCT(T, 6, 6, 2) \
  PRODUCT(T, 8, 6, 2) PRODUCT(T, 6, 4, 4)
PRODUCTS(half)
PRODUCTS(__nv_bfloat16)
PRODUCTS(signed char)
#define POLYNOMIAL(P, N) template __global__ void polynomial<P, N>(const P *, P *, P *);
POLYNOMIAL(__half2, 64) POLYNOMIAL(__half2, 256) POLYNOMIAL(__half2, 1024)
POLYNOMIAL(__nv_bfloat162, 64) POLYNOMIAL(__nv_bfloat162, 256) POLYNOMIAL(__nv_bfloat162, 1024)
#define TILES(In, Acc, N) template __global__ void tiles<In, Acc, N>(const In *, const In *, Acc *);
TILES(half, float, 2) TILES(half, float, 4) TILES(half, half, 4) TILES(__nv_bfloat16, float, 4) TILES(signed char, int, 4)
