#!/usr/bin/env python3
"""Tests on both sides of each limit whether ptxray predicts the errors of code generation.

edges.py PTXRAY PTXAS [--rounds N] [--seed S] [--rule ID] [--arch SM] [--both-sides] [--show] [--misjudged N]

Each round makes modules just inside and just outside the limit of a `codegen-*` rule, with other numbers,
instructions, and paths from a kernel to the code. ptxas compiles each of them. ptxray must report an error if ptxas
reads a module but rejects it, and none if ptxas compiles it. With --both-sides, ptxas must reject one module and
compile one for every rule and every target that has the instructions. --misjudged N allows N wrong verdicts. ptxray
knows the minimum number of registers that an instruction needs, but not how many ptxas assigns to a function. This
number decides if a kernel takes the address of a function and both are compiled separately. A function that only
unreachable code calls needs fewer registers. Exit status 77: there is no ptxas. With PTXRAY_REQUIRE=ptxas (or all),
this is a failure."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TARGETS = ["sm_80", "sm_90a", "sm_100a", "sm_120a"]
SHARED = {
    "sm_90a": 232448,
    "sm_100a": 232448,
    "sm_103a": 232448,
    "sm_110a": 232448,
    "sm_120a": 101376,
    "sm_121a": 101376,
}

Module = collections.namedtuple("Module", "rule arch text link options", defaults=[()])
REGISTERS = (
    "  .reg .pred %p<4>;\n  .reg .b32 %r<300>;\n  .reg .b64 %rd<20>;\n  .reg .f32 %f<300>;\n  .reg .f64 %fd<40>;\n"
)


def header(target, more=""):
    return f".version 9.0\n.target {target}{more}\n.address_size 64\n"


def body(code):
    return "\n{\n" + REGISTERS + "  " + code.replace("\n", "\n  ").rstrip() + "\n  ret;\n}\n"


def names(prefix, count, first=0):
    return "{" + ", ".join(f"{prefix}{i}" for i in range(first, first + count)) + "}"


# ---- ways from a kernel to the code of a function, and not


def reached(rng, code, head="", before="", kernel_code=""):
    """Returns a module's functions and kernels, one of which reaches the code."""
    way = rng.choice(["own", "own", "call", "through", "address", "initial", "indirect", "alias", "unreachable", "two"])
    kernel = ".visible .entry kernel()" + head
    function = ".func callee()" + body(code)
    if way == "own":
        return before + kernel + body(kernel_code + code)
    if way == "unreachable":
        return before + function + kernel + body(kernel_code + "ret;\ncall callee;")
    if way == "call":
        return before + function + kernel + body(kernel_code + "call callee;")
    if way == "two":
        return (
            before
            + function
            + ".visible .entry other()"
            + body("call callee;")
            + kernel
            + body(kernel_code + "call callee;")
        )
    if way == "through":
        return before + function + ".func middle()" + body("call callee;") + kernel + body(kernel_code + "call middle;")
    if way == "alias":
        return before + function + ".func name();\n.alias name, callee;\n" + kernel + body(kernel_code + "call name;")
    if way == "address":
        return before + function + kernel + body(kernel_code + "mov.u64 %rd9, callee;\nst.global.u64 [%rd9], %rd9;")
    table = ".global .u64 table[2] = {callee, 0};\n"
    if way == "initial":
        return (
            before
            + function
            + table
            + kernel
            + body(kernel_code + "ld.global.u64 %rd9, [table];\nst.global.u64 [%rd9], %rd9;")
        )
    call = "ld.global.u64 %rd9, [%rd8];\nprototype: .callprototype _ ();\ncall %rd9, prototype;"
    return before + function + table + kernel + body(kernel_code + call)


def unreached(rng, code, head="", before="", kernel_code=""):
    kernel = ".visible .entry kernel()" + head
    function = ".func callee()" + body(code)
    way = rng.choice(["uncalled", "other", "list"])
    if way == "uncalled":
        return before + function + kernel + body(kernel_code)
    if way == "list":
        call = "ld.global.u64 %rd9, [%rd8];\nlist: .calltargets callee;\ncall %rd9, list;"
        return before + function + kernel + body(kernel_code + call)
    return before + function + ".visible .entry other()" + body("call callee;") + kernel + body(kernel_code)


