// Prints layouts as CuTe defines them, one block each:
//
//   # arguments of `ptxray layout` | operand
//   row column lane word bit            (shared memory: row column bit-address; D of two CTAs: one of them)
//
// compare_cute.py compares every line with the answer of ptxray. The program needs only the headers of CUTLASS, and no
// GPU.
#include <cstdio>
#include <cute/atom/copy_traits_sm100.hpp>
#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/copy_traits_sm90.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm120.hpp>
#include <cute/atom/mma_traits_sm120_sparse.hpp>
#include <cute/atom/mma_traits_sm70.hpp>
#include <cute/atom/mma_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/atom/mma_traits_sm90_gmma_sparse.hpp>
#include <cute/tensor.hpp>
using namespace cute;

static void head(const char *request, const char *operand) { std::printf("# %s | %s\n", request, operand); }
static void element(int row, int column, int lane, int word, int bit) {
  std::printf("%d %d %d %d %d\n", row, column, lane, word, bit);
}

/// Prints a map from (thread, value) to a number that is counted down the columns. `swap` exchanges rows and columns,
/// since B is N x K in CuTe.
template <class Layout>
static void fragment(const char *request, const char *operand, Layout layout, int rows, int bits, bool swap) {
  head(request, operand);
  const int run = bits < 32 ? 32 / bits : 1;
  for (int t = 0; t < size<0>(layout); ++t)
    for (int v = 0; v < size<1>(layout); ++v) {
      const int at = layout(t, v), row = at % rows, column = at / rows;
      element(swap ? column : row, swap ? row : column, t, v / run, v % run * bits);
    }
}

template <class Op> static void mma(const char *request, int bits, int accumulatorBits) {
  using Traits = MMA_Traits<Op>;
  const int m = size<0>(typename Traits::Shape_MNK{}), n = size<1>(typename Traits::Shape_MNK{});
  fragment(request, "A", typename Traits::ALayout{}, m, bits, false);
  fragment(request, "B", typename Traits::BLayout{}, n, bits, true);
  fragment(request, "D", typename Traits::CLayout{}, m, accumulatorBits, false);
}

/// Prints the layout of a copy, which maps (thread, bit) to a bit of rows of `rowBits`; its elements have `bits`.
template <class Layout>
static void copied(const char *request, const char *operand, Layout layout, int rowBits, int bits) {
  head(request, operand);
  for (int t = 0; t < size<0>(layout); ++t)
    for (int v = 0; v < size<1>(layout); v += bits) {
      const int at = layout(t, v);
      element(at / rowBits, at % rowBits / bits, t, v / 32, v % 32);
    }
}

/// Prints a 16x16 matrix of bytes that ldmatrix transposes. After the instruction, CuTe's copy exchanges bytes
/// (copy_sm100.hpp), and it gives the addresses in another order. This function prints the bytes where the instruction
/// puts them.
template <class Op> static void transposedLoad(const char *request) {
  head(request, "matrix");
  typename Copy_Traits<Op>::SrcLayout source;
  typename Copy_Traits<Op>::DstLayout result;
  for (int t = 0; t < 32; ++t)
    for (int byte = 0; byte < 8; ++byte)
      for (int address = 0; address < 16; ++address) {
        const int behind = result(t, 8 * byte) - source(address, 0);
        if (behind >= 0 && behind < 128)
          element(behind / 8, address, t, byte / 2 % 2, (byte % 2 + byte / 4 * 2) * 8);
      }
}

/// Prints a copy into tensor memory. The source is counted down `rows` rows, then along `rowBits`, then down further
/// rows.
template <class Op> static void tensorCopy(const char *request, int rows, int rowBits) {
  head(request, "copy");
  typename Copy_Traits<Op>::SrcLayout source;
  typename Copy_Traits<Op>::ValID place;
  for (int v = 0; v < size(place); ++v) {
    const int from = source(0, v), bit = from / rows % rowBits;
    if (bit % 32 == 0)
      element(from % rows + from / (rows * rowBits) * rows, bit / 32, place(v) >> 21, place(v) % (1 << 21) / 32, 0);
  }
}

