"""Defines families of valid modules that no compiler makes: `FAMILIES[name](n)` is a module whose length grows with n.

Every reader of PTX must process them on a small stack, in time and memory proportional to the text.
`runner/hostile_bodies.py` runs all commands, and `speed/hostile_graphs.py` measures `check` on the largest modules.
Small modules are seeds of the fuzzers."""

HEAD = """.version 9.0
.target sm_90a
.address_size 64
.func helper(.param .b32 a) {{ ret; }}
.visible .entry k(.param .u64 out, .param .u32 n, .param .align 64 .b8 map[128])
.reqntid 256
{{
.reg .pred %p<{predicates}>;
.reg .b32 %r<{registers}>;
.reg .b64 %rd<{wide}>;
.shared .align 128 .b8 tile[16384];
.shared .align 128 .b8 other[16384];
.shared .align 8 .b64 bars[8];
ld.param.u64 %rd1, [out];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
mov.u32 %r3, tile;
mov.u32 %r4, other;
mov.u32 %r5, 0;
mov.u32 %r6, bars;
setp.lt.u32 %p1, %r2, %r1;
setp.eq.u32 %p2, %r2, 0;
"""
TAIL = "st.global.u32 [%rd1], %r2;\nret;\n}\n"
FIRST = 10  # number of the first register that a family may use


def kernel(body, predicates=8, registers=FIRST + 2, wide=FIRST):
    return HEAD.format(predicates=predicates, registers=registers, wide=wide) + body + TAIL


def lines(pattern, n):
    """Returns `pattern` n times. {i} is the index of the repetition, {a} is its own register, and {b} and {c} are
    the next two."""
    return "".join(pattern.format(i=i, a=FIRST + i, b=FIRST + i + 1, c=FIRST + i + 2) for i in range(n))


def repeated(pattern, a_turn=1, before="", after=""):
    """Returns a family with `pattern` on consecutive lines, each of which has `a_turn` registers of its own."""

    def family(n):
        count = FIRST + a_turn * n + 3
        body = before.format(n=n) + lines(pattern, n) + after.format(n=n, last=FIRST + n)
        return kernel(body, predicates=count, registers=count, wide=count)

    return family


# ------------------------------------------------------------------------------------------------- graphs


def deep_loops(n):
    """Returns nested loops."""
    heads = "".join(f"L{i}:\nadd.u32 %r{i + 10}, %r{i + 11}, 1;\n" for i in range(n))
    tails = "".join(f"setp.lt.u32 %p2, %r{i + 10}, %r1;\n@%p2 bra L{i};\n" for i in reversed(range(n)))
    return kernel(f"mov.u32 %r{n + 10}, 0;\n" + heads + tails, registers=n + 12)


def deep_branches(n):
    """Returns nested conditions: the code that a condition skips contains the next condition."""
    heads = lines("setp.lt.u32 %p{a}, %r2, {i};\n@%p{a} bra L{i};\nmov.u32 %r{a}, {i};\n", n)
    return kernel(heads + "".join(f"L{i}:\n" for i in reversed(range(n))), predicates=n + FIRST, registers=n + FIRST)