# ---- registers


def wgmma(rng):
    n = 8 * rng.randint(1, 32)
    dtype, atype, k = rng.choice(
        [
            ("f32", "f16", 16),
            ("f16", "f16", 16),
            ("f32", "bf16", 16),
            ("f32", "tf32", 8),
            ("f32", "e4m3", 32),
            ("f16", "e5m2", 32),
            ("s32", "s8", 32),
        ]
    )
    if dtype == "s32" and n > 24:
        n = max(16, n // 16 * 16)
    sparse, in_registers = rng.random() < 0.3, rng.random() < 0.5
    count = n // (4 if dtype == "f16" else 2)
    need = 26 + count + sparse + (4 if in_registers else 0)
    if in_registers and dtype == "f16" and n > 8 and n % 16 == 8:
        need = 32 + count
    register = "%f" if dtype == "f32" else "%r"
    tail = "1, 1" + ("" if atype not in ("f16", "bf16") else ", 0" if in_registers else ", 0, 0")
    tail = "%p0" + ("" if dtype == "s32" else ", " + tail)
    a = names("%r", 4, 290) if in_registers else "%rd1"
    code = (
        "ld.global.u64 %rd1, [%rd0];\nld.global.u64 %rd2, [%rd0];\n"
        "setp.ne.u64 %p0, %rd1, 0;\nwgmma.fence.sync.aligned;\n"
        f"wgmma.mma_async{'.sp' * sparse}.sync.aligned.m64n{n}k{k * (1 + sparse)}.{dtype}.{atype}.{atype} "
        f"{names(register, count)}, {a}, %rd2, {'%r280, 0, ' * sparse}{tail};\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        f"st.global.b32 [%rd0], {register}0;\n"
    )
    return code, need


def tcgen05(rng):
    shape, per = rng.choice([("32x32b", 1), ("16x64b", 1), ("16x128b", 2), ("16x256b", 4)])
    count = rng.choice([8, 16, 32, 64, 128])
    number = count // per
    if rng.random() < 0.5:
        return f"tcgen05.ld.sync.aligned.{shape}.x{number}.b32 {names('%r', count)}, [%r280];\n" + (
            "tcgen05.wait::ld.sync.aligned;\nst.global.b32 [%rd0], %r0;\n" if rng.random() < 0.7 else ""
        ), 18 + count
    return f"tcgen05.st.sync.aligned.{shape}.x{number}.b32 [%r280], {names('%r', count)};\n", 18 + count


MMA = [
    ("m16n8k16.row.col.f32.f16.f16.f32", "%f", 4, 4, 2, 4),
    ("m16n8k16.row.col.f32.bf16.bf16.f32", "%f", 4, 4, 2, 4),
    ("m16n8k16.row.col.f16.f16.f16.f16", "%r", 2, 4, 2, 2),
    ("m16n8k8.row.col.f32.f16.f16.f32", "%f", 4, 2, 1, 4),
    ("m16n8k8.row.col.f32.tf32.tf32.f32", "%f", 4, 4, 2, 4),
    ("m16n8k4.row.col.f32.tf32.tf32.f32", "%f", 4, 2, 1, 4),
    ("m16n8k32.row.col.s32.s8.u8.s32", "%r", 4, 4, 2, 4),
    ("m16n8k16.row.col.s32.s8.s8.s32", "%r", 4, 2, 1, 4),
    ("m16n8k64.row.col.s32.s4.s4.s32", "%r", 4, 4, 2, 4),
    ("m16n8k256.row.col.s32.b1.b1.s32.and.popc", "%r", 4, 4, 2, 4),
    ("m16n8k128.row.col.s32.b1.b1.s32.and.popc", "%r", 4, 2, 1, 4),
    ("m8n8k4.row.col.f64.f64.f64.f64", "%fd", 2, 1, 1, 2),
]


def mma(rng):
    words, register, d, a, b, c = rng.choice(MMA)
    ab = "%fd" if "f64" in words else "%r"
    base = 20 if ab == "%fd" else 290
    need = 18 + (a + b + c) * (2 if ab == "%fd" else 1)
    return (
        f"mma.sync.aligned.{words} {names(register, d)}, {names(ab, a, base)}, {names(ab, b, base + a)}, "
        f"{names(register, c)};\n" + (f"st.global.b32 [%rd0], {register}0;\n" if register != "%fd" else "")
    ), need


def double_mma(rng):
    k, a, b = rng.choice([(4, 2, 1), (8, 4, 2), (16, 8, 4)])
    return (
        f"mma.sync.aligned.m16n8k{k}.row.col.f64.f64.f64.f64 {names('%fd', 4)}, {names('%fd', a, 8)}, "
        f"{names('%fd', b, 20)}, "
        f"{names('%fd', 4)};\nst.global.f64 [%rd0], %fd0;\n"
    ), 64


def bound_head(rng, arch, wanted):
    """Returns the head of a kernel that leaves about the given number of registers."""
    kind = rng.choice(["maxnreg", "maxnreg", "threads", "blocks", "both", "all"])
    if kind == "maxnreg":
        return f" .maxnreg {max(1, wanted)}"
    steps = [(256, 255), (384, 168), (512, 128), (640, 96), (768, 80), (896, 72), (1024, 64)]
    threads = min(steps, key=lambda step: (abs(step[1] - wanted), rng.random()))[0] + rng.choice(
        [0, 0, 1, -1, -31, 32, 128]
    )
    threads = max(1, min(1024, threads))
    word = rng.choice([".maxntid", ".reqntid"])
    size = f" {word} {threads}" if rng.random() < 0.6 or threads % 2 else f" {word} {threads // 2}, 2"
    if kind == "threads":
        return size
    if kind == "both":
        return f" .maxnreg {wanted}" + size
    blocks = rng.randint(1, 10)
    part = max(1, threads // blocks)
    size = f" {word} {part} .minnctapersm {blocks}"
    return size if kind == "blocks" else f" .maxnreg {wanted + rng.randint(-2, 40)}" + size


def products(arch):
    """Returns code that needs many registers on that target."""
    return [mma, wgmma] if arch == "sm_90a" else [mma, tcgen05] if arch[:5] in ("sm_10", "sm_11") else [mma]


def registers(rng, arch):
    kinds = products(arch)
    if arch >= "sm_9" or len(arch) > 6:
        kinds.append(double_mma)
    code, need = rng.choice(kinds[::-1] + kinds[1:])(rng)
    wanted = need + rng.choice([-9, -2, -1, -1, 0, 0, 1, 3])
    make = unreached if rng.random() < 0.1 else reached
    return header(arch) + make(rng, code, bound_head(rng, arch, wanted))


def told(rng, text, wanted):
    """Returns a module and options of ptxas that limit its kernels to about this number of registers, in addition to
    the module's directives or in place of them."""
    count = rng.choice([*range(wanted - 2, wanted + 3), 8, 24, 32, 64, 168, 255, 300, "archmin", "archmax"])
    registers = [f"{rng.choice(['-', '--'])}maxrregcount={count}"]
    threads = ["-maxntid=" + rng.choice(["64", "128", "256", "32,8", "384", "512", "1024", "16,16,2"])]
    blocks = [f"-minnctapersm={rng.choice([1, 1, 2, 3, 4, 8])}"]
    options = rng.choice([registers, registers, registers + threads, threads, blocks, threads + blocks])
    return text, options + ["--override-directive-values"] * (rng.random() < 0.4)


def registers_by_options(rng, arch):
    code, need = rng.choice(products(arch))(rng)
    head = "" if rng.random() < 0.4 else bound_head(rng, arch, need + rng.choice([-2, -1, 0, 1]))
    return told(rng, header(arch) + reached(rng, code, head), need)


def changes_by_options(rng, arch):
    if not arch.endswith(("a", "f")):
        return None
    count = 8 * rng.randint(3, 32)
    code = f"setmaxnreg.dec.sync.aligned.u32 {count};\n"
    head = "" if rng.random() < 0.4 else bound_head(rng, arch, count + rng.choice([-8, 0, 8]))
    return told(rng, header(arch) + ".visible .entry kernel()" + head + body(code), count)


def register_change(rng, arch):
    if not arch.endswith(("a", "f")):
        return None
    grown = [8 * rng.randint(3, 32) for _ in range(rng.choice([0, 0, 1, 2]))]
    bound = rng.choice([24, 40, 64, 71, 80, 96, 128, 160, 168, 200, 232, 254, 255, 300])
    near = rng.choice(grown) if grown else bound
    lower = max(24, min(256, (near + rng.choice([-8, 0, 0, 4, 8])) // 8 * 8))
    changes = [f"setmaxnreg.inc.sync.aligned.u32 {n};" for n in grown] + [f"setmaxnreg.dec.sync.aligned.u32 {lower};"]
    rng.shuffle(changes)
    code = "\n".join(changes) + "\n"
    if rng.random() < 0.2:
        code = "ret;\n" + code
    return header(arch) + reached(rng, code, bound_head(rng, arch, bound))


# ---- memory


def variable(rng, name, size, space=".shared"):
    align = rng.choice([0, 0, 1, 4, 8, 16, 64, 128, 1024])
    return f"{space} {f'.align {align} ' if align else ''}.b8 {name}[{size}];"


def shared_size(rng, arch):
    limit = SHARED.get(arch, 49152)
    count = rng.randint(2, 5)
    cuts = sorted(rng.randrange(1, limit) for _ in range(count - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, limit + rng.choice([-200, -16, -1, 0, 1, 8, 127])]) if b > a]
    module, kernel, callees, before = "", "", {}, ""
    for i, size in enumerate(sizes):
        where = rng.choice(["module", "module", "kernel", "f", "F", "_a", "a", "f10", "f2"])
        declaration = variable(rng, f"v{i}", size)
        if where == "module":
            module += rng.choice(["", "", ".visible ", ".weak ", ".extern "]) + declaration + "\n"
            kernel += f"mov.u32 %r1, v{i};\nst.shared.u32 [%r1], %r2;\n"
        elif where == "kernel":
            kernel += declaration + "\n"
        else:
            callees.setdefault(where, "")
            callees[where] += declaration + "\n"
    if rng.random() < 0.3:
        module += f".shared .v{rng.choice([2, 4])}.b32 vector;\n"
        kernel += "mov.u32 %r1, vector;\nst.shared.u32 [%r1], %r2;\n"
    if rng.random() < 0.3:
        module += f".extern .shared .align {rng.choice([1, 16, 128, 1024])} .b8 dynamic[];\n"
    if rng.random() < 0.2:
        module += variable(rng, "unused", 5000) + "\n"
    if rng.random() < 0.2:
        module += ".extern " + variable(rng, "sized", 64) + "\n"
        kernel += "mov.u32 %r1, sized;\nst.shared.u32 [%r1], %r2;\n" if rng.random() < 0.5 else ""
    order = list(callees)
    rng.shuffle(order)
    for name in order:
        before += f".func {name}()" + body(callees[name])
        kernel += f"call {name};\n"
    return (
        header(arch) + reached(rng, kernel, "", module + before)
        if rng.random() < 0.5
        else header(arch) + module + before + ".visible .entry kernel()" + body(kernel)
    )


def constant_size(rng, arch):
    total = 65536 + rng.choice([-100, -8, -1, 0, 1, 7, 100])
    cuts = sorted(rng.randrange(1, total) for _ in range(rng.randint(1, 4)))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, total]) if b > a]
    text, inside = "", ""
    for i, size in enumerate(sizes):
        if rng.random() < 0.2:
            inside += variable(rng, f"c{i}", size, ".const") + "\n"
        else:
            text += (
                variable(
                    rng,
                    f"c{i}",
                    size,
                    rng.choice([".const", ".const", ".visible .const", ".extern .const", ".weak .const"]),
                )
                + "\n"
            )
    return header(arch) + text + ".visible .entry kernel()" + body(inside)


