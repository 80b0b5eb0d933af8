// What movmatrix and ldmatrix.trans do on NVIDIA's GPUs, on RDNA 4 (gfx12, waves of 32), which has neither:
// a 16x16 matrix of 16-bit elements changes rows and columns without leaving the registers.
//
//   clang++ -x hip --offload-arch=gfx1200 transpose.hip        (ROCm, or clang with -nogpuinc -nogpulib)
//
// A wave holds such a matrix as the wmma instructions hold their A: lane l has row l % 16, and of that row
// the eight columns from 8 * (l / 16) on. `ptxray layout --arch gfx12 wmma.f16` shows it.

#ifndef __device__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#endif

typedef _Float16 Fragment __attribute__((ext_vector_type(8)));
typedef int Words __attribute__((ext_vector_type(4)));

static __device__ unsigned laneId() { return __builtin_amdgcn_mbcnt_lo(~0u, 0); }

// One way: ask the other lanes. Element v of the result is in lane 16 * (l / 8 % 2) + 8 * (l / 16) + v, as
// its element l % 8. A lane can only be asked for one register as a whole, so all four have to travel.
__device__ Fragment transposeByShuffles(Fragment matrix) {
  const unsigned lane = laneId();
  const unsigned firstSource = lane / 8 % 2 * 16 + lane / 16 * 8;
  const Words registers = __builtin_bit_cast(Words, matrix);
  Fragment result;
  for (unsigned v = 0; v < 8; ++v) {
    Words theirs;
    for (unsigned i = 0; i < 4; ++i)
      theirs[i] = __builtin_amdgcn_ds_bpermute(4 * (firstSource + v), registers[i]);
    result[v] = __builtin_bit_cast(Fragment, theirs)[lane % 8];
  }
  return result;
}

// The other way: D = A * 1 + 0 is A, but a wave holds D as it would hold the transpose of A. The identity
// as B: lane l has column l % 16, of it the rows from 8 * (l / 16) on.
//
// The product is exact for finite numbers, but -0 becomes 0; an infinity or NaN spoils its row, because
// the other products of the row are infinity * 0.
__device__ Fragment transposeByWmma(Fragment matrix) {
  const unsigned lane = laneId();
  Fragment identity;
  for (unsigned v = 0; v < 8; ++v)
    identity[v] = lane / 16 * 8 + v == lane % 16 ? (_Float16)1 : (_Float16)0;
  const Fragment zero = {0, 0, 0, 0, 0, 0, 0, 0};
  return __builtin_amdgcn_wmma_f16_16x16x16_f16_w32_gfx12(matrix, identity, zero);
}

// ldmatrix.trans: each lane loads 16 bytes of its row from shared memory, then the wave transposes.
__device__ Fragment loadTransposed(const __attribute__((address_space(3))) _Float16 *matrix, unsigned stride) {
  const unsigned lane = laneId();
  const auto row = (const __attribute__((address_space(3))) Fragment *)(matrix + lane % 16 * stride + lane / 16 * 8);
  return transposeByWmma(*row);
}

extern "C" __global__ void transposeBoth(const Fragment *in, Fragment *byShuffles, Fragment *byWmma) {
  const unsigned lane = laneId();
  byShuffles[lane] = transposeByShuffles(in[lane]);
  byWmma[lane] = transposeByWmma(in[lane]);
}

extern "C" __global__ void loadBoth(const Fragment *in, Fragment *out) {
  __shared__ _Float16 tile[16 * 16];
  const unsigned lane = laneId();
  *(Fragment *)(tile + lane % 16 * 16 + lane / 16 * 8) = in[lane];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[lane] = loadTransposed((const __attribute__((address_space(3))) _Float16 *)tile, 16);
}
