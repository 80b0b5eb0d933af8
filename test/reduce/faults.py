#!/usr/bin/env python3
"""Tests `ptxray reduce` with faults planted in a real kernel: faults.py PTXRAY PTXAS [NAME...]

The result is compared with the smallest text that a person found for the fault. It must have at most 1.5 times its
lines, be interesting itself, and have no additional faults. Without PTXAS, the test skips faults that only ptxas
finds."""

import concurrent.futures
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOSTS = ("docs/examples/product.ptx", "test/emulate/bulk_copy.ptx", "test/emulate/warp_sum.ptx")
HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"


class Fault:
    def __init__(self, name, test, planted, by_hand, *, items="", declared="", removed=""):
        self.name, self.test = name, test
        self.planted, self.declared, self.items = planted, declared, items  # in the kernel, at its begin, before it
        self.removed = removed  # text that is removed from the kernel
        self.by_hand = by_hand  # the text after the header

    @property
    def needs_ptxas(self):
        return any(word.startswith("--ptxas") for word in self.test)


def kernel(*lines, parameters=""):
    return f".entry k({parameters})\n{{\n" + "\n".join(lines) + "\n}\n"


def found(name):
    """Returns a kernel that crashes ptxas, under a unique name."""
    text = (ROOT / "docs/found/ptxas" / name).read_text()
    return re.sub(r"(?m)^(//|\.(version|target|address_size)).*\n", "", text).replace("entry k(", "entry crashing(")


