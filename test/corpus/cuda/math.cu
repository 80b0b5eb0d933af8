// The device math library, single and double.
template <typename T> __device__ T all(T x, T y, T z, int n) {
  T r = sin(x) + cos(x) + tan(y) + asin(x) + acos(y) + atan2(x, y) + sinh(x) + cosh(y) + tanh(x);
  r += exp(x) + exp2(y) + exp10(x) + expm1(y) + log(x) + log2(y) + log10(x) + log1p(y);
  r += pow(x, y) + sqrt(x) + rsqrt(y) + cbrt(x) + hypot(x, y) + erf(x) + erfc(y) + erfinv(x) + lgamma(y) + tgamma(x);
  r += j0(x) + y1(y) + fmod(x, y) + remainder(x, y) + fma(x, y, z) + fdim(x, y) + copysign(x, y);
  r += floor(x) + ceil(y) + trunc(x) + rint(y) + round(x) + nearbyint(y) + ldexp(x, n) + scalbn(y, n) + logb(x);
  return r + (isnan(x) ? T(1) : T(0)) + (isinf(y) ? T(2) : T(0)) + (signbit(x) ? T(3) : T(0));
}
__global__ void singles(float *a, int n) { a[threadIdx.x] = all(a[0], a[1], a[2], n); }
__global__ void doubles(double *a, int n) { a[threadIdx.x] = all(a[0], a[1], a[2], n); }
__global__ void intrinsics(float *a, double *d, int *i, unsigned *u, long long *l) {
  a[0] = __sinf(a[1]) + __cosf(a[2]) + __expf(a[3]) + __logf(a[4]) + __powf(a[5], a[6]) + __fdividef(a[7], a[8]);
  a[1] = __fadd_rd(a[1], a[2]) + __fmul_ru(a[3], a[4]) + __fmaf_rz(a[5], a[6], a[7]) + __frcp_rn(a[8]) + __fsqrt_rz(a[9]) + __frsqrt_rn(a[1]) + __saturatef(a[2]);
  d[0] = __dadd_rd(d[1], d[2]) + __dmul_ru(d[3], d[4]) + __fma_rz(d[5], d[6], d[7]) + __drcp_rd(d[1]) + __ddiv_ru(d[1], d[2]);
  i[0] = __float2int_rd(a[0]) + __double2int_ru(d[0]) + __mulhi(i[1], i[2]) + __clz(i[3]) + __popc(u[0]) + __ffs(i[4]) + __brev(u[1]);
  u[2] = __byte_perm(u[3], u[4], 0x5410) + __funnelshift_l(u[5], u[6], u[7]) + __sad(i[1], i[2], u[3]) + __umulhi(u[1], u[2]);
  l[0] = __double2ll_rz(d[3]) + __float2ll_rn(a[4]) + __mul64hi(l[1], l[2]) + __clzll(l[3]) + __popcll(l[4]);
  u[3] = __vadd4(u[1], u[2]) + __vabsdiffu2(u[3], u[4]) + __vmaxs4(u[5], u[6]) + __vcmpeq2(u[7], u[8]) + __dp4a(i[1], i[2], i[3]) + __dp2a_lo(i[1], i[2], i[3]);
}
