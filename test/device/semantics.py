#!/usr/bin/env python3
"""Single instructions on a GPU against what lib/Semantics computes.

    semantics.py build [--build build/release] [--ptxas PATH] [--folder build/semantics] [--only NAME,...] [--most N]
    semantics.py run [OUTPUT FOLDER]      there: in the folder that was built, with python3 and libcuda.so.1
    semantics.py show semantics.txt [--build build/release]

`build` makes a kernel of each text that `ptxray isa --enumerate` says is accepted for sm_90a, that has nothing but
registers and constants, and that `semantics-cases` can compute: it loads the registers, runs the text, and stores what
was written. ptxas compiles each with -O0 and with -O3. `run` launches them and compares the digests of what they leave;
OUTPUT/semantics.txt says how many texts of each instruction agree, and of the others what the GPU left. `show` prints
where those differ from what is computed now."""

import argparse
import base64
import concurrent.futures
import hashlib
import lzma
import multiprocessing
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

import cuda

TARGET, THREADS, PLACES = "sm_90a", 256, 24
CASES_A_KERNEL = 24
SLOT = THREADS * 8  # bytes of a register in all threads
TYPES = dict(
    zip(
        ["%p", "%h", "%hu", "%hs", "%hf", "%hx", "%r", "%u", "%s", "%f", "%rd", "%ud", "%sd", "%fd"],
        ["pred", "b16", "u16", "s16", "f16", "f16x2", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"],
    )
)
# These wait for lanes of a mask, which is all of them here, or need metadata of a certain kind.
MASKED = re.compile(r"^(shfl\.sync|vote\.sync|match\.|redux\.|elect\.sync|bar\.warp)")
LEFT_OUT = re.compile(r"^(mma\.sp|wmma|wgmma|tcgen05|bar|barrier|activemask|setmaxnreg|shfl\.(?!sync)|vote\.(?!sync))")
CARRIES = re.compile(r"^(addc|subc|madc)\b")


class Case:
    def __init__(self, line):
        self.text, registers, *written = line.rstrip("\n").split("\t")
        self.registers = [(name, int(bits)) for name, bits in (one.split(":") for one in registers.split())]
        self.written = []  # number, digest, the lanes that do not count
        for one in written:
            number, digest, lanes = one.split(":")
            self.written.append((int(number), digest, [int(mask, 16) for mask in lanes.split(",")]))


# ------------------------------------------------------------------------------------------------- here


def load(number, name, bits):
    if bits == 1:
        return f"ld.global.b32 %zw,[%zin+{number * SLOT}]; and.b32 %zw,%zw,1; setp.ne.u32 {name},%zw,0;"
    return f"ld.global.b{bits} {name},[%zin+{number * SLOT}];"


def store(at, name, bits):
    if bits == 1:
        return f"selp.u32 %zw,1,0,{name}; st.global.b32 [%zout+{at}],%zw;"
    return f"st.global.b{bits} [%zout+{at}],{name};"


def kernel(name, cases):
    """The kernel of some cases, one after the other, each with registers of its own."""
    lines = [
        f".visible .entry {name}(.param .u64 in, .param .u64 out) {{",
        ".reg .b64 %zin, %zout; .reg .b32 %zt, %zc, %zw;",
        "ld.param.u64 %zin,[in]; ld.param.u64 %zout,[out];",
        "mov.u32 %zt,%tid.x; mov.u32 %zc,%ctaid.x; mad.lo.u32 %zt,%zc,64,%zt;",
        "mad.wide.u32 %zin,%zt,8,%zin; mad.wide.u32 %zout,%zt,8,%zout;",
    ]
    at = 0
    for case in cases:
        lines.append("{")
        lines += [f".reg .{TYPES[re.match('%[a-z]+', name)[0]]} {name};" for name, _ in case.registers]
        lines += [load(i, *one) for i, one in enumerate(case.registers)]
        if CARRIES.match(case.text):
            lines.append("shl.b32 %zw,%zt,31; add.cc.u32 %zw,%zw,%zw;")
        lines.append(case.text)
        for number, _, _ in case.written:
            lines.append(store(at, *case.registers[number]))
            at += SLOT
        lines.append("}")
    return "\n".join([*lines, "ret;", "}", ""])


def enumerated(ptxray, name, version, most):
    """texts that are accepted; the other half of what is enumerated is not"""
    command = [ptxray, "isa", "--enumerate", name, "--count", str(2 * most), "--target", TARGET, "--ptx", version]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    texts = [line for line in lines if line and "//" not in line and not LEFT_OUT.match(line)]
    return [re.sub(r"[^ ,]+;$", "0xffffffff;", text) if MASKED.match(text) else text for text in texts]


def assembled(ptxas, folder, name, cases, header):
    """The cases whose kernel could be assembled: where ptxas refuses some, each half is tried alone."""
    source = folder / f"{name}.ptx"
    source.write_text(header + kernel("kern", cases))
    for level in (0, 3):
        command = [ptxas, f"-O{level}", f"-arch={TARGET}", source, "-o", folder / f"{name}.O{level}.cubin"]
        result = subprocess.run(["nice", *command], capture_output=True)
        if result.returncode != 0:
            if len(cases) == 1:
                print(f"ptxas refuses {cases[0].text}", file=sys.stderr)
                return []
            middle = len(cases) // 2
            first = assembled(ptxas, folder, name + "a", cases[:middle], header)
            return first + assembled(ptxas, folder, name + "b", cases[middle:], header)
    return [(name, cases)]


def build(options):
    ptxray, cases_tool = (options.build / path for path in ("tools/ptxray/ptxray", "test/device/semantics-cases"))
    version = "9.0"
    listed = subprocess.run([ptxray, "isa", "--list"], check=True, capture_output=True, text=True).stdout
    names = sorted({line.split("\t")[0] for line in listed.splitlines() if "\t" in line})
    names = options.only.split(",") if options.only else [name for name in names if not LEFT_OUT.match(name)]
    folder = options.folder
    work = folder.with_name(folder.name + "-work")
    for path in (folder, work):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    texts = [text for name in names for text in enumerated(ptxray, name, version, options.most)]
    subprocess.run([cases_tool, work], input="\n".join(dict.fromkeys(texts)) + "\n", text=True, check=True)
    cases = [Case(line) for line in (work / "cases.txt").open()]
    groups = [cases[i : i + CASES_A_KERNEL] for i in range(0, len(cases), CASES_A_KERNEL)]
    header = f".version {version}\n.target {TARGET}\n.address_size 64\n"
    modules = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(assembled, options.ptxas, work, f"m{i:04}", one, header) for i, one in enumerate(groups)]
        for job in jobs:
            modules += job.result()
    lines = {case.text: line for case, line in zip(cases, (work / "cases.txt").open())}
    with (work / "modules.txt").open("w") as out:
        for name, group in modules:
            out.write(f"module {name}\n" + "".join(lines[case.text] for case in group))
    with lzma.open(folder / "semantics.tar.xz", "wb", preset=3) as xz, tarfile.open(fileobj=xz, mode="w") as tar:
        cubins = [f"{name}.O{level}.cubin" for name, _ in modules for level in (0, 3)]
        for path in ["inputs.bin", "modules.txt", *cubins]:
            tar.add(work / path, path)
    for script in (pathlib.Path(__file__), pathlib.Path(cuda.__file__)):
        shutil.copy(script, folder / script.name)
    print(f"{folder}: {sum(len(group) for _, group in modules)} texts of {len(cases)} in {len(modules)} modules")


