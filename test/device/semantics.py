#!/usr/bin/env python3
"""Compares single instructions on a GPU with the results of lib/Semantics.

    semantics.py build [--build build/release] [--ptxas PATH] [--folder build/semantics] [--group N] [WHICH]
    semantics.py lines [--build build/release] [WHICH]
    semantics.py run [OUTPUT FOLDER]      on a GPU machine: in the built folder, with python3 and libcuda.so.1
    semantics.py show semantics.txt [--build build/release]

WHICH selects instructions: [--only NAME,...] [--most N], or lines of a file: --texts FILE. `build` makes a kernel
for each text that `ptxray isa --enumerate` lists as accepted for sm_90a, that only uses registers, constants and
private memory of the thread, and that `semantics-cases` can compute. The kernel loads the registers, runs the text,
and stores the written values. ptxas compiles each kernel with -O0 and with -O3. `run` launches them and compares the
digests of their results. OUTPUT/semantics.txt contains the number of texts of each instruction that agree, and the
results of the GPU for the others. `show` prints how those differ from the results of the current build. `lines`
prints the computed results in the format of test/semantics, from which `formula-mutation-tests --pool` chooses. The
chosen lines become part of these files if a GPU agrees (`--texts`)."""

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

TARGET, VERSION, THREADS, PLACES = "sm_90a", "9.0", 320, 24
SLOT = THREADS * 8  # bytes of a register in all threads
TYPES = dict(
    zip(
        [
            "%c",
            "%cu",
            "%cs",
            "%p",
            "%h",
            "%hu",
            "%hs",
            "%hf",
            "%hx",
            "%r",
            "%u",
            "%s",
            "%f",
            "%rd",
            "%ud",
            "%sd",
            "%fd",
        ],
        [
            "b8",
            "u8",
            "s8",
            "pred",
            "b16",
            "u16",
            "s16",
            "f16",
            "f16x2",
            "b32",
            "u32",
            "s32",
            "f32",
            "b64",
            "u64",
            "s64",
            "f64",
        ],
    )
)
# These instructions wait for all lanes of a mask, or need metadata of a certain kind.
MASKED = re.compile(r"^(shfl\.sync|vote\.sync|match\.|redux\.|elect\.sync|bar\.warp)")
LEFT_OUT = re.compile(r"^(mma\.sp|wmma|wgmma|tcgen05|bar|barrier|activemask|setmaxnreg|shfl\.(?!sync)|vote\.(?!sync))")
# Memory is private to a thread, and hints that a GPU must interpret are excluded. `.nc` may read old contents.
OWN_MEMORY = re.compile(r"^((?:atom|red|ld|st|(?:ldmatrix|stmatrix)(?=\S*\.shared))\.\S*) ([^\[]*)\[[^\]]*\]([^\[]*)$")
ELSEWHERE = re.compile(r"\.(async|param|const|nc|L2::cache_hint|unified|shared::cluster)\b")
SPACE = re.compile(r"\.(global|shared|local)\b")
CELL = 32  # bytes of a cell
CARRIES = re.compile(r"^(addc|subc|madc)\b")


class Case:
    def __init__(self, line):
        self.text, registers, *written = line.rstrip("\n").split("\t")
        self.registers = [(name, int(bits)) for name, bits in (one.split(":") for one in registers.split())]
        self.written = []  # columns: number, digest, the ignored lanes
        for one in written:
            number, digest, lanes = one.split(":")
            self.written.append((int(number), digest, [int(mask, 16) for mask in lanes.split(",")]))


# ------------------------------------------------------------------------------------------------- here


def load(number, name, bits):
    if bits == 1:
        return f"ld.global.b32 %zw,[%zin+{number * SLOT}]; and.b32 %zw,%zw,1; setp.ne.u32 {name},%zw,0;"
    return f"ld.global.b{bits} {name},[%zin+{number * SLOT}];"


