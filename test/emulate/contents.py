#!/usr/bin/env python3
"""Tests certificates of small kernels: one for each path by which a loaded value can reach an address, a branch or an
amount, and one each in which the value stays data.

contents.py PTXRAY [--random N] [NAME...]

The kernel loads `%v` from argument 0, buffer `a`, at the thread's number. In a text the instruction that uses a value
is marked with `// uses`: the certificate must name its line and argument 0 (or the argument that the mark names). A
text without a mark must hold for all contents; `// order` marks an instruction that the order of threads decides.

With --random, each text that holds for all contents is launched N times with other contents and schedules, and no
launch may have a finding."""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """.version 8.7
.target sm_90a
.address_size 64
.global .align 4 .u32 table[64];
.func (.param .b32 r) passed(.param .b32 x) {{
  .reg .b32 %p<2>;
  ld.param.b32 %p1, [x];
  st.param.b32 [r], %p1;
  ret;
}}
.func (.reg .b32 r) inRegisters(.reg .b32 x) {{
  mov.b32 r, x;
  ret;
}}
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<40>, %v, %w, %t;
  .reg .f32 %f<40>;
  .reg .b64 %rd<24>;
  .shared .align 128 .b8 room[4096];
  .local .align 8 .b8 own[64];
  .shared .align 8 .b64 object;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r30, [n];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %rd5, %t, 4;
  add.u64 %rd3, %rd1, %rd5;
  add.u64 %rd4, %rd2, %rd5;
  mov.u32 %r31, room;
  shl.b32 %r32, %t, 2;
  add.u32 %r33, %r31, %r32;
  ld.global.u32 %v, [%rd3];
{}
  ret;
}}
"""

