#!/usr/bin/env python3
"""Builds everything that the proof on hardware needs, in one folder that works without this repository.

    test/device/build.py [--ptxray PATH] [--ptxas PATH] [--runner PATH] [--launcher PATH]
                         [--folder build/device] [--only NAME,...]

`ptxray isa --enumerate NAME --all` produces the combinations, and `ptxray as` produces the object files. On the
machine with the GPU, `run.sh [OUTPUT FOLDER]` runs everything and writes report.json and report.md."""

import argparse
import concurrent.futures
import json
import lzma
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile

import example

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = "sm_90a"
FOUR_BYTES = ["vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4"]
VIDEO = [
    "vadd",
    "vsub",
    "vabsdiff",
    "vmin",
    "vmax",
    "vshl",
    "vshr",
    "vmad",
    "vset",
    "vadd2",
    "vsub2",
    "vavrg2",
    "vabsdiff2",
    "vmin2",
    "vmax2",
    "vset2",
    *FOUR_BYTES,
]
OTHERS = [
    "movmatrix",
    "ldmatrix",
    "stmatrix",
    "alloca",
    "stacksave",
    "stackrestore",
    "nanosleep",
    "pmevent",
    "pmevent.mask",
    "brkpt",
    "trap",
    "setmaxnreg.inc",
    "setmaxnreg.dec",
]
TEXTS_A_KERNEL = 32
KERNELS_A_MODULE = 64
PAIRS_OF_SELECTORS = 4096  # pairs of an instruction with four bytes a lane, out of 4097 times 4097
REFUSED = [".b1024"]  # a selector in the manual, but a type in ptxas
MOST_ALIGNMENT = 32768  # maximum for the stack of a thread
HEADER = ".version {version}\n.target " + TARGET + "\n.address_size 64\n"


class Plan:
    """Collects the lines of kernels.txt, and the modules to assemble."""

    def __init__(self):
        self.lines, self.modules = [], []

    def module(self, name, text):
        self.lines.append(f"module {name}.cubin")
        self.modules.append((name, text))

    def kernel(self, kind, name, texts):
        self.lines.append(f"{kind} {name}")
        self.lines += ["\t" + text for text in texts]


