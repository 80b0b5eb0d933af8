// Assembly inside of CUDA C++: each statement is checked as PTX, and what is found is shown in its place here.
#include <cstdint>

__device__ uint32_t lane() {
  uint32_t id;
  asm("mov.u32 %0, %laneid;" : "=r"(id));
  return id;
}

__device__ void fragment(uint32_t (&d)[4], const void *tile) {
  uint32_t at = __cvta_generic_to_shared(tile);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(at));
}

__device__ float fast_exp(float x) {
  float y;
  asm("ex2.aprox.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
}

__device__ void copy(uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
}