STORE = "  st.global.u32 [%rd4], %w;\n"
# The value is less than 32 and is used as an index into `b`.
INDEX = """  and.b32 %r1, %w, 31;
  mul.wide.u32 %rd6, %r1, 4;
  add.u64 %rd7, %rd2, %rd6;
  ld.global.u32 %r2, [%rd7]; // uses
"""
# These are the ways to move the value from `%v` to `%w`.
MOVES = {
    "register": "mov.b32 %w, %v;",
    "packed": "mov.b64 %rd8, {%v, %t};\n mov.b64 {%w, %r3}, %rd8;",
    "converted": "cvt.rn.f32.u32 %f1, %v;\n cvt.rzi.u32.f32 %w, %f1;",
    "halves": "cvt.u16.u32 %h1, %v;\n cvt.u32.u16 %w, %h1;",
    "permuted": "prmt.b32 %w, %v, 0, 0x3210;",
    "selected": "setp.eq.u32 %p1, %t, 3;\n selp.b32 %w, %v, %v, %p1;",
    "condition": "setp.gt.u32 %p1, %v, 7;\n selp.b32 %w, 1, 2, %p1;",
    "predicated": "mov.b32 %w, 0;\n setp.gt.u32 %p1, %v, 7;\n @%p1 mov.b32 %w, 1;",
    "predicated-not": "mov.b32 %w, 0;\n setp.gt.u32 %p1, %v, 4000000000;\n @%p1 mov.b32 %w, 1;",
    "carry": "add.cc.u32 %r3, %v, 0xffffffff;\n addc.u32 %w, 0, 0;",
    "shared": "st.shared.u32 [%r33], %v;\n bar.sync 0;\n ld.shared.u32 %w, [%r33];",
    "shared-vector": "st.shared.v2.u32 [room+1024], {%t, %v};\n bar.sync 0;\n ld.shared.u32 %w, [room+1028];",
    "shared-byte": "cvt.u16.u32 %h1, %v;\n st.shared.u8 [room+64], %h1;\n bar.sync 0;\n ld.shared.u8 %h2, [room+64];\n"
    " cvt.u32.u16 %w, %h2;",
    "local": "st.local.u32 [own+8], %v;\n ld.local.u32 %w, [own+8];",
    "local-generic": "mov.u64 %rd8, own;\n cvta.local.u64 %rd9, %rd8;\n st.u32 [%rd9], %v;\n ld.u32 %w, [%rd9];",
    "global": "st.global.u32 [%rd4], %v;\n ld.global.u32 %w, [%rd4];",
    "variable": "mul.wide.u32 %rd8, %t, 4;\n mov.u64 %rd9, table;\n add.u64 %rd8, %rd8, %rd9;\n"
    " st.global.u32 [%rd8], %v;\n ld.global.u32 %w, [%rd8];",
    "shuffle": "shfl.sync.bfly.b32 %w, %v, 1, 31, -1;",
    "broadcast": "shfl.sync.idx.b32 %w, %v, 0, 31, -1;",
    "shuffle-by-value": "and.b32 %r3, %v, 31;\n shfl.sync.idx.b32 %w, %t, %r3, 31, -1;",
    "ballot": "setp.gt.u32 %p1, %v, 7;\n vote.sync.ballot.b32 %w, %p1, -1;",
    "vote": "setp.gt.u32 %p1, %v, 7;\n vote.sync.any.pred %p2, %p1, -1;\n selp.b32 %w, 1, 0, %p2;",
    "match": "match.any.sync.b32 %w, %v, -1;",
    "reduction": "redux.sync.max.u32 %w, %v, -1;",
    "argument": "{ .param .b32 x;\n .param .b32 y;\n st.param.b32 [x], %v;\n call (y), passed, (x);\n"
    " ld.param.b32 %w, [y]; }",
    "register-argument": "call (%w), inRegisters, (%v);",
    "async-copy": "mul.wide.u32 %rd8, %t, 4;\n cp.async.ca.shared.global [%r33], [%rd3], 4;\n cp.async.wait_all;\n"
    " ld.shared.u32 %w, [%r33];",
    "matrix-move": "st.shared.u32 [%r33], %v;\n bar.sync 0;\n shl.b32 %r3, %t, 4;\n and.b32 %r3, %r3, 127;\n"
    " add.u32 %r3, %r3, %r31;\n ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%w}, [%r3];",
    "matrix-store": "mov.u32 %r3, %r31;\n and.b32 %r4, %t, 7;\n shl.b32 %r4, %r4, 4;\n add.u32 %r3, %r3, %r4;\n"
    " stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%v};\n bar.sync 0;\n ld.shared.u32 %w, [%r33];",
    "product": "mov.f32 %f1, 0f00000000;\n"
    " mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%v, %v, %v, %v}, {%v, %v},"
    " {%f1, %f1, %f1, %f1};\n cvt.rzi.u32.f32 %w, %f2;",
    "choice": "setp.gt.u32 %p1, %v, 7;\n mov.b32 %w, 1;\n @%p1 bra far;\n mov.b32 %w, 2;\nfar:",
    "choice-else": "setp.gt.u32 %p1, %v, 4000000000;\n @%p1 bra other;\n mov.b32 %w, 2;\n bra far;\nother:\n"
    " mov.b32 %w, 3;\nfar:",
    "nested-choice": "setp.gt.u32 %p1, %v, 7;\n mov.b32 %w, 1;\n @%p1 bra far;\n setp.gt.u32 %p2, %v, 3;\n"
    " @%p2 bra near;\n mov.b32 %w, 2;\nnear:\n add.u32 %w, %w, 1;\nfar:",
    "choice-of-number": "setp.gt.u32 %p1, %v, 4000000000;\n mov.b32 %w, 1;\n @!%p1 bra far;\n mov.b32 %w, %t;\nfar:",
    "atomic": "atom.global.exch.b32 %w, [%rd3], %t;",
    "video": "vadd.u32.u32.u32 %w, %v, %t;",
    "dot": "dp4a.u32.u32 %w, %v, %t, %t;",
    "bits": "bfe.u32 %w, %v, 3, 5;",
    "funnel": "shf.l.wrap.b32 %w, %t, %v, 5;",
    "high": "mul.hi.u32 %w, %v, 7;",
    "mask": "and.b32 %r3, %v, 31;\n bfind.u32 %w, %r3;",
    "wmma": "st.shared.v4.u32 [room], {%v, %v, %v, %v};\n shl.b32 %r3, %t, 4;\n add.u32 %r3, %r3, %r31;\n"
    " st.shared.v4.u32 [%r3], {%v, %v, %v, %v};\n bar.sync 0;\n"
    " wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, [%r31];\n"
    " mov.b32 %w, %r4;",
    "wmma-store": "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r31], {%v, %v, %v, %v};\n bar.sync 0;\n"
    " ld.shared.u32 %w, [%r33];",
    "moved-matrix": "movmatrix.sync.aligned.m8n8.trans.b16 %w, %v;",
    "all-match": "match.all.sync.b32 %w|%p2, %v, -1;",
    "own-guard": "mov.b32 %w, %v;\n setp.lt.u32 %p1, %t, 16;\n @%p1 add.cc.u32 %w, %t, %t;\n"
    " @%p1 setp.lt.u32 %p1, %w, 0;",
    # Each of 128 threads fills 16 bytes of both matrices.
    "warpgroup-product": "shl.b32 %r3, %t, 4;\n add.u32 %r3, %r3, %r31;\n st.shared.v4.u32 [%r3], {%v, %v, %v, %v};\n"
    " fence.proxy.async;\n bar.sync 0;\n cvt.u64.u32 %rd8, %r31;\n shr.u64 %rd8, %rd8, 4;\n"
    " or.b64 %rd8, %rd8, 0x1000080000;\n wgmma.fence.sync.aligned;\n"
    " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f2, %f3, %f4, %f5}, %rd8, %rd8, 0, 1, 1, 0, 0;\n"
    " wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;\n cvt.rzi.u32.f32 %w, %f2;",
    "bulk-copy": "setp.ne.u32 %p3, %t, 0;\n mov.u32 %r3, object;\n @!%p3 mbarrier.init.shared.b64 [%r3], 1;\n"
    " bar.sync 0;\n @!%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 128;\n"
    " @!%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%rd1], 128, [%r3];\n"
    "wait:\n mbarrier.try_wait.parity.shared.b64 %p4, [%r3], 0;\n @!%p4 bra wait;\n ld.shared.u32 %w, [%r33];",
}
# These uses of a value are not indices into memory.
USES = {
    "branch": "setp.gt.u32 %p1, %v, 4000000000;\n @%p1 bra end; // uses\n st.global.u32 [%rd4], %t;\nend:",
    "early-exit": "setp.gt.u32 %p1, %v, 4000000000;\n @%p1 exit; // uses\n st.global.u32 [%rd4], %t;",
    "guarded-store": "setp.gt.u32 %p1, %v, 4000000000;\n @%p1 st.global.u32 [%rd4], %t; // uses",
    "guarded-load": "setp.gt.u32 %p1, %v, 4000000000;\n @%p1 ld.global.u32 %w, [%rd4]; // uses",
    "guarded-shuffle": "setp.lt.u32 %p1, %v, 4000000000;\n @%p1 shfl.sync.bfly.b32 %w, %t, 1, 31, -1; // uses",
    "guarded-barrier": "setp.lt.u32 %p1, %v, 4000000000;\n @%p1 bar.sync 0; // uses",
    "loop": "mov.b32 %w, 0;\n and.b32 %r3, %v, 7;\nagain:\n add.u32 %w, %w, 1;\n setp.lt.u32 %p1, %w, %r3;\n"
    " @%p1 bra again; // uses\n st.global.u32 [%rd4], %w;",
    "barrier-number": "and.b32 %r3, %v, 0;\n mov.b32 %r4, %v;\n shr.u32 %r4, %r4, 31;\n bar.sync %r4; // uses",
    "barrier-count": "mov.u32 %r3, object;\n setp.ne.u32 %p3, %t, 0;\n or.b32 %r4, %v, 1;\n and.b32 %r4, %r4, 1;\n"
    " @!%p3 mbarrier.init.shared.b64 [%r3], %r4; // uses",
    "barrier-vote": "setp.gt.u32 %p1, %v, 7;\n bar.red.or.pred %p2, 0, %p1; // uses",
    "copied-size": "and.b32 %r3, %v, 4;\n cp.async.ca.shared.global [%r33], [%rd4], 4, %r3; // uses\n"
    " cp.async.wait_all;",
    "selected-address": "setp.gt.u32 %p1, %v, 4000000000;\n selp.b64 %rd8, %rd1, %rd4, %p1;\n"
    " ld.global.u32 %w, [%rd8]; // uses",
    "members": "or.b32 %r3, %v, 0xffffffff;\n vote.sync.any.pred %p2, %p0, %r3; // uses",
    "table": "and.b32 %r3, %v, 1;\n ts: .branchtargets one, two;\n brx.idx %r3, ts; // uses\none:\n"
    " st.global.u32 [%rd4], %t;\ntwo:",
    "pure-loop": "setp.gt.u32 %p1, %v, 4000000000;\n mov.b32 %w, %v;\nagain:\n shr.u32 %w, %w, 1;\n"
    " setp.gt.u32 %p1, %w, 3;\n @%p1 bra again; // uses\n st.global.u32 [%rd4], %w;",
    "shared-index": "and.b32 %r3, %v, 31;\n shl.b32 %r3, %r3, 2;\n add.u32 %r3, %r3, %r31;\n"
    " st.shared.u32 [%r3], %t; // uses\n",
    "atomic-index": "and.b32 %r3, %v, 31;\n mul.wide.u32 %rd6, %r3, 4;\n add.u64 %rd7, %rd2, %rd6;\n"
    " red.global.add.u32 [%rd7], 1; // uses",
    "ticket": "atom.global.add.u32 %w, [%rd2], 1; \n and.b32 %r1, %w, 31;\n mul.wide.u32 %rd6, %r1, 4;\n"
    " add.u64 %rd7, %rd1, %rd6;\n ld.global.u32 %r2, [%rd7]; // order",
    "clock": "mov.u32 %w, %clock;\n and.b32 %r1, %w, 31;\n mul.wide.u32 %rd6, %r1, 4;\n add.u64 %rd7, %rd1, %rd6;\n"
    " ld.global.u32 %r2, [%rd7]; // order",
    "active": "activemask.b32 %w;\n and.b32 %r1, %w, 31;\n mul.wide.u32 %rd6, %r1, 4;\n add.u64 %rd7, %rd1, %rd6;\n"
    " ld.global.u32 %r2, [%rd7]; // order",
    "polled": "mov.b32 %w, 0;\nagain:\n ld.acquire.gpu.global.u32 %w, [%rd2];\n setp.gt.u32 %p1, %w, 4000000000;\n"
    " @%p1 bra again; // order",
}
RACES = {
    # Two warps store the same byte. This is no race if the numbers are equal.
    "equal-loads": "ld.global.u32 %w, [%rd1];\n st.global.u32 [%rd2], %w; // two warps",
    "equal-by-chance": "shr.u32 %w, %v, 8;\n st.global.u32 [%rd2], %w; // uses two warps",
    "equal-constants": "st.global.u32 [%rd2], 5; // two warps",
}
# An index into `b` in `%w`, and its load.
LOAD = "  mul.wide.u32 %rd6, %w, 4;\n add.u64 %rd7, %rd2, %rd6;\n ld.global.u32 %r2, [%rd7]; // uses\n"
FROM_0_TO_31 = "each u32 of buffer 0 is in [0, 31]"
# Texts in which the values of `a` matter, and the condition on them. Before the condition stands `proved` or `tested`,
# or `none` before the reason why there is none.
CONDITIONS = {
    "index": ("mov.b32 %w, %v;\n" + LOAD, f"proved {FROM_0_TO_31}"),
    "index-through-shared": (
        "st.shared.u32 [%r33], %v;\n bar.sync 0;\n ld.shared.u32 %w, [%r33];\n" + LOAD,
        f"proved {FROM_0_TO_31}",
    ),
    "index-through-shuffle": ("shfl.sync.bfly.b32 %w, %v, 1, 31, -1;\n" + LOAD, f"proved {FROM_0_TO_31}"),
    "signed-index": (
        "mul.wide.s32 %rd6, %v, 4;\n add.s64 %rd7, %rd2, %rd6;\n ld.global.u32 %r2, [%rd7]; // uses",
        "proved each s32 of buffer 0 is in [0, 31]",
    ),
    "signed-index-with-offset": (
        "sub.s32 %w, %v, 2;\n mul.wide.s32 %rd6, %w, 4;\n add.s64 %rd7, %rd2, %rd6;\n"
        " ld.global.u32 %r2, [%rd7+8]; // uses",
        "proved each s32 of buffer 0 is in [0, 31]",
    ),
    "shifted-index": (
        "shl.b32 %w, %v, 2;\n cvt.u64.u32 %rd6, %w;\n add.u64 %rd7, %rd2, %rd6;\n ld.global.u32 %r2, [%rd7]; // uses",
        f"proved {FROM_0_TO_31}",
    ),
    "row-of-index": (
        "shr.u32 %r3, %v, 4;\n setp.ne.u32 %p1, %r3, 7;\n shl.b32 %w, %v, 0;\n or.b32 %w, %w, 0;\n"
        " mad.wide.u32 %rd7, %w, 4, %rd2;\n ld.global.u32 %r2, [%rd7]; // uses",
        f"proved {FROM_0_TO_31}",
    ),
    "offset-in-bytes": (
        "shl.b32 %w, %v, 2;\n st.shared.u32 [%r33], %w;\n ld.shared.u32 %r3, [%r33];\n cvt.u64.u32 %rd6, %r3;\n"
        " add.u64 %rd7, %rd2, %rd6;\n ld.global.u16 %h1, [%rd7]; // uses",
        f"proved {FROM_0_TO_31}",
    ),
    "bytes-of-16": (
        "cvt.u64.u32 %rd6, %v;\n and.b64 %rd6, %rd6, -1;\n"
        " add.u64 %rd7, %rd2, %rd6;\n ld.global.u8 %h1, [%rd7]; // uses",
        "proved each u32 of buffer 0 is in [0, 127]",
    ),
    "guarded-index": (
        "setp.lt.u32 %p1, %v, 32;\n mul.wide.u32 %rd6, %v, 4;\n add.u64 %rd7, %rd2, %rd6;\n"
        " @%p1 ld.global.u32 %r2, [%rd7]; // uses",
        f"proved {FROM_0_TO_31}",
    ),
    "branch": (
        "setp.gt.s32 %p1, %v, 99;\n @%p1 bra far; // uses\n st.global.u32 [%rd4], %t;\nfar:",
        "proved each s32 of buffer 0 is in [-2147483648, 99]",
    ),
    # Signed in the comparison, with zeros above in the address: a negative number would be far outside of `b`.
    "signed-and-extended": (
        "setp.gt.s32 %p1, %v, 99;\n @%p1 bra far; // uses\n st.shared.u32 [%r33], %t;\nfar:\n"
        " cvt.u64.u32 %rd6, %v;\n mul.lo.s64 %rd6, %rd6, 2;\n add.s64 %rd7, %rd2, %rd6;\n"
        " ld.global.u8 %h1, [%rd7+64];",
        "proved each s32 of buffer 0 is in [0, 31]",
    ),
    "two-comparisons": (
        "setp.gt.u32 %p1, %v, 99;\n setp.gt.or.u32 %p1, %v, 50, %p1;\n @%p1 bra far; // uses\n"
        " st.global.u32 [%rd4], %t;\nfar:",
        "proved each u32 of buffer 0 is in [0, 50]",
    ),
    "chosen-index": ("min.u32 %w, %v, 31;\n" + LOAD, f"proved {FROM_0_TO_31}"),
    "two-tables": (
        "mul.wide.u32 %rd6, %v, 4;\n add.u64 %rd7, %rd1, %rd6;\n ld.global.u32 %w, [%rd7]; // uses\n"
        + LOAD.replace(" // uses", ""),
        f"proved {FROM_0_TO_31}",
    ),
    "equal-stores-by-index": (
        "ld.global.u32 %w, [%rd1];\n mul.wide.u32 %rd6, %w, 4;\n add.u64 %rd7, %rd2, %rd6;\n"
        " ld.global.u32 %r2, [%rd7]; // uses two warps\n st.shared.u32 [room], %r2;",
        "proved each u32 of buffer 0 is in [0, 63]",
    ),
    "steps": (
        "ld.global.u32 %w, [%rd3];\n setp.eq.u32 %p1, %t, 31;\n @!%p1 ld.global.u32 %w, [%rd3+4];\n"
        " setp.lt.u32 %p2, %w, %v;\n @%p2 bra far; // uses\n st.global.u32 [%rd4], %t;\nfar:",
        "proved each u32 of buffer 0 is in [0, 4294967295], and not less than the element before",
    ),
    "half": ("shr.u32 %w, %v, 1;\n" + LOAD, f"tested {FROM_0_TO_31}"),
    "stored-at-index": (
        "and.b32 %w, %v, 31;\n mul.wide.u32 %rd6, %w, 4;\n add.u64 %rd7, %rd2, %rd6;\n"
        " red.global.add.u32 [%rd7], 1; // uses",
        "none the decision is neither a comparison nor the address of a load",
    ),
    "loaded-where-others-store": (
        "st.global.u32 [%rd4], %t;\n bar.sync 0;\n mov.b32 %w, %v;\n" + LOAD,
        "none the address leads to a buffer that the kernel writes",
    ),
    "product-of-elements": (
        "mul.lo.u32 %w, %v, %v;\n and.b32 %w, %w, 31;\n" + LOAD,
        f"tested {FROM_0_TO_31}",
    ),
    "float": (
        "cvt.rn.f32.u32 %f1, %v;\n setp.gt.f32 %p1, %f1, 0f42C80000;\n @%p1 bra far; // uses\n"
        " st.global.u32 [%rd4], %t;\nfar:",
        f"tested {FROM_0_TO_31}",
    ),
}
# Texts without a mark hold for all contents.
FREE = {
    "overwritten-register": "mov.b32 %w, %v;\n st.global.u32 [%rd4], %w;\n mov.b32 %w, %t;\n"
    + INDEX.replace(" // uses", ""),
    "overwritten-shared": "st.shared.u32 [%r33], %v;\n bar.sync 0;\n ld.shared.u32 %w, [%r33];\n"
    " st.global.u32 [%rd4], %w;\n bar.sync 0;\n st.shared.u32 [%r33], %t;\n bar.sync 0;\n ld.shared.u32 %w, [%r33];\n"
    + INDEX.replace(" // uses", ""),
    "overwritten-global": "st.global.u32 [%rd4], %t;\n ld.global.u32 %w, [%rd4];\n" + INDEX.replace(" // uses", ""),
    "overwritten-local": "st.local.u32 [own], %v;\n st.local.u32 [own], %t;\n ld.local.u32 %w, [own];\n"
    + INDEX.replace(" // uses", ""),
    "beside-in-vector": "st.shared.v2.u32 [room+1024], {%t, %v};\n bar.sync 0;\n ld.shared.u32 %w, [room+1024];\n"
    + INDEX.replace(" // uses", ""),
    "not-selected": "setp.lt.u32 %p1, %t, 99;\n mov.b32 %w, 5;\n @!%p1 mov.b32 %w, %v;\n"
    + INDEX.replace(" // uses", ""),
    "argument-of-call": "{ .param .b32 x;\n .param .b32 y;\n st.param.b32 [x], %t;\n call (y), passed, (x);\n"
    " ld.param.b32 %w, [y]; }\n" + INDEX.replace(" // uses", ""),
    "parameter": "mov.b32 %w, %r30;\n" + INDEX.replace(" // uses", ""),
    "prefetch-of-own": "prefetch.global.L2 [%rd3];",
    "choice-between-data": "setp.gt.u32 %p1, %v, 7;\n mov.b32 %w, %v;\n @%p1 bra far;\n add.u32 %w, %w, 2;\nfar:\n"
    + STORE,
    "counted": "red.global.add.u32 [%rd2], %v;",
}


