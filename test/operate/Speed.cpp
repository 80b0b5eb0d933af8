// How long operations take: nanoseconds for an instruction of a warp, all of whose lanes take part.
#include "Lines.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

namespace ptxray::machine {

static Warp &nobody() {
  static char none;
  return reinterpret_cast<Warp &>(none);
}

static double nanoseconds(const Line &line, uint32_t mask, size_t &count) {
  RegisterFile file;
  Kept kept;
  const Place carry = file.add(1);
  std::vector<Place> byNode;
  for (const uint8_t width : line.widths)
    byNode.push_back(width ? file.add(width) : Place());
  const Compiled compiled = compile(line.recipe, byNode, carry, file, kept);
  std::vector<uint64_t> words(file.bytes() / 8 + 16, 0x3f803c013f803c01);
  auto *registers = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(words.data()) + 63) / 64 * 64);
  file.writeConstants(registers);
  count = compiled.ops.size();
  const unsigned rounds = 20000;
  double best = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < rounds / (attempt ? 1 : 100); ++i)
      for (const Op &op : compiled.ops)
        op.run(registers, op, mask, nobody());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    if (attempt)
      best = std::min(best, took.count() / rounds);
    else if (took.count() > 1e7) // too slow to go on
      return took.count() / (rounds / 100);
  }
  return best;
}

} // namespace ptxray::machine