/// Prints accumulators: a map from (row, column) to an address in tensor memory.
template <class Frg, int M, int N> static void accumulator(const char *request) {
  head(request, "D");
  auto tensor = Frg::make(make_shape(make_shape(Int<M>{}, Int<N>{}), Int<1>{}, Int<1>{}));
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      const uint32_t at = tensor.layout()(make_coord(m, n), 0, 0);
      element(m, n, at >> 16, at & 0xFFFF, 0);
    }
}

/// Prints an A with 16-bit elements in tensor memory, two per word.
template <class Frg, int M, int K> static void multiplicand(const char *request) {
  head(request, "A");
  auto tensor = Frg::make(make_shape(make_shape(Int<M>{}, Int<K>{}), Int<1>{}, Int<1>{}));
  for (int m = 0; m < size<0, 0>(tensor.layout()); ++m) // copies are further rows
    for (int k = 0; k < K; ++k) {
      const uint32_t at = tensor.layout()(make_coord(m, k), 0, 0);
      element(m % M, k, at >> 17, (at & 0x1FFFF) / 2, at % 2 * 16);
    }
}

template <class Frg, int MN, int Vector, int Factors>
static void scale(const char *request, const char *operand, bool ofA) {
  head(request, operand);
  auto tensor =
      Frg::make(make_shape(make_shape(Int<MN>{}, make_shape(Int<Vector>{}, Int<Factors>{})), Int<1>{}, Int<1>{}));
  auto layout = get<0>(tensor.layout());
  // The first mode counts rows, then their copies.
  for (int i = 0; i < size<0>(layout); ++i)
    for (int f = 0; f < Factors; ++f) {
      const uint32_t at = layout(i, make_coord(0, f));
      const int row = i % MN;
      element(ofA ? row : f, ofA ? f : row, at >> 18, (at & 0x3FFFF) / 4, at % 4 * 8);
    }
}

/// Prints metadata: a map from an element of A to the bits that select elements of its chunk. A chunk has `chunk`
/// columns.
template <class Frg, int M, int K> static void metadata(const char *request, int laneShift, int chunk) {
  head(request, "metadata");
  auto tensor = Frg::make(make_shape(make_shape(Int<M>{}, Int<K>{}), Int<1>{}, Int<1>{}));
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; k += chunk) {
      const uint64_t at = tensor.layout()(make_coord(m, k), 0, 0);
      const uint64_t bit = (at & ((uint64_t(1) << laneShift) - 1)) * 4 / chunk;
      element(m, k / chunk, at >> laneShift, bit / 32, bit % 32);
    }
}

/// Prints metadata in registers: a map from (thread, element) to an element of A.
template <class Layout> static void metadataFragment(const char *request, Layout layout, int rows, int chunk) {
  head(request, "metadata");
  for (int t = 0; t < size<0>(layout); ++t)
    for (int v = 0; v < size<1>(layout); v += chunk) {
      const int at = layout(t, v);
      element(at % rows, at / rows / chunk, t, 0, v * 4 / chunk);
    }
}

/// Prints a swizzle atom: a map from (mn, k) to the address of a bit.
template <class Atom> static void swizzle(const char *request, const char *operand, int bits) {
  head(request, operand);
  auto plain = Atom{}.layout_b();
  for (int mn = 0; mn < size<0>(plain); ++mn)
    for (int k = 0; k < size<1>(plain); ++k) {
      const uint32_t bit = plain(mn, k) * bits;
      std::printf("%d %d %d\n", mn, k, int(Atom{}.layout_a()(bit / 8) * 8 + bit % 8));
    }
}

static void descriptor(const char *arguments, uint32_t value) { std::printf("= %s | 0x%08x\n", arguments, value); }