def begin_memory(case):
    """Sets %zm to memory of the thread, and fills it."""
    space = SPACE.search(case.text.split(" ")[0])
    space = space[1] if space else "global"
    lines = {
        "global": ["mov.b64 %zm,%zcell;"],
        "shared": ["mov.b64 %zm,shared_cells; mov.u32 %zw,%tid.x; mad.wide.u32 %zm,%zw,32,%zm;"],
        "local": ["mov.b64 %zm,local_cell;"],
    }[space]
    for i, (name, _) in enumerate(case.registers):
        if name[0] == "m":
            lines.append(f"ld.global.b64 %zd,[%zin+{i * SLOT}]; st.{space}.b64 [%zm+{8 * int(name[1])}],%zd;")
    return lines, space


def store(at, name, bits, space=""):
    if name[0] == "m":
        return f"ld.{space}.b64 %zd,[%zm+{8 * int(name[1])}]; st.global.b64 [%zout+{at}],%zd;"
    if bits == 1:
        return f"selp.u32 %zw,1,0,{name}; st.global.b32 [%zout+{at}],%zw;"
    return f"st.global.b{bits} [%zout+{at}],{name};"


def kernel(name, cases):
    """Returns a kernel with some cases, one after the other, each with separate registers."""
    lines = [
        f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 cells) {{",
        ".reg .b64 %zin, %zout, %zcell, %zm, %zd; .reg .b32 %zt, %zc, %zw;",
        f".shared .align 32 .b8 shared_cells[{64 * CELL}]; .local .align 32 .b8 local_cell[{CELL}];",
        "ld.param.u64 %zin,[in]; ld.param.u64 %zout,[out]; ld.param.u64 %zcell,[cells];",
        "mov.u32 %zt,%tid.x; mov.u32 %zc,%ctaid.x; mad.lo.u32 %zt,%zc,64,%zt;",
        "mad.wide.u32 %zin,%zt,8,%zin; mad.wide.u32 %zout,%zt,8,%zout;",
        f"mad.wide.u32 %zcell,%zt,{CELL},%zcell;",
    ]
    at = 0
    for case in cases:
        lines.append("{")
        loaded = [(i, *one) for i, one in enumerate(case.registers) if one[0][0] == "%" and one[0] != "%zm"]
        lines += [f".reg .{TYPES[re.match('%[a-z]+', name)[0]]} {name};" for _, name, _ in loaded]
        lines += [load(*one) for one in loaded]
        space = ""
        if "[" in case.text:
            memory, space = begin_memory(case)
            lines += memory
        if CARRIES.match(case.text):
            lines.append("shl.b32 %zw,%zt,31; add.cc.u32 %zw,%zw,%zw;")
        lines.append(case.text)
        for number, _, _ in case.written:
            lines.append(store(at, *case.registers[number], space))
            at += SLOT
        lines.append("}")
    return "\n".join([*lines, "ret;", "}", ""])


def enumerated(ptxray, name, most):
    """Returns the accepted texts. The other half of the enumeration is rejected."""
    command = [ptxray, "isa", "--enumerate", name, "--count", str(2 * most), "--target", TARGET, "--ptx", VERSION]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    texts = [line for line in lines if line and "//" not in line and not LEFT_OUT.match(line)]
    texts = [text if ELSEWHERE.search(text) else OWN_MEMORY.sub(r"\1 \2[%zm]\3", text) for text in texts]
    return [re.sub(r"[^ ,]+;$", "0xffffffff;", text) if MASKED.match(text) else text for text in texts]


def assembled(ptxas, folder, name, cases, header):
    """Returns the cases whose kernel can be assembled. If ptxas rejects some, each half is tried separately."""
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


def wanted_texts(options):
    if options.texts:
        return options.texts.read_text().splitlines()
    ptxray = options.build / "tools/ptxray/ptxray"
    listed = subprocess.run([ptxray, "isa", "--list"], check=True, capture_output=True, text=True).stdout
    names = sorted({line.split("\t")[0] for line in listed.splitlines() if "\t" in line})
    names = options.only.split(",") if options.only else [name for name in names if not LEFT_OUT.match(name)]
    return dict.fromkeys(text for name in names for text in enumerated(ptxray, name, options.most))


def computed_cases(options, folder, *arguments):
    command = [options.build / "test/device/semantics-cases", folder, *arguments]
    texts = "".join(text + "\n" for text in wanted_texts(options))
    subprocess.run(command, input=texts, text=True, check=True, stdout=sys.stderr)
    return [Case(line) for line in (folder / "cases.txt").open()]


def print_lines(options):
    with tempfile.TemporaryDirectory() as folder:
        cases = computed_cases(options, pathlib.Path(folder), "values")
        inputs = read_inputs(folder)
    for case in cases:
        after = {number: values.split() for number, values, _ in case.written}
        for thread in range(THREADS):
            if thread % 32 == 0:
                print(case.text)
                print(" ".join(f"{name}:{bits}" for name, bits in case.registers))
            if any(lanes[thread // 32] >> thread % 32 & 1 for _, _, lanes in case.written):
                continue
            before = [inputs[i * THREADS + thread] & (1 << bits) - 1 for i, (_, bits) in enumerate(case.registers)]
            left = [after[i][thread] if i in after else f"{value:x}" for i, value in enumerate(before)]
            print(thread % 32, *(f"{value:x}" for value in before), "->", *left)


def build(options):
    folder = options.folder
    work = folder.with_name(folder.name + "-work")
    for path in (folder, work):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    cases = computed_cases(options, work)
    groups = [cases[i : i + options.group] for i in range(0, len(cases), options.group)]
    header = f".version {VERSION}\n.target {TARGET}\n.address_size 64\n"
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
    """Returns the memory after the kernel of a module by level. Returns None if it ended with an error, which also
    ends this process."""
    work, name, written = job
    try:
        gpu = cuda.Gpu()
        inputs = gpu.memory((work / "inputs.bin").read_bytes())
        buffer = gpu.allocate(written * SLOT)
        cells = gpu.allocate(THREADS * CELL)
        left = {}
        for level in (0, 3):
            gpu.clear(buffer, written * SLOT)
            gpu.launch(
                (work / f"{name}.O{level}.cubin").read_bytes(), "kern", THREADS // 64, 64, [inputs, buffer, cells]
            )
            left[level] = gpu.read(buffer, written * SLOT)
        return left
    except RuntimeError:
        return None


def run(folder, output):
    """Runs all kernels. A text counts as equal if one of the two levels leaves the computed result, since ptxas may
    differ."""
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


def read_inputs(folder):
    return struct.unpack(f"<{PLACES * THREADS}Q", (pathlib.Path(folder) / "inputs.bin").read_bytes())


def shown(path, options):
    """Prints some threads for each text that differs: the values before, the result of the GPU, and the result of
    the tools in the build."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    lines = [line for line in lines if len(line) == 4]
    with tempfile.TemporaryDirectory() as folder:
        command = [options.build / "test/device/semantics-cases", folder, "values"]
        subprocess.run(command, input="".join(line[1] + "\n" for line in lines), text=True, check=True)
        cases = {case.text: case for case in map(Case, (pathlib.Path(folder) / "cases.txt").open())}
        inputs = read_inputs(folder)
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
    parser.add_argument("command", choices=["build", "lines", "run", "show"])
    parser.add_argument("output", nargs="*", type=pathlib.Path)
    here = pathlib.Path(__file__).resolve()
    root = here.parents[2] if here.parent.name == "device" else here.parent
    parser.add_argument("--build", type=pathlib.Path, default=root / "build/release")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--folder", type=pathlib.Path, default=root / "build/semantics")
    parser.add_argument("--only", help="instructions, with commas")
    parser.add_argument("--texts", type=pathlib.Path, help="instructions in a file, in the place of those enumerated")
    parser.add_argument("--most", type=int, default=400, help="texts of each instruction")
    parser.add_argument("--group", type=int, default=24, help="texts of one kernel, which an error of one ends")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.command == "build":
        build(options)
    elif options.command == "lines":
        print_lines(options)
    elif options.command == "run":
        run(pathlib.Path(__file__).resolve().parent, options.output[0] if options.output else pathlib.Path())
    else:
        shown(options.output[0], options)


if __name__ == "__main__":
    main()
