#pragma once
// A kernel for tests of the public interface.

inline constexpr const char *addingKernel = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 calls;
.visible .entry add(.param .u32 n, .param .u64 data)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<3>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %d1, [data];
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %d1, %r2, 4, %d1;
  ld.global.u32 %r3, [%d1];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%d1], %r3;
  red.global.add.u32 [calls], 1;
  ret;
}
)";