int main() {
  mma<SM80_16x8x16_F32F16F16F32_TN>("mma.m16n8k16.f32.f16.f16.f32", 16, 32);
  mma<SM80_16x8x16_F16F16F16F16_TN>("mma.m16n8k16.f16.f16.f16.f16", 16, 16);
  mma<SM80_16x8x8_F32BF16BF16F32_TN>("mma.m16n8k8.f32.bf16.bf16.f32", 16, 32);
  mma<SM80_16x8x4_F32TF32TF32F32_TN>("mma.m16n8k4.f32.tf32.tf32.f32", 32, 32);
  mma<SM80_16x8x8_F32TF32TF32F32_TN>("mma.m16n8k8.f32.tf32.tf32.f32", 32, 32);
  mma<SM80_8x8x4_F64F64F64F64_TN>("mma.m8n8k4.f64", 64, 64);
  mma<SM90_16x8x4_F64F64F64F64_TN>("mma.m16n8k4.f64", 64, 64);
  mma<SM90_16x8x8_F64F64F64F64_TN>("mma.m16n8k8.f64", 64, 64);
  mma<SM90_16x8x16_F64F64F64F64_TN>("mma.m16n8k16.f64", 64, 64);
  mma<SM75_8x8x16_S32S8S8S32_TN>("mma.m8n8k16.s32.s8.s8.s32", 8, 32);
  mma<SM80_16x8x16_S32S8S8S32_TN>("mma.m16n8k16.s32.s8.s8.s32", 8, 32);
  mma<SM80_16x8x32_S32U8S8S32_TN>("mma.m16n8k32.s32.u8.s8.s32", 8, 32);
  mma<SM80_8x8x32_S32S4S4S32_TN>("mma.m8n8k32.s32.s4.s4.s32", 4, 32);
  // m16n8k32.s4 is missing: in CUTLASS 4.2 two threads of its B share elements.
  mma<SM80_16x8x64_S32U4S4S32_TN>("mma.m16n8k64.s32.u4.s4.s32", 4, 32);
  mma<SM80_16x8x256_S32U1U1S32_TN_XORPOPC>("mma.m16n8k256.s32.b1.b1.s32", 1, 32);
  mma<SM89_16x8x32_F32E4M3E4M3F32_TN>("mma.m16n8k32.f32.e4m3.e4m3.f32", 8, 32);

  using namespace SM90::GMMA;
  fragment("wgmma.m64n8k16.f32.f16.f16", "A", ALayout_64x16{}, 64, 16, false);
  fragment("wgmma.m64n256k16.f32.f16.f16", "D", CLayout_64x256{}, 64, 32, false);
  fragment("wgmma.m64n96k16.f16.f16.f16", "D", CLayout_64x96{}, 64, 16, false);
  fragment("wgmma.m64n8k8.f32.tf32.tf32", "A", ALayout_64x8{}, 64, 32, false);
  fragment("wgmma.m64n16k32.s32.s8.s8", "A", ALayout_64x32{}, 64, 8, false);

  copied("ldmatrix.m8n8.x1.b16", "matrix", Copy_Traits<SM75_U32x1_LDSM_N>::DstLayout{}, 128, 16);
  copied("stmatrix.m8n8.x1.b16", "matrix", Copy_Traits<SM90_U32x1_STSM_N>::SrcLayout{}, 128, 16);
  copied("ldmatrix.m8n16.x1.b8x16.b4x16_p64", "matrix", Copy_Traits<SM100_SU4_DU8x16_x1_LDSM_N>::DstLayout{}, 128, 8);
  copied("ldmatrix.m8n8.x1.trans.b16", "matrix", Copy_Traits<SM75_U16x2_LDSM_T>::DstLayout{}, 128, 16);
  { // Rows of memory are the columns of this matrix.
    auto layout = Copy_Traits<SM100_U8x4_STSM_T>::SrcLayout{};
    head("stmatrix.m16n8.x1.trans.b8", "matrix");
    for (int t = 0; t < 32; ++t)
      for (int v = 0; v < 32; v += 8)
        element(layout(t, v) % 128 / 8, layout(t, v) / 128, t, 0, v);
  }

  using namespace SM100::TMEM::LOAD;
  copied("tcgen05.ld.32x32b.x8.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_32dp32b8x>::DstLayout{}, 8 * 32, 32);
  copied("tcgen05.ld.16x64b.x1.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp64b1x>::DstLayout{}, 2 * 32, 32);
  copied("tcgen05.ld.16x64b.x8.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp64b8x>::DstLayout{}, 16 * 32, 32);
  copied("tcgen05.ld.16x128b.x4.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp128b4x>::DstLayout{}, 16 * 32, 32);
  copied("tcgen05.ld.16x256b.x4.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp256b4x>::DstLayout{}, 32 * 32, 32);
  copied("tcgen05.ld.16x32bx2.x4.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp32b4x>::DstLayout{}, 8 * 32, 32);
  copied("tcgen05.ld.32x32b.x4.pack::16b.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_32dp32b4x_16b>::DstLayout{},
         8 * 16, 16);
  copied("tcgen05.ld.16x64b.x2.pack::16b.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp64b2x_16b>::DstLayout{},
         8 * 16, 16);
  copied("tcgen05.ld.16x128b.x2.pack::16b.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp128b2x_16b>::DstLayout{},
         16 * 16, 16);
  copied("tcgen05.ld.16x256b.x1.pack::16b.b32", "fragment", Copy_Traits<SM100_TMEM_LOAD_16dp256b1x_16b>::DstLayout{},
         16 * 16, 16);

  using UMMA::TmemAllocMode;
  accumulator<UMMA::tmem_frg_1sm<float>, 128, 64>("tcgen05.mma.cta_group::1.kind::f16 --m 128 --n 64");
  accumulator<UMMA::tmem_frg_1sm<float>, 64, 64>("tcgen05.mma.cta_group::1.kind::f16 --m 64 --n 64");
  accumulator<UMMA::tmem_frg_2sm<float>, 64, 128>("tcgen05.mma.cta_group::2.kind::f16 --m 128 --n 128");
  accumulator<UMMA::tmem_frg_2sm<float>, 128, 128>("tcgen05.mma.cta_group::2.kind::f16 --m 256 --n 128");
  accumulator<UMMA::tmem_frg_ws_1sm<float>, 32, 128>("tcgen05.mma.ws.cta_group::1.kind::f16 --m 32 --n 128");
  accumulator<UMMA::tmem_frg_ws_1sm<float>, 64, 128>("tcgen05.mma.ws.cta_group::1.kind::f16 --m 64 --n 128");
  accumulator<UMMA::tmem_frg_ws_1sm<float>, 128, 128>("tcgen05.mma.ws.cta_group::1.kind::f16 --m 128 --n 128");
  multiplicand<UMMA::tmem_frg_1sm<half_t, half_t, TmemAllocMode::NonInterleaved>, 64, 16>(
      "tcgen05.mma.cta_group::1.kind::f16 --m 64");
  multiplicand<UMMA::tmem_frg<half_t, half_t, 2, TmemAllocMode::Duplicated>, 64, 16>(
      "tcgen05.mma.cta_group::2.kind::f16 --m 128");

  scale<UMMA::tmem_sf_frg<float_ue8m0_t, 32, 1, true>, 128, 32, 1>("tcgen05.mma.cta_group::1.kind::mxf8f6f4 --n 128",
                                                                   "scale-a", true);
  scale<UMMA::tmem_sf_frg<float_ue8m0_t, 32, 1, true>, 128, 32, 2>("tcgen05.mma.cta_group::1.kind::mxf4 --n 128",
                                                                   "scale-a", true);
  scale<UMMA::tmem_sf_frg<float_ue4m3_t, 16, 1, true>, 128, 16, 4>(
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block16 --n 128", "scale-a", true);
  scale<UMMA::tmem_sf_frg<float_ue8m0_t, 32, 1, false>, 256, 32, 1>("tcgen05.mma.cta_group::1.kind::mxf8f6f4 --n 256",
                                                                    "scale-b", false);
  scale<UMMA::tmem_sf_frg<float_ue4m3_t, 16, 1, false>, 192, 16, 4>(
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block16 --n 192", "scale-b", false);
  scale<UMMA::tmem_sf_frg<float_ue4m3_t, 16, 2, false, TmemAllocMode::ScaleFactorDuplicated2by2>, 256, 16, 4>(
      "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block16 --m 128 --n 256", "scale-b", false);

  metadata<UMMA::tmem_e_frg<half_t>, 128, 32>("tcgen05.mma.sp.cta_group::1.kind::f16 --m 128", 21, 4);
  metadata<UMMA::tmem_e_frg<tfloat32_t>, 128, 16>("tcgen05.mma.sp.cta_group::1.kind::tf32 --m 128", 20, 2);
  metadata<UMMA::tmem_e_frg<uint8_t>, 128, 64>("tcgen05.mma.sp.cta_group::1.kind::i8 --m 128", 21, 4);
  metadata<UMMA::tmem_e_frg<float_e2m1_t>, 128, 128>("tcgen05.mma.sp.cta_group::1.kind::mxf4 --m 128", 22, 8);
  metadataFragment("mma.sp.m16n8k64.f32.e4m3.e4m3.f32",
                   MMA_Traits<SM120::SPARSE::SM120_SPARSE_16x8x64_TN<float_e4m3_t, float_e4m3_t, float>>::ELayout{}, 16,
                   4);
  metadataFragment("wgmma.sp.m64n8k64.f32.e4m3.e4m3", ELayout_64x64{}, 64, 4);

  swizzle<UMMA::Layout_K_SW128_Atom<half_t>>("smem --type f16 --swizzle 128B --major k", "K-major", 16);
  swizzle<UMMA::Layout_K_SW64_Atom<tfloat32_t>>("smem --type tf32 --swizzle 64B --major k", "K-major", 32);
  swizzle<UMMA::Layout_K_SW32_Atom<half_t>>("smem --type f16 --swizzle 32B --major k", "K-major", 16);
  swizzle<UMMA::Layout_K_INTER_Atom<int8_t>>("smem --type s8 --swizzle none --major k", "K-major", 8);
  swizzle<UMMA::Layout_MN_SW128_Atom<half_t>>("smem --type f16 --swizzle 128B --major mn", "MN-major", 16);
  swizzle<UMMA::Layout_MN_SW64_Atom<half_t>>("smem --type f16 --swizzle 64B --major mn", "MN-major", 16);
  swizzle<UMMA::Layout_MN_SW32_Atom<int8_t>>("smem --type s8 --swizzle 32B --major mn", "MN-major", 8);
  swizzle<UMMA::Layout_MN_INTER_Atom<half_t>>("smem --type f16 --swizzle none --major mn", "MN-major", 16);
  swizzle<UMMA::Layout_MN_SW128_32B_Atom<tfloat32_t>>("smem --type tf32 --swizzle 128B-base32B --major mn", "MN-major",
                                                      32);

  transposedLoad<SM100_U8x8_LDSM_T>("ldmatrix.m16n16.x1.trans.b8");
  tensorCopy<SM100_UTCCP_128dp256bit_1cta>("tcgen05.cp.cta_group::1.128x256b", 128, 256);
  tensorCopy<SM100_UTCCP_128dp128bit_1cta>("tcgen05.cp.cta_group::1.128x128b", 128, 128);
  tensorCopy<SM100_UTCCP_2x64dp128bitlw0213_1cta>("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13", 64, 128);
  tensorCopy<SM100_UTCCP_2x64dp128bitlw0123_1cta>("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23", 32, 128);
  tensorCopy<SM100_UTCCP_4x32dp128bit_1cta>("tcgen05.cp.cta_group::1.32x128b.warpx4", 32, 128);

  using UMMA::Major;
  descriptor("idesc --kind f16 --m 128 --n 256 --d f32 --a f16 --b bf16",
             UMMA::make_instr_desc<half_t, bfloat16_t, float, 128, 256, Major::K, Major::K>().desc_);
  descriptor("idesc --kind tf32 --m 64 --n 8 --transpose-a yes",
             UMMA::make_instr_desc<tfloat32_t, tfloat32_t, float, 64, 8, Major::MN, Major::K>().desc_);
  descriptor("idesc --kind i8 --m 128 --n 64 --a s8 --b u8 --transpose-b yes --saturate yes",
             UMMA::make_instr_desc<int8_t, uint8_t, int32_t, 128, 64, Major::K, Major::MN, UMMA::ScaleIn::One,
                                   UMMA::ScaleIn::One, UMMA::Saturate::True>()
                 .desc_);
  descriptor("idesc --kind f8f6f4 --m 256 --n 32 --d f16 --a e5m2 --b e4m3 --negate-b yes",
             UMMA::make_instr_desc<float_e5m2_t, float_e4m3_t, half_t, 256, 32, Major::K, Major::K, UMMA::ScaleIn::One,
                                   UMMA::ScaleIn::Neg>()
                 .desc_);
  descriptor("idesc --kind mxf8f6f4 --m 128 --n 128 --a e4m3 --b e5m2",
             UMMA::make_instr_desc_block_scaled<float_e4m3_t, float_e5m2_t, float, float_ue8m0_t, 128, 128, Major::K,
                                                Major::K>()
                 .desc_);
  descriptor("idesc --kind mxf4nvf4 --m 256 --n 64 --scale ue4m3",
             UMMA::make_instr_desc_block_scaled<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 256, 64, Major::K,
                                                Major::K>()
                 .desc_);
}