FAULTS = [
    Fault(
        "vector-length",
        ["--keep-rule=vector-length"],
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%lane}, [tile_a];",
        kernel(".reg .b32 r;", "ldmatrix.sync.aligned.m8n8.x2.b16 {r}, [0];", "ret;"),
    ),
    Fault(
        "operand-size",
        ["--keep-rule=operand-size"],
        "add.u32 %lane, %lane, %at;",
        kernel(".reg .b32 r;", ".reg .b64 d;", "mov.b64 d, 0;", "add.u32 r, 0, d;", "ret;"),
    ),
    Fault(
        "undefined-symbol",
        ["--keep-rule=undefined-symbol"],
        "add.u32 %lane, %lane, %lost;",
        kernel(".reg .b32 r;", "add.u32 r, 0, l;", "ret;"),
    ),
    Fault(
        "missing-qualifier",
        ["--keep-rule=missing-qualifier:rounding"],
        "cvt.f32.f64 %f0, %wide;",
        kernel(".reg .f32 f;", "cvt.f32.f64 f, 0.0;", "ret;"),
        declared=".reg .f64 %wide; mov.f64 %wide, 0d0;",
    ),
    Fault(
        "read-before-write",
        ["--keep-rule=read-before-write"],
        "SUM: add.u32 %sum, %sum, %thread;\nsetp.lt.u32 %done, %sum, 40;\n@%done bra SUM;",
        kernel(".reg .b32 r;", "l:", "add.u32 r, r, 0;", "ret;"),
        declared=".reg .b32 %sum;",
    ),
    Fault(
        "unwaited-copy",
        ["--keep-rule=unwaited-copy"],
        "cp.async.cg.shared.global [tile_a], [%c], 16;\ncp.async.commit_group;\nld.shared.u32 %lane, [tile_a];",
        kernel(
            ".reg .b32 r;",
            ".reg .b64 d;",
            "mov.b64 d, 0;",
            "mov.b32 r, 0;",
            "cp.async.cg.shared.global [r], [d], 16;",
            "ld.shared.u32 r, [r];",
            "ret;",
        ),
    ),
    Fault(
        "access-out-of-bounds",
        ["--keep-rule=access-out-of-bounds"],
        "st.shared.u32 [tile_a+8190], %lane;",
        kernel(".shared .b8 s[1];", "st.shared.u32 [s], 0;", "ret;"),
    ),
    Fault(
        "unawaited-wgmma",
        ["--keep-rule=register-in-flight"],
        "",
        kernel(
            ".reg .f32 f<4>;",
            "wgmma.fence.sync.aligned;",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, 0, 0, 0, 1, 1, 0, 0;",
            "add.f32 f0, f0, 0.0;",
            "ret;",
        ),
        removed="wgmma.wait_group.sync.aligned 0;",
    ),
    Fault(
        "call-argument-count",
        ["--keep-rule=call-argument-count"],
        "{ .param .b32 v; st.param.b32 [v], %lane; call.uni helper, (v, v); }",
        ".func h();\n" + kernel(".param .b32 v;", "call h, (v);", "ret;"),
        items=".func helper(.param .b32 x) { .reg .b32 y; ld.param.b32 y, [x]; st.global.b32 [sums], y; ret; }\n"
        ".global .b32 sums;",
    ),
    Fault(
        "ptxas-crash",
        ["--ptxas-crash"],
        "",
        ".entry w(.param .u32 b)\n{\n.reg .pred p;\n.reg .b32 x;\nld.param.u32 x, [b];\nsetp.eq.u32 p, x, 0;\nret;\n}\n"
        ".entry b()\n{\nret;\n}\n",
        items=found("crash.ptx"),
    ),
    Fault(
        "ptxas-crash-vector",
        ["--ptxas-crash"],
        "",
        kernel(
            ".reg .b16 h;",
            ".reg .b64 d;",
            "mov.b16 h, 0;",
            "mov.b64 d, 0;",
            "red.global.max.noftz.v2.bf16 [d], {h, 0};",
            "ret;",
        ),
        items=found("vector_constant.ptx"),
    ),
    Fault(
        "ptxas-crash-sink",
        ["--ptxas-crash"],
        "",
        kernel(
            ".reg .pred q;",
            ".reg .b16 h;",
            "mov.b16 h, 0;",
            "setp.ne.b16 q, h, 0;",
            "@q setp.ne.or.b16 _|q, h, 0, q;",
            "ret;",
        ),
        items=found("setp_sink.ptx"),
    ),
    Fault(
        "ptxas-types",
        ["--ptxas-says=Unexpected instruction types specified for 'add'"],
        "add.b32 %lane, %lane, 1;",
        kernel(".reg .b32 r;", "add.b32 r, 0, 0;", "ret;"),
    ),
    Fault(
        "ptxas-space",
        ["--ptxas-says=State space mismatch"],
        "ld.shared.u32 %lane, [sums];",
        ".global .b32 g;\n" + kernel(".reg .b32 r;", "ld.shared.u32 r, [g];", "ret;"),
        items=".global .b32 sums;",
    ),
    Fault(
        "ptxas-shared",
        ["--ptxas-says=uses too much shared data"],
        "st.shared.u32 [large+4], %lane;",
        kernel(".shared .b8 s[999999];", "st.shared.b8 [s], 0;", "ret;"),
        declared=".shared .align 16 .b8 large[250000];",
    ),
    Fault(
        "ptxas-injected",
        ["--ptxas-says=wgmma.wait_group is injected", "--", "-O3"],
        "",
        kernel(
            ".reg .f32 f<4>;",
            ".reg .b64 d;",
            "mov.b64 d, 0;",
            "wgmma.fence.sync.aligned;",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, 0, 1, 1, 0, 0;",
            "st.global.f32 [d], f0;",
            "ret;",
        ),
        removed="wgmma.wait_group.sync.aligned 0;",
    ),
    Fault(
        "ptxas-parameters",
        ["--ptxas-says=uses too much parameter space"],
        "",
        kernel("ret;", parameters=".param .b8 p[40000]"),
        items=".entry large(.param .u64 c, .param .align 8 .b8 state[20000], .param .align 4 .b8 more[20000])\n"
        "{ .reg .b64 %a; ld.param.u64 %a, [state+8]; st.global.u64 [%a], %a; ret; }",
    ),
    Fault(
        "missing-proxy-fence",
        ["--keep-rule=missing-proxy-fence"],
        "st.shared.u32 [tile_a], %lane;\nbar.sync 0;\ncp.async.bulk.global.shared::cta.bulk_group [%c], [tile_a], 16;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
        kernel(
            ".shared .align 16 .b8 s[16];",
            ".reg .b64 d;",
            "mov.b64 d, 0;",
            "st.shared.u32 [s], 0;",
            "cp.async.bulk.global.shared::cta.bulk_group [d], [s], 16;",
            "ret;",
        ),
    ),
    Fault(
        "run-race",
        ["--keep-finding=run-race", "--", "--kernel=warp_sum", "--block=64", "iota:u32:64", "zeros:u32:2"],
        "",
        ".entry warp_sum(.param .u64 a, .param .u64 b)\n{\n.reg .b32 r;\n.reg .b64 d;\nld.param.u64 d, [b];\n"
        "mov.u32 r, %tid.x;\nst.global.u32 [d], r;\nret;\n}\n",
        removed="add.u64 %d2, %d2, %d3;",
    ),
    Fault(
        "ptxas-label",
        ["--ptxas-says=Duplicate definition of"],
        "COPIED:",
        kernel("l:", "l:", "ret;"),
    ),
]