# ------------------------------------------------------------------------------------------------- there


def digest(left, lanes):
    values = bytearray(left)
    for thread in range(THREADS):
        if lanes[thread // 32] >> thread % 32 & 1:
            values[thread * 8 : thread * 8 + 8] = bytes(8)
    return hashlib.md5(values).hexdigest()


def read_modules(folder):
    modules = []
    for line in (folder / "modules.txt").open():
        if line.startswith("module "):
            modules.append((line.split()[1], []))
        else:
            modules[-1][1].append(Case(line))
    return modules


def launched(job):
    """What the kernel of a module leaves in memory by level; None: it ended with an error, and this process with it."""
    work, name, written = job
    try:
        gpu = cuda.Gpu()
        inputs = gpu.memory((work / "inputs.bin").read_bytes())
        buffer = gpu.allocate(written * SLOT)
        left = {}
        for level in (0, 3):
            gpu.clear(buffer, written * SLOT)
            gpu.launch((work / f"{name}.O{level}.cubin").read_bytes(), "kern", THREADS // 64, 64, [inputs, buffer])
            left[level] = gpu.read(buffer, written * SLOT)
        return left
    except RuntimeError:
        return None


def run(folder, output):
    """Each text counts as equal where one of the two levels leaves what was computed: ptxas itself may differ."""
    work = output / "work"
    with lzma.open(folder / "semantics.tar.xz") as packed, tarfile.open(fileobj=packed) as tar:
        tar.extractall(work)
    tallies, notes, ended = {}, [], []
    modules = read_modules(work)
    with multiprocessing.Pool(8, maxtasksperchild=1) as pool:
        jobs = [(work, name, sum(len(case.written) for case in cases)) for name, cases in modules]
        results = pool.map(launched, jobs, 1)
    for (_, cases), left in zip(modules, results):
        if left is None:
            ended += [case.text for case in cases]
            continue
        at = 0
        for case in cases:
            found = {0: True, 3: True}
            for _, expected, lanes in case.written:
                for level in found:
                    found[level] &= digest(left[level][at : at + SLOT], lanes) == expected
                at += SLOT
            tally = tallies.setdefault(re.split(r"[. ]", case.text)[0], [0, 0, 0, 0])
            kind = 0 if all(found.values()) else 1 if found[3] else 2 if found[0] else 3
            tally[kind] += 1
            if kind:
                count = len(case.written) * SLOT
                part = {level: lzma.compress(data[at - count : at]) for level, data in left.items()}
                part = {level: base64.b64encode(packed).decode() for level, packed in part.items()}
                notes.append((("-O0 differs", "-O3 differs", "both differ")[kind - 1], case.text, part))
    shutil.rmtree(work)
    with (output / "semantics.txt").open("w") as out:
        out.write("instruction: equal, -O0 alone differs, -O3 alone differs, both differ\n")
        for name, tally in sorted(tallies.items()):
            out.write(f"{name}: {', '.join(map(str, tally))}\n")
        sums = [sum(tally[i] for tally in tallies.values()) for i in range(4)]
        out.write(f"all: {', '.join(map(str, sums))}\n")
        for text in ended:
            out.write(f"ended\t{text}\n")
        for kind, text, part in notes:
            out.write(f"{kind}\t{text}\t{part[0] if part[0] != part[3] else '='}\t{part[3]}\n")
    differ = f"{sums[1]} differ with -O0 alone, {sums[2]} with -O3 alone, {sums[3]} with both"
    print(f"{sum(sums)} texts: {sums[0]} equal, {differ}; {len(ended)} in kernels that ended with an error")


def shown(path, options):
    """Prints of each text that differs some threads in which it does: what was before, what the GPU left, and what was
    computed, with what tools are now in the build."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    lines = [line for line in lines if len(line) == 4]
    with tempfile.TemporaryDirectory() as folder:
        command = [options.build / "test/device/semantics-cases", folder, "values"]
        subprocess.run(command, input="".join(line[1] + "\n" for line in lines), text=True, check=True)
        cases = {case.text: case for case in map(Case, (pathlib.Path(folder) / "cases.txt").open())}
        inputs = struct.unpack(f"<{PLACES * THREADS}Q", (pathlib.Path(folder) / "inputs.bin").read_bytes())
    for _, text, first, second in lines:
        for level, packed in (0, second if first == "=" else first), (3, second):
            values = [value for (value,) in struct.iter_unpack("<Q", lzma.decompress(base64.b64decode(packed)))]
            show_differences(f"-O{level}: {text}", cases[text], inputs, values)


def show_differences(title, case, inputs, values, most=4):
    threads = []
    for i, (_, expected, lanes) in enumerate(case.written):
        for thread, value in enumerate(expected.split()):
            if not lanes[thread // 32] >> thread % 32 & 1 and int(value, 16) != values[i * THREADS + thread]:
                threads.append((thread, value, values[i * THREADS + thread]))
    if threads:
        print(f"{title}   {len(threads)} values differ")
    for thread, expected, found in threads[:: -(-len(threads) // most) or 1]:
        before = [inputs[i * THREADS + thread] & (1 << bits) - 1 for i, (_, bits) in enumerate(case.registers)]
        print(f"    {' '.join(f'{value:x}' for value in before)} -> {found:x}, computed {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["build", "run", "show"])
    parser.add_argument("output", nargs="*", type=pathlib.Path)
    here = pathlib.Path(__file__).resolve()
    root = here.parents[2] if here.parent.name == "device" else here.parent
    parser.add_argument("--build", type=pathlib.Path, default=root / "build/release")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--folder", type=pathlib.Path, default=root / "build/semantics")
    parser.add_argument("--only", help="instructions, with commas")
    parser.add_argument("--most", type=int, default=400, help="texts of each instruction")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.command == "build":
        build(options)
    elif options.command == "run":
        run(pathlib.Path(__file__).resolve().parent, options.output[0] if options.output else pathlib.Path())
    else:
        shown(options.output[0], options)


if __name__ == "__main__":
    main()