# ---- textures, branches


def opaque_count(rng, arch):
    kind, most, use, mode = rng.choice(
        [
            (".texref", 256, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [v%d, {%f4, %f5}];", ""),
            (".surfref", 32, "suld.b.1d.b32.trap {%r0}, [v%d, {%r1}];", ""),
            (".surfref", 32, "suq.width.b32 %r0, [v%d];", ""),
            (
                ".samplerref",
                32,
                "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, v%d, {%f4, %f5}];",
                ", texmode_independent",
            ),
            (".texref", 256, "mov.u64 %rd0, v%d;\nst.global.u64 [%rd0], %rd0;", ""),
        ]
    )
    count = most + rng.choice([-1, 0, 1, 5])
    declared = ".global .texref t;\n" * (kind == ".samplerref")
    declared += "".join(f".global {kind} v{i};\n" for i in range(count + rng.choice([0, 3])))
    uses = [use.replace("%d", str(i)) for i in range(count)]
    split = rng.randint(0, count)
    overlap = rng.randint(0, split)
    return header(arch, mode) + reached(
        rng, "\n".join(uses[overlap:]) + "\n", "", declared, "\n".join(uses[:split]) + "\n" if split else ""
    )


def branch_table(rng, arch):
    count = 16380 + rng.choice([-1, 0, 1, 2, 300])
    labels = [f"L{i % rng.randint(1, 3)}" for i in range(count)]
    index = rng.choice(["ld.global.u32 %r0, [%rd0];", "ld.global.u32 %r0, [%rd0];", "mov.u32 %r0, 1;"])
    before = rng.choice(["", "", "ret;\n"])
    code = (
        f"{index}\n{before}list: .branchtargets {', '.join(labels)};\nbrx.idx %r0, list;\n"
        "L0: st.global.u32 [%rd0], %r0;\nL1: st.global.u32 [%rd0+4], %r0;\nL2: ret;\n"
    )
    return header(arch) + rng.choice([reached, reached, unreached])(rng, code)


# ---- the ABI, symbols, pragmas

SEVERAL = ".func (.reg .b32 a, .reg .b32 b) several()\n{\n  mov.u32 a, 1;\n  mov.u32 b, 2;\n  ret;\n}\n"
ONE = ".func (.reg .b32 a) several()\n{\n  mov.u32 a, 1;\n  ret;\n}\n"
PRINT = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"


def abi(rng, arch):
    code = rng.choice(
        [
            "ld.global.u64 %rd1, [%rd0];\nprototype: .callprototype _ ();\ncall %rd1, prototype;\n",
            "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\ncall (r), vprintf, (f, a);\n}\n",
            "mov.u64 %rd1, helper;\nst.global.u64 [%rd0], %rd1;\n",
            "call helper;\n",
            f".local .b8 scratch[{0x1000000 + rng.choice([-1, 0, 1, 0x1000000])}];\n",
            "",
        ]
    )
    before = rng.choice([SEVERAL, SEVERAL, ONE]) + PRINT * ("vprintf" in code) + ".func helper()" + body("")
    kernel = ".visible .entry kernel()"
    if rng.random() < 0.4 and "local" not in code:
        return header(arch) + before + ".func user()" + body(code) + kernel + body(rng.choice(["call user;", ""]))
    return header(arch) + before + kernel + body(code)


def recursion(rng, arch):
    several = rng.choice([SEVERAL, SEVERAL, ONE])
    called = rng.choice(["call down;", "call down;", "call first;", ""])
    target = rng.choice(["down", "first", "leaf"])
    return (
        header(arch)
        + several
        + ".func down();\n.func leaf()"
        + body("")
        + ".func first()"
        + body("call down;")
        + ".func down()"
        + body(f"setp.eq.u32 %p0, %r0, 0;\n@%p0 ret;\ncall {target};")
        + ".visible .entry kernel()"
        + body(called)
    )


def unresolved(rng, arch):
    declared = rng.choice(
        [
            ".func g();",
            ".visible .func g();",
            ".weak .func g();",
            ".extern .func g();",
            ".extern .func g();",
            ".entry g();",
            ".extern .entry g();",
            ".extern .global .b32 g[];",
            ".extern .const .b32 g[];",
            ".extern .global .b32 g[4];",
            ".extern .shared .b32 g[];",
            ".func g();\n.func g()" + body(""),
            ".func h()" + body("") + ".func g();\n.alias g, h;",
        ]
    )
    is_function = ".func" in declared
    use = rng.choice(
        ["", "call g;\n", "mov.u64 %rd0, g;\nst.global.u64 [%rd0], %rd0;\n"]
        if is_function
        else ["", "mov.u64 %rd0, g;\n"]
    )
    if "entry" in declared:
        use = ""
    table = ".global .u64 table = g;\n" if is_function and "alias" not in declared and rng.random() < 0.2 else ""
    make = rng.choice([reached, unreached])
    text = make(rng, use)
    if "alias" in declared and "ret;\n  call callee" in text:  # this is a bug in ptxas
        return None
    return header(arch) + declared + "\n" + table + text


def function_address(rng, arch):
    name = rng.choice(["vprintf", "malloc", "free"])
    declared = {
        "vprintf": PRINT,
        "malloc": ".extern .func (.param .b64 r) malloc(.param .b64 a);\n",
        "free": ".extern .func free(.param .b64 a);\n",
    }[name]
    use = rng.choice([f"mov.u64 %rd0, {name};\nst.global.u64 [%rd0], %rd0;\n", ""])
    return header(arch) + declared + reached(rng, use)


def alias(rng, arch):
    linkage = [rng.choice(["", "", ".visible ", ".weak "]) for _ in range(3)]
    linkage = [linkage[0].replace(".weak ", ""), linkage[1].replace(".weak ", ""), linkage[2]]
    text = f"{linkage[0]}.func real()" + body("") + f"{linkage[1]}.func a();\n{linkage[2]}.func b();\n.alias a, real;\n"
    text += rng.choice([".alias b, a;\n", ".alias b, real;\n"])
    return (
        header(arch)
        + text
        + ".visible .entry kernel()"
        + body(rng.choice(["call b;", "call a;", "", "call a;\ncall real;"]))
    )


def pragma_place(rng, arch):
    text = rng.choice(["noabi", "something", "local_maxnreg 32", "nounroll", "nounroll", "unroll 4"])
    pragma = f'.pragma "{text}";\n'
    if rng.random() < 0.6:
        return header(arch) + pragma + ".visible .entry kernel()" + body("")
    return header(arch) + ".visible .entry kernel()" + body(pragma)


def pragma_value(rng, arch):
    value = rng.choice(["0xf", "15", "-1", "0b11", "f", "", "1 2", "0xg", "017", "0xffffffffffffffffff"])
    code = f'.pragma "used_bytes_mask {value}";\nld.global.u32 %r0, [%rd0];\nst.global.u32 [%rd0], %r0;'
    return header(arch) + ".visible .entry kernel()" + body(code)


def spilling(rng, arch):
    declared = rng.choice(
        [
            ".extern .shared .align 16 .b8 s[];\n",
            ".extern .shared .align 16 .b8 s[];\n",
            ".shared .align 16 .b8 s[1024];\n",
        ]
    )
    use = "mov.u32 %r0, s;\nst.shared.u32 [%r0], %r1;\n"
    make = rng.choice([reached, reached, unreached])
    return header(arch) + make(rng, use, "", declared, rng.choice(['.pragma "enable_smem_spilling";\n'] * 3 + [""]))


def constant_pointer(rng, arch):
    use = rng.choice(
        [
            "cvta.const.u64 %rd0, table;\n",
            "cvta.to.const.u64 %rd0, %rd1;\n",
            "isspacep.const %p0, %rd1;\n",
            "cvta.to.global.u64 %rd0, %rd1;\n",
            "ld.const.b32 %r0, [table];\n",
        ]
    )
    space = rng.choice([".const", ".const", ".global"])
    pointer = f".visible .entry pointer(.param .u64 .ptr {space} .align 4 p)" + body("")
    text = (
        reached(rng, use, "", ".const .b32 table[4];\n")
        if rng.random() < 0.8
        else unreached(rng, use, "", ".const .b32 table[4];\n")
    )
    return header(arch) + (pointer + text if rng.random() < 0.5 else text + pointer)


def cta_group(rng, arch):
    if arch[:5] not in ("sm_10", "sm_11"):
        return None
    allocate = "tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [%%r0], 64;\n"
    make = rng.choice([reached, reached, unreached])
    return header(arch) + make(rng, allocate % rng.randint(1, 2), "", "", allocate % rng.randint(1, 2))


def abi_preserve(rng, arch):
    n = rng.choice([200, 236, 237, 238, 239, 240, 241, 254, 255, 256])
    kernel = ".visible .entry kernel()"
    kind = rng.choice(["defined", "prototype", "unused prototype"])
    if kind == "defined":
        called = rng.choice(["call f;", ""])
        return header(arch) + f".func f() .abi_preserve {n}" + body("") + kernel + body(called)
    call = "ld.global.u64 %rd1, [%rd0];\ncall %rd1, prototype;\n" if kind == "prototype" else ""
    return header(arch) + kernel + body(f"prototype: .callprototype _ () .abi_preserve {n};\n{call}")


def address_32(rng, arch):
    use = rng.choice(
        [
            "ld.global.u32 %r0, [%r1];",
            "st.u32 [%r1], %r0;",
            "atom.global.add.u32 %r0, [%r1], 1;",
            "ld.shared.u32 %r0, [%r1];",
            "ld.local.u32 %r0, [%r1];",
            "ld.const.u32 %r0, [%r1];",
            "mov.u32 %r0, shared;",
            "mov.u32 %r0, global;",
            "mov.u32 %r0, constant;",
            "cvta.to.shared.u32 %r0, %r1;",
            "cvta.global.u32 %r0, %r1;",
            "isspacep.shared %p0, %r1;",
            "prefetch.global.L2 [%r1];",
            "ld.global.u32 %r0, [%rd1];",
            "red.global.add.u32 [%r1], 1;",
            "ld.u32 %r0, [%r1+4];",
            "prefetch.L1 [%r1];",
            "ld.volatile.u32 %r0, [%r1];",
            "atom.cas.b32 %r0, [%r1], 1, 2;",
            "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%r4];",
        ]
    )
    before = ".shared .b32 shared;\n.global .b32 global;\n.const .b32 constant;\n"
    return header(arch) + before + ".visible .entry kernel()" + body(use + "\nst.global.u32 [%rd0], %r0;")


def separate(rng, arch):
    return rng.choice([spilling, abi, shared_size, opaque_count, unresolved, registers, register_change, alias])(
        rng, arch
    )


RULES = {
    "codegen-registers": registers,
    "codegen-register-change": register_change,
    "registers, by options": registers_by_options,
    "changes, by options": changes_by_options,
    "codegen-shared-size": shared_size,
    "codegen-constant-size": constant_size,
    "codegen-opaque-count": opaque_count,
    "codegen-branch-table": branch_table,
    "codegen-abi": abi,
    "codegen-recursion": recursion,
    "codegen-unresolved": unresolved,
    "codegen-alias": alias,
    "codegen-function-address": function_address,
    "codegen-pragma-place": pragma_place,
    "codegen-pragma-value": pragma_value,
    "codegen-spilling": spilling,
    "codegen-constant-pointer": constant_pointer,
    "codegen-cta-group": cta_group,
    "codegen-abi-preserve": abi_preserve,
    "codegen-address-32": address_32,
    "codegen-separate": separate,
}


def compile_with(ptxas, module, folder, arch):
    source = pathlib.Path(folder) / "m.ptx"
    source.write_text(module.text)
    words = [ptxas, f"-arch={arch}", *module.options, str(source), "-o", str(source) + ".o"]
    words += ["-c"] * (module.link == "separate")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    return (done.returncode == 0 if done.returncode >= 0 else None), done.stderr + done.stdout


def errors_of(ptxray, module, folder):
    if module.options:  # only a replacement of ptxas receives the options
        words = [ptxray, "ptxas", f"-arch={module.arch}", *module.options, f"{folder}/m.ptx"]
        environment = {**os.environ, "PTXRAY_VERIFY_ONLY": "1"}
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment)
        found = set(re.findall(r"^\S+: error: .*\[([a-z-]+)[\]:]", done.stderr, re.M))
        return found or {done.stderr} if done.returncode else set()
    words = [
        ptxray,
        "check",
        "--no-config",
        f"--arch={module.arch}",
        f"--link={module.link}",
        "--format=jsonl",
        f"{folder}/m.ptx",
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {one.get("rule") for one in found if one.get("severity") == "error"}


def judge(arguments, module):
    """Returns the verdict of ptxas (None if it has none), its output, and the errors of ptxray."""
    with tempfile.TemporaryDirectory() as folder:
        compiles, words = compile_with(arguments.ptxas, module, folder, module.arch)
        found = errors_of(arguments.ptxray, module, folder)
        if compiles is False:
            reads, why = compile_with(arguments.ptxas, module, folder, "compute_" + module.arch[3:])
            if not reads:
                return None, "cannot be read: " + why, found
        return compiles, words, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptxray")
    parser.add_argument("ptxas")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rule", action="append")
    parser.add_argument("--arch", action="append")
    parser.add_argument("--both-sides", action="store_true")
    parser.add_argument("--misjudged", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the modules that are judged otherwise")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.ptxas).exists():
        print(f"no ptxas at {arguments.ptxas}")
        sys.exit(1 if {"ptxas", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77)
    modules = []
    for rule in arguments.rule or RULES:
        for arch in arguments.arch or TARGETS:
            rng = random.Random(f"{arguments.seed} {rule} {arch}")
            for _ in range(arguments.rounds):
                text, options = RULES[rule](rng, arch), []
                if isinstance(text, tuple):
                    text, options = text
                if text and rng.random() < 0.2:  # limits depend on the code before them
                    text = text.replace(f".target {arch}", ".target sm_80")
                if text:
                    link = "separate" if rule == "codegen-separate" else "whole"
                    modules.append(Module(rule, arch, text, link, options))
    wrong, untried, unread = 0, 0, collections.Counter()
    sides = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for module, (compiles, words, found) in zip(modules, pool.map(lambda one: judge(arguments, one), modules)):
            if compiles is None:
                unread[module.rule] += 1
                if arguments.show:
                    print(f"{module.rule} {module.arch}: {words[:200]}")
                continue
            sides[module.rule, module.arch][compiles] += 1
            if compiles != (not found):
                wrong += 1
                print(
                    f"{module.rule} {module.arch} {module.link}: ptxas {'compiles' if compiles else 'refuses'} it, "
                    f"ptxray {sorted(found) or 'says nothing'}\n  {words.strip()[:300]}"
                )
                if arguments.show:
                    print(module.text)
    for rule in RULES:
        of_rule = [(arch, count) for (name, arch), count in sides.items() if name == rule]
        refused, compiled = (sum(count[side] for _, count in of_rule) for side in (False, True))
        print(f"{rule:26} refused {refused:5}   compiled {compiled:5}   not told {unread[rule]:4}")
        if unread[rule] and not refused + compiled:
            print("  nothing was tried")
            untried += 1
        for arch, count in of_rule if arguments.both_sides else []:
            if not count[False] or not count[True]:
                print(f"  {arch}: only one side of the edge was tried")
                untried += 1
    print(f"{len(modules)} modules, {wrong} judged otherwise")
    sys.exit(wrong > arguments.misjudged or untried != 0)


if __name__ == "__main__":
    main()