def deep_scopes(n):
    """Returns nested braces of the maximum depth, repeatedly."""
    depth = 100
    nest = "{{ .reg .b32 %s{i}; mov.u32 %s{i}, {i};\n" * depth + "}}\n" * depth
    return kernel("".join(nest.format(i=i) for i in range(n // depth + 1)))


def table(n):
    """Returns branches with one list of all labels."""
    labels = ", ".join(f"B{i}" for i in range(n))
    body = lines("B{i}:\nadd.u32 %r{a}, %r2, 1;\nbrx.idx %r2, T;\n", n)
    return kernel(f"T: .branchtargets {labels};\n" + body, registers=n + FIRST)


def tables(n):
    """Returns a separate list after each label."""
    body = "".join(
        f"T{i}: .branchtargets B{i}, B{n // 2}, B{n - 1 - i};\nB{i}:\nadd.u32 %r{i + 10}, %r2, 1;\nbrx.idx %r2, T{i};\n"
        for i in range(n)
    )
    return kernel(body, registers=n + FIRST)


def functions(n):
    """Returns functions that each call the previous one, and a last one that calls all of them."""
    head = ".version 9.0\n.target sm_90a\n.address_size 64\n.func f0() { ret; }\n"
    chain = "".join(f".func f{i}() {{ call f{i - 1}; bar.sync 0; ret; }}\n" for i in range(1, n))
    return head + chain + ".visible .entry k() {\n" + "".join(f"call f{i};\n" for i in range(n)) + "ret;\n}\n"


def variables(n):
    """Returns variables that each hold the address of the previous one."""
    head = ".version 9.0\n.target sm_90a\n.address_size 64\n.global .u64 v0 = 0;\n"
    chain = "".join(f".global .u64 v{i} = v{i - 1};\n" for i in range(1, n))
    return head + chain + f".visible .entry k() {{ .reg .b64 %rd1; ld.global.u64 %rd1, [v{n - 1}]; ret; }}\n"


FAMILIES = {
    "ladder": repeated("L{a}:\n@%p1 bra L{b};\nadd.u32 %r{a}, %r2, {i};\n", after="L{last}:\n"),
    "irreducible": repeated(
        "@%p1 bra M{i};\nL{i}:\nadd.u32 %r5, %r5, 1;\n"
        "M{i}:\nadd.u32 %r{a}, %r5, %r2;\nsetp.lt.u32 %p3, %r5, %r1;\n@%p3 bra L{i};\n"
    ),
    "deep-loops": deep_loops,
    "deep-branches": deep_branches,
    "deep-scopes": deep_scopes,
    "table": table,
    "tables": tables,
    "functions": functions,
    "variables": variables,
    "calls": repeated(
        "{{ .param .b32 a{i}; st.param.b32 [a{i}], %r2; call helper, (a{i}); }}\n@%p1 bra L{i};\nL{i}:\n"
    ),
    # ------------------------------------------------------------------------------------------- values
    "straight": repeated("add.u32 %r{a}, %r2, {i};\n"),
    "chain": repeated("add.u32 %r{b}, %r{a}, 1;\n", before="mov.u32 %r10, %tid.x;\n"),
    "two-writers": repeated(
        "add.u32 %r{b}, %r{a}, 1;\n@%p1 add.u32 %r{b}, %r{a}, 2;\n",
        before="mov.u32 %r10, %r2;\n",
        after="add.u32 %r9, %r3, %r{last};\nst.shared.u32 [%r9], %r2;\n",
    ),
    "one-register": repeated(
        "@%p1 add.u32 %r9, %r9, {i};\nadd.u32 %r{a}, %r3, %r9;\nst.shared.u32 [%r{a}], %r2;\n",
        before="mov.u32 %r9, 0;\n",
    ),
    "two-registers": repeated("mov.u32 %r8, %r9;\nadd.u32 %r9, %r8, %r2;\n", before="mov.u32 %r9, 0;\n"),
    "unwritten": repeated("@%p1 bra L{i};\nmov.u32 %r{a}, 1;\nmov.u32 %r9, 1;\nL{i}:\nst.global.u32 [%rd1], %r{a};\n"),
    "diamonds": repeated(
        "@%p1 bra E{i};\nadd.u32 %r{b}, %r{a}, 4;\nbra J{i};\nE{i}:\nadd.u32 %r{b}, %r{a}, 8;\nJ{i}:\n",
        before="mov.u32 %r10, tile;\n",
        after="st.shared.u32 [%r{last}], %r2;\n",
    ),
    "doubling": repeated(
        "xor.b32 %r{c}, %r{b}, %r{a};\nadd.u32 %r9, %r3, %r{c};\n@%p1 st.shared.u32 [%r9], %r2;\n",
        before="and.b32 %r10, %r2, 127;\nand.b32 %r11, %r2, 127;\n",
    ),
    "counters": repeated(
        "mov.u32 %r{a}, 0;\nL{i}:\nshl.b32 %r8, %r{a}, 2;\nadd.u32 %r9, %r3, %r8;\n@%p1 st.shared.u32 [%r9], %r2;\n"
        "add.u32 %r{a}, %r{a}, 1;\nsetp.lt.u32 %p3, %r{a}, 60000;\n@%p3 bra L{i};\n"
    ),
    "backward-chain": repeated(
        "mov.u32 %r{a}, %r{b};\n",
        before="L:\n",
        after="add.u32 %r{last}, %r10, 1;\nadd.u32 %r9, %r3, %r10;\nst.shared.u32 [%r9], %r2;\n@%p1 bra L;\n",
    ),
    "addresses": repeated(
        "mov.b64 %rd{b}, %rd{a};\nadd.u64 %rd{b}, %rd{b}, 4;\nselp.b64 %rd{b}, %rd{a}, %rd{b}, %p1;\n"
        "cvt.u32.u64 %r{b}, %rd{b};\ncvt.u64.u32 %rd{b}, %r{b};\n",
        before="cvta.shared.u64 %rd9, tile;\ncvta.to.shared.u64 %rd10, %rd9;\n",
        after="st.shared.u32 [%rd{last}], %r2;\n",
    ),
    "shared-choices": repeated(
        "selp.b32 %r{c}, %r{b}, %r{a}, %p1;\nst.shared.u32 [%r{c}], %r2;\n",
        before="mov.u32 %r10, tile;\nmov.u32 %r11, other;\n",
    ),
    "predicates": repeated(
        "and.pred %p{b}, %p{a}, %p1;\nnot.pred %p{b}, %p{b};\n@%p{b} xor.b32 %r{a}, %r2, {i};\n",
        before="setp.lt.u32 %p10, %r2, 32;\n",
        after="@%p{last} bar.sync 0;\n",
    ),
    "guards": repeated(
        "@%p{a} setp.lt.u32 %p{b}, %r2, {i};\n",
        before="setp.lt.u32 %p10, %r2, 9;\n",
        after="@%p{last} bra S;\nbar.sync 0;\nS:\n",
    ),
    "lanes": repeated(
        "shfl.sync.bfly.b32 %r{b}|%p3, %r{a}, 1, 31, -1;\nvote.sync.ballot.b32 %r9, %p3, -1;\n",
        before="mov.u32 %r10, %laneid;\n",
    ),
    # ------------------------------------------------------------------------------- asynchronous operations
    "barriers": repeated(
        "setp.lt.u32 %p3, %r2, {i};\n@%p3 bra L{i};\nbar.sync 1, 32;\nwgmma.fence.sync.aligned;\nL{i}:\n"
    ),
    "groups": repeated(
        "cp.async.ca.shared.global [%r3], [%rd1], 16;\ncp.async.commit_group;\ncp.async.wait_group 2;\n"
    ),
    "groups-of-stages": repeated(
        "add.u32 %r{a}, %r3, {i};\nand.b32 %r{a}, %r{a}, 0xfffffff0;\ncp.async.ca.shared.global [%r{a}], [%rd1], 16;\n"
        "cp.async.commit_group;\n@%p1 bra L{i};\ncp.async.wait_group 0;\nbar.sync 0;\n"
        "ld.shared.u32 %r9, [%r{a}];\nL{i}:\n"
    ),
    "pipelines": repeated(
        "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [bars], 128;\n"
        "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bars];\n"
        "W{i}:\nmbarrier.try_wait.parity.shared.b64 %p3, [bars], %r5;\n@!%p3 bra W{i};\n"
        "ld.shared.u32 %r{a}, [tile];\nxor.b32 %r5, %r5, 1;\nbar.sync 0;\n",
        before="@%p2 mbarrier.init.shared.b64 [bars], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n",
    ),
    "pipelines-by-register": repeated(
        "add.u32 %r{b}, %r{a}, 8;\n@%p1 mov.u32 %r{b}, %r6;\n"
        "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r{b}], 128;\n"
        "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r{b}];\n"
        "W{i}:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r{b}], %r5;\n@!%p3 bra W{i};\nld.shared.u32 %r9, [tile];\n",
        before="@%p2 mbarrier.init.shared.b64 [bars], 1;\nbar.sync 0;\nmov.u32 %r10, bars;\n",
    ),
    "products": repeated(
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%r10, %r11, %r12, %r13}}, %rd2, %rd2, 1, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
        before="mov.u64 %rd2, 0;\nmov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n",
    ),
}