int main(int argc, char **argv) {
  using namespace ptxray::machine;
  std::vector<std::string> texts = {"mov.b32 %r0, %r1;",
                                    "mov.u32 %r0, 7;",
                                    "mov.b64 %rd0, {%r1, %r2};",
                                    "mov.b64 {%r1, %r2}, %rd0;",
                                    "add.s32 %r0, %r1, %r2;",
                                    "add.s32 %r0, %r1, 5;",
                                    "sub.s32 %r0, %r1, %r2;",
                                    "mul.lo.s32 %r0, %r1, %r2;",
                                    "mad.lo.s32 %r0, %r1, %r2, %r3;",
                                    "mul.wide.s32 %rd0, %r1, %r2;",
                                    "mul.wide.u32 %rd0, %r1, 4;",
                                    "mad.wide.u32 %rd0, %r1, %r2, %rd3;",
                                    "mul.hi.u32 %r0, %r1, %r2;",
                                    "mul.hi.s32 %r0, %r1, %r2;",
                                    "add.s64 %rd0, %rd1, %rd2;",
                                    "mul.lo.s64 %rd0, %rd1, %rd2;",
                                    "mul.hi.u64 %rd0, %rd1, %rd2;",
                                    "add.u16 %h0, %h1, %h2;",
                                    "div.u32 %r0, %r1, %r2;",
                                    "rem.u32 %r0, %r1, %r2;",
                                    "and.b32 %r0, %r1, %r2;",
                                    "and.b32 %r0, %r1, 31;",
                                    "not.b32 %r0, %r1;",
                                    "shl.b32 %r0, %r1, 3;",
                                    "shl.b32 %r0, %r1, %r2;",
                                    "shr.u32 %r0, %r1, %r2;",
                                    "shr.s32 %r0, %r1, 3;",
                                    "shl.b64 %rd0, %rd1, 3;",
                                    "shf.l.wrap.b32 %r0, %r1, %r2, 7;",
                                    "shf.l.wrap.b32 %r0, %r1, %r1, %r3;",
                                    "lop3.b32 %r0, %r1, %r2, %r3, 0x96;",
                                    "prmt.b32 %r0, %r1, %r2, 0x3210;",
                                    "bfe.u32 %r0, %r1, 8, 8;",
                                    "bfi.b32 %r0, %r1, %r2, 8, 8;",
                                    "popc.b32 %r0, %r1;",
                                    "clz.b32 %r0, %r1;",
                                    "brev.b32 %r0, %r1;",
                                    "min.s32 %r0, %r1, %r2;",
                                    "max.u32 %r0, %r1, %r2;",
                                    "abs.s32 %r0, %r1;",
                                    "neg.s32 %r0, %r1;",
                                    "setp.lt.s32 %p0, %r1, %r2;",
                                    "setp.ge.u64 %p0, %rd1, %rd2;",
                                    "setp.lt.f32 %p0, %f1, %f2;",
                                    "setp.lt.and.s32 %p0, %r1, %r2, %p3;",
                                    "selp.b32 %r0, %r1, %r2, %p3;",
                                    "selp.b64 %rd0, %rd1, %rd2, %p3;",
                                    "and.pred %p0, %p1, %p2;",
                                    "not.pred %p0, %p1;",
                                    "add.f32 %f0, %f1, %f2;",
                                    "add.ftz.f32 %f0, %f1, %f2;",
                                    "mul.f32 %f0, %f1, %f2;",
                                    "fma.rn.f32 %f0, %f1, %f2, %f3;",
                                    "fma.rn.ftz.f32 %f0, %f1, %f2, %f3;",
                                    "mul.sat.f32 %f0, %f1, %f2;",
                                    "add.rz.f32 %f0, %f1, %f2;",
                                    "min.f32 %f0, %f1, %f2;",
                                    "max.NaN.f32 %f0, %f1, %f2;",
                                    "neg.f32 %f0, %f1;",
                                    "abs.f32 %f0, %f1;",
                                    "div.rn.f32 %f0, %f1, %f2;",
                                    "sqrt.rn.f32 %f0, %f1;",
                                    "rcp.rn.f32 %f0, %f1;",
                                    "div.full.f32 %f0, %f1, %f2;",
                                    "div.approx.f32 %f0, %f1, %f2;",
                                    "ex2.approx.ftz.f32 %f0, %f1;",
                                    "lg2.approx.f32 %f0, %f1;",
                                    "rcp.approx.ftz.f32 %f0, %f1;",
                                    "sqrt.approx.f32 %f0, %f1;",
                                    "rsqrt.approx.f32 %f0, %f1;",
                                    "sin.approx.f32 %f0, %f1;",
                                    "tanh.approx.f32 %f0, %f1;",
                                    "add.f64 %fd0, %fd1, %fd2;",
                                    "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;",
                                    "div.rn.f64 %fd0, %fd1, %fd2;",
                                    "cvt.f64.f32 %fd0, %f1;",
                                    "cvt.rn.f32.f64 %f0, %fd1;",
                                    "cvt.rn.f32.s32 %f0, %r1;",
                                    "cvt.rn.f32.u32 %f0, %r1;",
                                    "cvt.rzi.s32.f32 %r0, %f1;",
                                    "cvt.rzi.u32.f32 %r0, %f1;",
                                    "cvt.rni.f32.f32 %f0, %f1;",
                                    "cvt.rn.f64.s32 %fd0, %r1;",
                                    "cvt.u64.u32 %rd0, %r1;",
                                    "cvt.s64.s32 %rd0, %r1;",
                                    "cvt.u32.u64 %r0, %rd1;",
                                    "cvt.u16.u32 %h0, %r1;",
                                    "cvt.u32.u16 %r0, %h1;",
                                    "cvt.s32.s8 %r0, %r1;",
                                    "cvt.f32.f16 %f0, %h1;",
                                    "cvt.rn.f16.f32 %h0, %f1;",
                                    "cvt.rn.bf16.f32 %h0, %f1;",
                                    "cvt.rn.f16x2.f32 %r0, %f1, %f2;",
                                    "cvt.rn.bf16x2.f32 %r0, %f1, %f2;",
                                    "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;",
                                    "add.f16x2 %r0, %r1, %r2;",
                                    "mul.bf16x2 %r0, %r1, %r2;",
                                    "fma.rn.f16x2 %r0, %r1, %r2, %r3;",
                                    "fma.rn.bf16x2 %r0, %r1, %r2, %r3;",
                                    "max.f16x2 %r0, %r1, %r2;",
                                    "fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;",
                                    "add.cc.u32 %r0, %r1, %r2;",
                                    "addc.cc.u32 %r0, %r1, %r2;",
                                    "mad.lo.cc.u32 %r0, %r1, %r2, %r3;",
                                    "madc.hi.u32 %r0, %r1, %r2, %r3;",
                                    "dp4a.s32.s32 %r0, %r1, %r2, %r3;",
                                    "shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;",
                                    "shfl.sync.down.b32 %r0|%p1, %r1, 1, 31, -1;",
                                    "shfl.sync.idx.b32 %r0, %r1, %r2, 31, -1;",
                                    "vote.sync.ballot.b32 %r0, %p1, -1;",
                                    "vote.sync.any.pred %p0, %p1, -1;",
                                    "match.any.sync.b32 %r0, %r1, -1;",
                                    "redux.sync.add.s32 %r0, %r1, -1;",
                                    "activemask.b32 %r0;",
                                    "ld.global.f32 %f0, [%rd1];",
                                    "ld.global.u8 %r0, [%rd1];",
                                    "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];",
                                    "st.global.f32 [%rd1], %f0;",
                                    "st.global.u8 [%rd1], %r0;"};
  if (argc > 1)
    texts.assign(argv + 1, argv + argc);
  std::printf("%-50s %6s %8s %8s\n", "", "ops", "all", "some");
  for (const std::string &text : texts)
    for (const Line &line : readLines({text})) {
      size_t count = 0;
      const double all = nanoseconds(line, allLanes, count), some = nanoseconds(line, 0x5a5a1234, count);
      std::printf("%-50s %6zu %8.1f %8.1f\n", line.text.c_str(), count, all, some);
    }
}