def enumerate_all(ptxray, name, version):
    """Returns all texts of an instruction, and the number of combinations that they represent."""
    lines = subprocess.run(
        [ptxray, "isa", "--enumerate", name, "--all", "--target", TARGET, "--ptx", version],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    combinations = int(re.search(r"for (\d+) combinations", lines[-1]).group(1))
    texts = [line for line in lines if not line.startswith("//")]
    return [text for text in texts if not any(word in text for word in REFUSED)], combinations


def with_other_selectors(texts, count):
    """Returns random texts of the product of the selectors of a and b. If there are many, the enumeration does not
    combine them."""
    written = [[re.search(rf"%r{register}((?:\.\w+)?)[,;]", text).group(1) for text in texts] for register in (1, 2)]
    selectors = [sorted(set(suffixes)) for suffixes in written]
    draw, known, drawn = random.Random(4), set(texts), []
    while len(drawn) < count:
        text = draw.choice(texts)
        for register, suffixes in zip((1, 2), selectors):
            text = re.sub(rf"%r{register}(\.\w+)?,", f"%r{register}{draw.choice(suffixes)},", text)
        if text not in known:
            known.add(text)
            drawn.append(text)
    return drawn


# ---------------------------------------------------------------------------------------------- kernels


def video_kernel(name, texts):
    body = "\n".join(f"{text}\nst.global.b32 [%rd3], %r0;\nadd.u64 %rd3, %rd3, %rd4;" for text in texts)
    return f""".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u32 n) {{
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd3, [out];
ld.param.u32 %r4, [n];
mov.u32 %r5, %ctaid.x;
mov.u32 %r6, %ntid.x;
mov.u32 %r7, %tid.x;
mad.lo.s32 %r5, %r5, %r6, %r7;
mul.wide.u32 %rd2, %r5, 4;
mul.wide.u32 %rd4, %r4, 4;
add.u64 %rd1, %rd1, %rd2;
add.u64 %rd3, %rd3, %rd2;
ld.global.b32 %r1, [%rd1];
add.u64 %rd1, %rd1, %rd4;
ld.global.b32 %r2, [%rd1];
add.u64 %rd1, %rd1, %rd4;
ld.global.b32 %r3, [%rd1];
{body}
ret;
}}
"""


def matrix_kernel(name, text):
    """Builds a kernel for matrices. rd1 (ldmatrix) or rd0 (stmatrix) is the address of the row that this thread
    names. Rows of .s4 are half as long."""
    row = 8 if ".s8.s4" in text else 16
    number = "0" if text.startswith("stmatrix") else "1"
    address = (
        f"cvt.u64.u32 %rd{number}, %a3;"
        if ".shared" in text
        else f"cvt.u64.u32 %rd{number}, %a3;\ncvta.shared.u64 %rd{number}, %rd{number};"
    )
    head = f""".visible .entry {name}(.param .u64 in, .param .u64 order, .param .u64 out) {{
.shared .align 16 .b8 rows[512];
.reg .b32 %r<12>;
.reg .b32 %a<8>;
.reg .b32 %w<4>;
.reg .b64 %rd<2>;
.reg .b64 %p<8>;
ld.param.u64 %p0, [in];
ld.param.u64 %p1, [order];
ld.param.u64 %p2, [out];
mov.u32 %a0, %ctaid.x;
mov.u32 %a1, %tid.x;
mad.lo.u32 %a2, %a0, 32, %a1;
mul.wide.u32 %p3, %a2, 4;
add.u64 %p1, %p1, %p3;
ld.global.u32 %a3, [%p1];
mul.wide.u32 %p4, %a0, 512;
add.u64 %p0, %p0, %p4;
add.u64 %p2, %p2, %p4;
mov.u32 %a4, rows;
mad.lo.u32 %a3, %a3, {row}, %a4;
mad.lo.u32 %a5, %a1, 16, %a4;
mul.wide.u32 %p5, %a1, 4;
mul.wide.u32 %p6, %a1, 16;
{address}
"""
    by_row = "add.u64 %p7, {0}, %p6;\n"
    by_thread = "add.u64 %p7, {0}, %p5;\n"
    if text.startswith("ldmatrix"):
        count = len(re.findall(r"%r\d", text))
        body = (
            by_row.format("%p0") + "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%p7];\n"
            "st.shared.v4.b32 [%a5], {%w0, %w1, %w2, %w3};\nbar.sync 0;\n" + text + "\n" + by_thread.format("%p2")
        )
        body += "".join(f"st.global.b32 [%p7+{128 * i}], %r{i};\n" for i in range(count))
    elif text.startswith("stmatrix"):
        count = len(re.findall(r"%r\d", text))
        body = by_thread.format("%p0")
        body += "".join(f"ld.global.b32 %r{4 + i}, [%p7+{128 * i}];\n" for i in range(count))
        body += (
            "mov.b32 %w0, 0xabababab;\nst.shared.v4.b32 [%a5], {%w0, %w0, %w0, %w0};\nbar.sync 0;\n"
            + text
            + "\nbar.sync 0;\nld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%a5];\n"
            + by_row.format("%p2")
            + "st.global.v4.b32 [%p7], {%w0, %w1, %w2, %w3};\n"
        )
    else:
        body = by_thread.format("%p0") + "add.u64 %p6, %p2, %p5;\n"
        body += "".join(
            f"ld.global.b32 %r1, [%p7+{128 * i}];\n{text}\nst.global.b32 [%p6+{128 * i}], %r0;\n" for i in range(4)
        )
    return head + body + "ret;\n}\n"


def stack_kernel(name, text):
    wide = ".u64" in text
    register, kind = ("%rd", ".u64") if wide else ("%r", ".u32")
    stores = "".join(
        f"st.global.u64 [%p1+{8 * i}], {r};\n" for i, r in enumerate(["%s0", "%s1", "%s2", "%s3", "%s4", "%s5"])
    )
    widen = "mov.u64" if wide else "cvt.u64.u32"
    return f""".visible .entry {name}(.param .u64 size, .param .u64 out) {{
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
.reg .b64 %p<4>;
.reg .b64 %s<6>;
.reg .b32 %t<4>;
.reg {kind} %q<5>;
ld.param.u64 %rd1, [size];
cvt.u32.u64 %r1, %rd1;
ld.param.u64 %p0, [out];
mov.u32 %t0, %tid.x;
mul.wide.u32 %p1, %t0, 48;
add.u64 %p1, %p0, %p1;
stacksave{kind} %q0;
{text}
stacksave{kind} %q1;
or.b32 %t1, %t0, 0x11110000;
or.b32 %t2, %t0, 0x22220000;
mov{kind} %q2, {register}0;
add{kind} %q3, {register}0, {register}1;
st.volatile.local.u32 [%q2], %t1;
st.volatile.local.u32 [%q3+-4], %t2;
ld.volatile.local.u32 %t1, [%q2];
ld.volatile.local.u32 %t2, [%q3+-4];
stackrestore{kind} %q0;
stacksave{kind} %q4;
{widen} %s0, %q0;
{widen} %s1, %q2;
{widen} %s2, %q1;
{widen} %s3, %q4;
cvt.u64.u32 %s4, %t1;
cvt.u64.u32 %s5, %t2;
{stores}ret;
}}
"""


def sleep_kernel(name, text):
    return f""".visible .entry {name}(.param .u64 time, .param .u64 out) {{
.reg .b32 %r<4>;
.reg .b64 %rd<8>;
ld.param.u64 %rd0, [time];
cvt.u32.u64 %r0, %rd0;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 8;
add.u64 %rd1, %rd1, %rd2;
mov.u64 %rd3, %globaltimer;
{text}
mov.u64 %rd4, %globaltimer;
sub.u64 %rd5, %rd4, %rd3;
st.global.u64 [%rd1], %rd5;
ret;
}}
"""


def mark_kernel(name, text):
    return f""".visible .entry {name}(.param .u64 out) {{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
.reg .pred %p<2>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
setp.gt.u32 %p1, %r1, 4096;
{text}
mov.b32 %r2, 0x600d600d;
st.global.b32 [%rd1], %r2;
ret;
}}
"""


def register_kernel(name, text, count, increases):
    """Builds a kernel in which some warpgroups release registers. The last warpgroup acquires or releases registers
    and then computes with its registers."""
    threads, start = 384, 168
    if increases:
        start = min(count, (count + 48 + 23) // 24 * 8)
    elif count > start:
        threads, start = 128, 255
    helpers = threads - 128
    live = max(4, count - 40)
    loads = "".join(f"ld.volatile.global.u32 %v{i}, [%rd3+{4 * i}];\n" for i in range(live))
    mix = "".join(f"mad.lo.u32 %r5, %r5, 31, %v{i};\n" for i in range(live))
    mix += "".join(f"mad.lo.u32 %r5, %r5, 33, %v{i};\n" for i in reversed(range(live)))
    return (
        f""".visible .entry {name}(.param .u64 in, .param .u64 out)
.maxntid {threads}, 1, 1
.minnctapersm 1
.maxnreg {start} {{
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
.reg .u32 %v<{live}>;
.reg .pred %p;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mul.wide.u32 %rd4, %r1, 4;
add.u64 %rd3, %rd1, %rd4;
mad.lo.u32 %r2, %r2, {threads}, %r1;
mul.wide.u32 %rd5, %r2, 4;
add.u64 %rd5, %rd2, %rd5;
mov.u32 %r5, 7;
setp.lt.u32 %p, %r1, {helpers};
@%p bra HELP;
{text}
{loads}{mix}st.global.u32 [%rd5], %r5;
ret;
HELP:
setmaxnreg.dec.sync.aligned.u32 24;
st.global.u32 [%rd5], %r1;
ret;
}}
""",
        f"{text} // threads {threads}, helpers {helpers}, live {live}",
    )


# ------------------------------------------------------------------------------------------------- plan


def add_video(plan, name, texts, header):
    step = TEXTS_A_KERNEL * KERNELS_A_MODULE
    for first in range(0, len(texts), step):
        part = texts[first : first + step]
        groups = [part[i : i + TEXTS_A_KERNEL] for i in range(0, len(part), TEXTS_A_KERNEL)]
        plan.module(
            f"{name}-{first // step}", header + "".join(video_kernel(f"k{i}", group) for i, group in enumerate(groups))
        )
        for i, group in enumerate(groups):
            plan.kernel("video", f"k{i}", group)


def add_others(plan, texts, header):
    kernels = []  # columns: kind, name, text of the kernel, text of the instruction

    def add(kind, make, text):
        name = f"{kind}{len(kernels)}"
        kernels.append((kind, name, make(name, text), text))

    for name in ("movmatrix", "ldmatrix", "stmatrix"):
        for text in texts.get(name, []):
            add("matrix", matrix_kernel, text)
    for text in texts.get("alloca", []):
        if int((re.findall(r", (\d+);", text) or ["8"])[0]) <= MOST_ALIGNMENT:
            add("stack", stack_kernel, text)
    if "nanosleep" in texts:
        for time in ["%r0", 0, 1, 50, 1000, 20000, 1000000]:
            add("sleep", sleep_kernel, f"nanosleep.u32 {time};")
    if "pmevent" in texts:
        for event in range(16):
            add("mark", mark_kernel, f"pmevent {event};")
        for mask in [*(1 << i for i in range(16)), 3, 0xFF, 0xFF00, 0xAAAA, 0xFFFF]:
            add("mark", mark_kernel, f"pmevent.mask {mask};")
    for name in ("brkpt", "trap"):
        if name in texts:
            add("fault", mark_kernel, f"{name};")
            add("mark", mark_kernel, f"@%p1 {name};")  # the predicate is false in all threads
    for name in ("setmaxnreg.inc", "setmaxnreg.dec"):
        for text in texts.get(name, []):
            count = int(text.rstrip(";").split()[1])
            if count > 255 or (name.endswith("dec") and count > 248):
                continue  # no thread has this number of registers
            kernel = f"registers{len(kernels)}"
            made, noted = register_kernel(kernel, text, count, name.endswith("inc"))
            kernels.append(("registers", kernel, made, noted))
    plan.module("others", header + "".join(made for _, _, made, _ in kernels))
    for kind, name, _, text in kernels:
        plan.kernel(kind, name, [text])


def assemble(job):
    command, name = job
    result = subprocess.run(["nice", *command], capture_output=True, text=True)
    return name, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxray", default=ROOT / "build/release/tools/ptxray/ptxray")
    parser.add_argument("--ptxas", help="default: as `ptxray as` finds it")
    parser.add_argument("--runner", default=ROOT / "build/release/test/device/device-run")
    parser.add_argument("--launcher", default=ROOT / "build/release/tools/ptxray-run/ptxray-run")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "device")
    parser.add_argument("--only", help="instructions, with commas")
    parser.add_argument("--most", type=int, help="texts of each instruction, to try this out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else VIDEO + OTHERS
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)

    versions = json.loads(
        subprocess.run([options.ptxray, "version", "--format=json"], check=True, capture_output=True, text=True).stdout
    )["ptx"]
    version = versions[-1]
    header = HEADER.format(version=version)
    plan, texts = Plan(), {}
    for name in wanted:
        texts[name], combinations = enumerate_all(options.ptxray, name, version)
        if not texts[name]:
            sys.exit(f"{name}: nothing to enumerate")
        plan.lines.append(f"count {name} {combinations} {len(texts[name])}")
        texts[name] = texts[name][: options.most]
        if name in FOUR_BYTES:
            texts[name] += with_other_selectors(texts[name], PAIRS_OF_SELECTORS if not options.most else options.most)
    for name in wanted:
        if name in VIDEO:
            add_video(plan, name, texts[name], header)
    if any(name in OTHERS for name in wanted):
        add_others(plan, texts, header)

    # Unchanged modules are not assembled again.
    work = folder.with_name(folder.name + "-work")
    work.mkdir(exist_ok=True)
    jobs = []
    for name, text in plan.modules:
        source, output = work / f"{name}.ptx", work / f"{name}.cubin"
        if output.exists() and source.exists() and source.read_text() == text:
            continue
        output.unlink(missing_ok=True)
        source.write_text(text)
        command = [
            options.ptxray,
            "as",
            source,
            "-o",
            output,
            *(["--ptxas", options.ptxas] if options.ptxas else []),
            "--",
            "-suppress-stack-size-warning",
        ]
        jobs.append(([str(part) for part in command], name))
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, result in pool.map(assemble, jobs):
            failed |= result.returncode != 0
            if result.returncode != 0 or result.stdout.strip():
                print(f"{name}: {result.stdout.strip()[-4000:]}{result.stderr}", file=sys.stderr)
    if failed:
        sys.exit("not everything could be assembled")
    with lzma.open(folder / "cubins.tar.xz", "wb", preset=1) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, _ in plan.modules:
            tar.add(work / f"{name}.cubin", name + ".cubin")
    release = subprocess.run([options.ptxas or "ptxas", "--version"], capture_output=True, text=True).stdout
    release = (re.findall(r"V(\d+\.\d+\.\d+)", release) or ["unknown"])[0]
    facts = [f"fact ptxas {release}", f"fact PTX {version}, {TARGET}"]
    with lzma.open(folder / "kernels.txt.xz", "wt", preset=1) as packed:
        packed.write("\n".join(facts + plan.lines) + "\n")
    shutil.copy(options.runner, folder / "device-run")
    shutil.copy(ROOT / "test" / "device" / "run.sh", folder / "run.sh")
    subprocess.run(
        [sys.executable, ROOT / "test/layout/hardware.py", options.ptxray, options.launcher, folder / "layouts"],
        check=True,
    )
    example.pack(options.ptxray, options.launcher, options.ptxas or shutil.which("ptxas"), folder / "example")
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    print(f"{folder}: {len(plan.modules)} modules, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