def texts():
    for name, move in MOVES.items():
        # The number that an exchange returns also depends on the order of the threads.
        yield f"{name} as an index", move + "\n" + (INDEX.replace("uses", "order") if name == "atomic" else INDEX)
        yield f"{name} as data", move + "\n" + STORE
    yield from USES.items()
    yield from RACES.items()
    for name, (text, _) in CONDITIONS.items():
        yield f"condition: {name}", text
    yield from FREE.items()


FILLED = ("fill:u32:{n}:0x7fc00000", "fill:u32:{n}:0xffffffff", "zeros:u32:{n}")
CONTENTS = ("random:u32:{n}:{i}", "random:f32:{n}:{i}", *FILLED)
SCHEDULES = ("eager", "lazy", "early", "1", "2", "3")


def found_by_others(launch, threads, count):
    """Returns a finding of a launch with other contents, or None."""
    for i in range(count):
        made = [CONTENTS[(i + k) % len(CONTENTS)].format(n=threads, i=i + k) for k in range(2)]
        command = [*launch, f"--schedule={SCHEDULES[i % len(SCHEDULES)]}", *made, "5"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return f"with {' '.join(made)}, status {done.returncode}: {(done.stdout + done.stderr)[:400]}"
    return None


def wrong(ptxray, folder, name, text, others):
    """Returns the problem with the certificate of a text, or None."""
    source = HEAD.format(text)
    marks = [(i + 1, m[1]) for i, line in enumerate(source.split("\n")) if (m := re.search(r"// (uses|order)", line))]
    stem = re.sub(r"\W", "_", name)
    path, result = folder / f"{stem}.ptx", folder / f"{stem}.json"
    path.write_text(source)
    threads = 128 if "wgmma" in text else 64 if "two warps" in text else 32
    launch = [ptxray, "run", "--no-config", "--emulate", "--kernel=k", f"--block={threads}", path]
    arguments = [f"iota:u32:{threads}", f"zeros:u32:{threads}", "5"]
    done = subprocess.run([*launch, f"--certify={result}", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        return f"status {done.returncode}: {(done.stdout + done.stderr)[:400]}"
    found = json.loads(result.read_text())
    said = [(one["line"], "uses") for one in found["depends"]]
    said += [(one.get("line"), "order") for one in found["obstacles"]]
    expected = "this-run" if any(kind == "order" for _, kind in marks) else "some-contents" if marks else "all-contents"
    if found["verdict"] != expected or not all(mark in said for mark in marks):
        return f"expected {expected} {marks}, found {found['verdict']}: {found['summary']}"
    if expected == "some-contents" and [one["buffer"] for one in found["depends"]] != ["0"]:
        return f"names {found['depends']}"
    if name.startswith("condition: "):
        said = [("proved " if one["proved"] else "tested ") + one["text"] for one in found["conditions"]]
        said += ["none " + one["text"] for one in found["unconditional"] if not said]
        if said != [CONDITIONS[name.removeprefix("condition: ")][1]]:
            return f"conditions {said}"
    return found_by_others(launch, threads, others) if expected == "all-contents" else None


def main():
    ptxray, *named = sys.argv[1:]
    others = 0
    if named[:1] == ["--random"]:
        others, named = int(named[1]), named[2:]
    chosen = [one for one in texts() if not named or any(word in one[0] for word in named)]
    if not chosen:
        sys.exit("no text has this name")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda one: wrong(ptxray, pathlib.Path(folder), *one, others), chosen))
    for (name, _), problem in zip(chosen, problems):
        if problem:
            print(f"{name}: {problem}")
    print(f"{len(chosen) - sum(map(bool, problems))} of {len(chosen)} certificates are right")
    return any(problems)


if __name__ == "__main__":
    sys.exit(main())
