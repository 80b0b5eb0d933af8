// Features of the language: virtual calls, recursion, switch tables, printf, asserts, atomics, textures, inline assembly.
#include <cassert>
#include <cstdio>
struct Shape {
  __device__ virtual float area(float) const = 0;
};
struct Square : Shape {
  __device__ float area(float x) const override { return x * x; }
};
struct Disc : Shape {
  __device__ float area(float x) const override { return 3.14f * x * x; }
};
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__constant__ float table[64] = {1, 2, 3};
__device__ int counter = 7;
__managed__ int shared_with_host;
__device__ int (*callback)(int) = fibonacci;
extern __shared__ unsigned char dynamic[];

__global__ void calls(float *p, int which) {
  Square square;
  Disc disc;
  const Shape *shape = which ? static_cast<const Shape *>(&square) : &disc;
  p[0] = shape->area(p[1]) + fibonacci(which) + callback(which);
  float3 v = cross(make_float3(p[0], p[1], p[2]), make_float3(p[3], p[4], p[5]));
  p[6] = v.x + v.y + v.z + table[which];
  dynamic[threadIdx.x] = which;
  assert(which < 100);
  printf("%d %f\n", which, p[0]);
}
__global__ void switches(int *p, int w) {
  switch (w) {
  case 0: p[0] = 1; break;
  case 1: p[1] = p[2]; break;
  case 2: p[2] *= 3; break;
  case 3: p[3] = __brev(p[1]); break;
  case 4: p[4] = 9; break;
  case 5: p[7] = w; break;
  case 6: p[8] = w / 7; break;
  default: __trap();
  }
}
__global__ void atomics(int *i, unsigned long long *u, float *f, double *d) {
  atomicAdd(i, 1); atomicSub(i, 2); atomicExch(i, 3); atomicMin(i, 4); atomicMax(i, 5); atomicAnd(i, 6); atomicOr(i, 7); atomicXor(i, 8);
  atomicCAS(u, 1ull, 2ull); atomicAdd(f, 1.0f); atomicAdd(d, 1.0); atomicAdd_system(i, 1); atomicMax_block(i, 2);
  __threadfence(); __threadfence_block(); __threadfence_system();
  i[1] = __syncthreads_count(i[2]) + __syncthreads_and(i[3]) + __ballot_sync(~0u, i[4]) + __all_sync(~0u, i[5]);
  i[2] = __shfl_sync(~0u, i[6], 3) + __shfl_up_sync(~0u, i[7], 1) + __shfl_down_sync(~0u, i[8], 2) + __activemask();
  __nanosleep(100);
  i[3] = clock() + (int)clock64();
  __prof_trigger(1);
  shared_with_host = counter;
}
__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *o) {
  o[0] = tex1D<float4>(t, 0.5f);
  o[1] = tex2D<float4>(t, 0.5f, 0.5f);
  o[2] = tex3D<float4>(t, 1, 2, 3);
  o[3] = tex2DLayered<float4>(t, 1, 2, 3);
  o[4] = texCubemap<float4>(t, 1, 2, 3);
  o[5] = tex2DLod<float4>(t, 1, 2, 3);
  o[6] = tex2DGrad<float4>(t, 1, 2, make_float2(1, 2), make_float2(3, 4));
  o[7] = tex2Dgather<float4>(t, 1, 2, 0);
  o[8] = tex1Dfetch<float4>(t, 3);
  float4 v;
  surf2Dread(&v, s, 16, 4);
  surf2Dwrite(v, s, 16, 8);
  surf3Dread(&v, s, 16, 4, 2, cudaBoundaryModeClamp);
  o[9] = v;
}
__global__ void assembly(int *p, float *f) {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{ .reg .pred q; setp.gt.s32 q, %1, 3; selp.b32 %0, %2, %3, q; }" : "=r"(p[0]) : "r"(lane), "r"(p[1]), "r"(p[2]));
  asm volatile("{\n .reg .b32 t<4>;\n lop3.b32 t1, %0, %1, 7, 0x96;\n prmt.b32 t2, t1, %1, 0x3210;\n st.global.b32 [%2], t2;\n}" ::"r"(p[3]), "r"(p[4]), "l"(p + 5) : "memory");
  asm("fma.rn.ftz.f32 %0, %1, %1, %2;" : "=f"(f[0]) : "f"(f[1]), "f"(f[2]));
  asm volatile("bar.sync 1, 64;");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]) : "l"(f + 16));
}
