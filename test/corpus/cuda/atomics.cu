// Atomics of libcu++ in all orders and scopes, and what else of it compiles to special instructions.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/cmath>

template <class T, cuda::thread_scope Scope> __device__ void orders(T *p) {
  cuda::atomic_ref<T, Scope> a(*p);
  T v = a.load(cuda::memory_order_acquire);
  v += a.load(cuda::memory_order_relaxed);
  v += a.load(cuda::memory_order_seq_cst);
  a.store(v, cuda::memory_order_release);
  a.store(v, cuda::memory_order_relaxed);
  a.store(v);
  a.fetch_add(T(1), cuda::memory_order_relaxed);
  a.fetch_add(T(2), cuda::memory_order_acq_rel);
  a.exchange(T(3), cuda::memory_order_acquire);
  a.compare_exchange_strong(v, T(4), cuda::memory_order_release, cuda::memory_order_relaxed);
  a.compare_exchange_weak(v, T(5));
}
template <class T, cuda::thread_scope Scope> __device__ void bits(T *p) {
  cuda::atomic_ref<T, Scope> a(*p);
  a.fetch_and(T(6), cuda::memory_order_relaxed);
  a.fetch_or(T(7), cuda::memory_order_release);
  a.fetch_xor(T(8));
  a.fetch_min(T(9), cuda::memory_order_relaxed);
  a.fetch_max(T(10), cuda::memory_order_acquire);
  a.fetch_sub(T(11));
}
template <cuda::thread_scope Scope> __device__ void all(int *i, unsigned *u, long long *l, unsigned long long *ul, float *f, double *d) {
  orders<int, Scope>(i);
  orders<unsigned, Scope>(u);
  orders<long long, Scope>(l);
  orders<unsigned long long, Scope>(ul);
  orders<float, Scope>(f);
  orders<double, Scope>(d);
  bits<int, Scope>(i);
  bits<unsigned, Scope>(u);
  bits<long long, Scope>(l);
  bits<unsigned long long, Scope>(ul);
  cuda::atomic_thread_fence(cuda::memory_order_acquire, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, Scope);
}
__global__ void atomics(int *i, unsigned *u, long long *l, unsigned long long *ul, float *f, double *d) {
  all<cuda::thread_scope_block>(i, u, l, ul, f, d);
  all<cuda::thread_scope_device>(i, u, l, ul, f, d);
  all<cuda::thread_scope_system>(i, u, l, ul, f, d);
}
__global__ void shared_atomics(int *out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> counter;
  __shared__ cuda::atomic<unsigned char, cuda::thread_scope_block> small;
  counter.fetch_add(1);
  small.fetch_or(3);
  counter.wait(0);
  counter.notify_all();
  out[0] = counter + small;
}
__global__ void values(unsigned *u, cuda::std::complex<float> *c, double *d) {
  u[0] = cuda::std::popcount(u[1]) + cuda::std::countl_zero(u[2]) + cuda::std::countr_one(u[3]) + cuda::std::rotl(u[4], 7);
  u[5] = cuda::std::bit_cast<unsigned>(c[0].real());
  c[1] = cuda::std::exp(c[2]) * cuda::std::sqrt(c[3]) / c[4];
  d[0] = cuda::std::fma(d[1], d[2], cuda::std::hypot(d[3], d[4])) + cuda::std::isnan(d[5]);
  cuda::std::array<double, 8> a{};
  for (int i = 0; i < 8; ++i)
    a[i] = d[i];
  d[6] = a[u[6] % 8];
}
