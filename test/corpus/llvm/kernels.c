// Plain C for clang's NVPTX target: builtins instead of CUDA's headers.
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
typedef float float4 __attribute__((ext_vector_type(4)));

static SHARED float tile[256];
GLOBAL int counters[16];

KERNEL void scale(float *a, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n)
    a[i] = a[i] * 2 + __builtin_fabsf(a[i]) + __builtin_sqrtf(a[i]);
}

KERNEL void reduce(const float *in, float *out) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  tile[t] = in[t];
  __syncthreads();
  for (int s = 128; s; s >>= 1) {
    if (t < s)
      tile[t] += tile[t + s];
    __syncthreads();
  }
  if (!t)
    *out = tile[0];
}

KERNEL void integers(int *p, unsigned long long *q, short *h, unsigned char *c) {
  p[0] = p[1] / p[2] + p[3] % p[4];
  p[1] = __builtin_popcount(p[2]) + __builtin_clz(p[3]) + __builtin_bitreverse32(p[4]);
  q[0] = q[1] * q[2] + (q[3] >> (q[4] & 63)) + __builtin_ctzll(q[5]);
  h[0] = h[1] * h[2] - c[0];
  c[1] = c[2] + c[3];
  __atomic_fetch_add(&counters[0], 1, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(&counters[1], &p[5], 7, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

KERNEL void vectors(float4 *v, double *d) {
  v[0] = v[1] * v[2] + v[3];
  d[0] = d[1] > d[2] ? d[3] : __builtin_fma(d[4], d[5], d[6]);
}

__attribute__((noinline)) static int collatz(int n) { return n <= 1 ? 0 : 1 + collatz(n & 1 ? 3 * n + 1 : n / 2); }
KERNEL void control(int *p, int which) {
  int (*f)(int) = collatz;
  switch (which) {
  case 0: p[0] = f(p[1]); break;
  case 1: p[1] = 3; break;
  case 2: p[2] = p[3] * 5; break;
  case 3: p[3] = 2; break;
  case 4: p[4] = p[6]; break;
  case 5: p[9] = 1; break;
  default: p[5] = -1;
  }
}

typedef struct { char bytes[24]; double d; } Large;
__attribute__((noinline)) static double use(Large l, float f) { return l.d + l.bytes[3] + f; }
KERNEL void structs(Large l, double *out) { *out = use(l, 1.5f); }