def without_header(text):
    return re.sub(r"(?m)^\s*\.(version|target|address_size)\b.*\n", "", text)


def planted(fault):
    product, *others = [without_header((ROOT / host).read_text()) for host in HOSTS]
    if fault.removed:
        product, *others = [text.replace(fault.removed, "") for text in (product, *others)]
    product = product.replace("    .reg .pred %other", f"    {fault.declared}\n    .reg .pred %other", 1)
    before, middle, after = product.partition("    cvt.u64.u32 %at, %offset;")
    assert middle
    return "\n".join([HEADER, fault.items, others[0], before + fault.planted + "\n" + middle + after, *others[1:]])


def lines_of(text):
    return len([line for line in text.splitlines() if line.strip() and line.strip() != "{"])


def rules(ptxray, path):
    out = subprocess.run(
        [ptxray, "check", "--no-config", "--format=short", path], stdout=subprocess.PIPE, text=True
    ).stdout
    return set(re.findall(r"\[([a-z-]+)(?:\]|:)", out))


def judge(ptxray, ptxas, fault):
    with tempfile.TemporaryDirectory() as folder:
        text, result, hand = (pathlib.Path(folder) / name for name in ("a.ptx", "b.ptx", "hand.ptx"))
        text.write_text(planted(fault))
        hand.write_text(HEADER + fault.by_hand)
        options = fault.test[: fault.test.index("--")] if "--" in fault.test else fault.test
        rest = fault.test[len(options) :]
        reduce = [ptxray, "reduce", "--quiet", *options, *(["--ptxas", ptxas] if fault.needs_ptxas else [])]
        for name, output in (text, result), (hand, hand.with_suffix(".less")), (result, result.with_suffix(".less")):
            is_launched = name == result and name.read_text().startswith("// run: ")  # with the remaining arguments
            run = subprocess.run(
                [*reduce, name, "-o", output, *([] if is_launched else rest)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if run.returncode != 0:
                return f"{fault.name}: {name.name}: {run.stdout}"
        got, most = lines_of(result.read_text()), 1.5 * lines_of(hand.read_text())
        if got > most:
            return f"{fault.name}: {got} lines, at most {most} are allowed:\n{result.read_text()}"
        if more := rules(ptxray, result) - rules(ptxray, text):
            return f"{fault.name}: new faults: {more}:\n{result.read_text()}"
        print(f"{fault.name}: {lines_of(text.read_text())} lines became {got}; by hand {lines_of(hand.read_text())}")
    return None


def reduced(ptxray, *words):
    run = subprocess.run(
        [ptxray, "reduce", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def judge_large(ptxray, folder):
    """Reduces 1 MB with one interesting statement, with a test that takes 20 ms."""
    product = without_header((ROOT / HOSTS[0]).read_text())
    kernels = [product.replace("entry product", f"entry product{i}") for i in range(1_000_000 // len(product) + 1)]
    half = len(kernels) // 2
    kernels[half] = kernels[half].replace("    cvt.u64.u32 %at, %offset;", "    cvt.u64.u32 %at, %offset; membar.sys;")
    file = folder / "large.ptx"
    file.write_text(HEADER + "\n".join(kernels))
    begin = time.monotonic()
    result = reduced(ptxray, "--quiet", file, "--", "sh", "-c", "sleep 0.02; grep -q membar {}")
    seconds = time.monotonic() - begin
    print(f"{file.stat().st_size} bytes: {seconds:.1f} s")
    if seconds > 60 or lines_of(result) > 7:
        return f"1 MB took {seconds} s and became:\n{result}"
    return None


def judge_jobs(ptxray, folder):
    """Tests that the result is the same with several tests at once."""
    file = folder / "jobs.ptx"
    file.write_text(planted(FAULTS[0]))
    test = ("--", "sh", "-c", "tr -d '\\n' < $0 | grep -q 'setp.*bra.*wgmma.*st.global'")
    alone, together = (reduced(ptxray, "--quiet", f"--jobs={jobs}", file, *test) for jobs in (1, 5))
    return None if alone == together else f"with --jobs=5 the result is another:\n{alone}{together}"


def judge_sizes(ptxray, folder):
    """Tests that `reduce` makes the numbers of a command smaller, and those of the launch above the text."""
    file, output = folder / "sizes.ptx", folder / "small.ptx"
    file.write_text(planted(FAULTS[0]))
    test = ("--", "sh", "-c", "grep -q bar.sync $0 && test {threads} -ge 33 && test {blocks} -ge 2")
    results = [
        reduced(ptxray, "--quiet", f"--jobs={jobs}", "--size=blocks=300", "--size=threads=1024", file, *test)
        for jobs in (1, 4)
    ]
    if results[0] != results[1] or not results[0].startswith("// sizes: blocks=2 threads=33\n.version"):
        return f"sizes: {results}"
    race = next(fault for fault in FAULTS if fault.name == "run-race")
    file.write_text("// run: --kernel=warp_sum --block=64 --grid=3,2 iota:u32:64 zeros:u32:2\n" + planted(race))
    for source, result in (file, output), (output, folder / "again.ptx"):
        reduced(ptxray, "--quiet", "--keep-finding=run-race", source, "-o", result)
        first = result.read_text().splitlines()[0]
        if first != "// run: --kernel=warp_sum --block=33 --grid=1,1 zeros:u32:1":
            return f"launch: {result.read_text()}"
    return None


def judge_end(ptxray, folder):
    """Tests that the best result so far is written when the time is over, and when a signal arrives."""
    file, output = folder / "end.ptx", folder / "out.ptx"
    file.write_text(planted(FAULTS[0]))
    before = file.stat().st_size
    slow = ("--", "sh", "-c", "sleep 0.3; grep -q 'wgmma' $0")
    late = reduced(ptxray, "--time-limit=1", file, *slow)
    program = subprocess.Popen([ptxray, "reduce", file, "-o", output, *slow], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not output.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    said = program.communicate()[1]
    if not ("wgmma" in late and len(late) < before):
        return f"out of time: {late}"
    if program.returncode != 0 or "interrupted" not in said or not output.stat().st_size < before:
        return f"interrupted: {program.returncode}, {said}"
    return None


def main():
    ptxray, ptxas, *names = sys.argv[1:]
    has_ptxas = pathlib.Path(ptxas).exists()
    chosen = [f for f in FAULTS if (not names or f.name in names) and (has_ptxas or not f.needs_ptxas)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [why for why in pool.map(lambda fault: judge(ptxray, ptxas, fault), chosen) if why]
    if not names:
        with tempfile.TemporaryDirectory() as folder:
            for judged in (judge_large, judge_jobs, judge_sizes, judge_end):
                if why := judged(ptxray, pathlib.Path(folder)):
                    failed.append(why)
    print("\n".join(failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
