// The statements of copy_sm90_desc.hpp:368 that matter: the first writes an input, the second relies on it.
__device__ void replace(unsigned descriptor, unsigned shape) {
  unsigned long long const address = 0;
  asm volatile("cvt.u64.u32 %0, %1;" ::"l"(address), "r"(descriptor));
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"l"(address), "r"(shape));
}
