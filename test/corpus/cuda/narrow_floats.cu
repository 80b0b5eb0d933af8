// fp16, bf16, fp8 and narrower through the toolkit's own headers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

__global__ void halves(__half2 *a, __half *h, float *f) {
  a[0] = __hfma2(a[1], a[2], a[3]);
  a[1] = h2exp(a[1]) + h2log(a[2]) * h2sqrt(a[3]) / h2rcp(a[4]) - h2sin(a[5]);
  a[2] = __hmax2(a[2], __hmin2(a[3], __habs2(a[4])));
  a[3] = __hfma2_relu(a[1], a[2], a[3]);
  h[0] = htanh_approx(h[1]) + hexp10(h[2]) + hrsqrt(h[3]) + __float2half_rz(f[0]) + __int2half_rn((int)f[1]);
  f[0] = __half2float(h[0]) + __low2float(a[0]) + (__hgt(h[1], h[2]) ? 1.0f : 0.0f) + (__hbeq2(a[0], a[1]) ? 2 : 3);
  atomicAdd(a, a[3]);
  atomicAdd(h, h[1]);
  h[4] = __shfl_xor_sync(~0u, h[3], 4);
}
__global__ void brains(__nv_bfloat162 *a, __nv_bfloat16 *h, float *f) {
  a[0] = __hfma2(a[1], a[2], a[3]);
  a[1] = h2exp(a[1]) + h2log2(a[2]) * h2sqrt(a[3]);
  a[2] = __hmax2_nan(a[2], __hmin2(a[3], __hneg2(a[4])));
  h[0] = __float2bfloat16_ru(f[0]) + hceil(h[1]) + __double2bfloat16(2.5);
  f[0] = __bfloat162float(h[0]) + (float)__bfloat162int_rz(h[1]);
  atomicAdd(a, a[3]);
}
__global__ void bytes(__nv_fp8_e4m3 *a, __nv_fp8x4_e5m2 *b, float4 *f, __half2 *h, __nv_fp6x2_e3m2 *c, __nv_fp4x2_e2m1 *d) {
  a[0] = __nv_fp8_e4m3(f[0].x);
  f[1].x = float(a[1]);
  b[0] = __nv_fp8x4_e5m2(f[2]);
  f[3] = float4(b[1]);
  h[0] = __half2(c[0]);
  c[1] = __nv_fp6x2_e3m2(h[1]);
  d[0] = __nv_fp4x2_e2m1(h[2]);
  h[3] = __half2(d[1]);
}
