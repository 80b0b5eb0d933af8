#!/usr/bin/env python3
"""Compares the counters of `ptxray run --emulate --counters` with those of Nsight Compute on a GPU.

    counters.py make PTXRAY PTXRAY_RUN PTXAS FOLDER [KERNELS]  here: kernels of address patterns and those of the
                                                               repository (or of a folder) that say how they are run
    counters.py run FOLDER OUTPUT                              there: with ncu and libcuda.so.1
    counters.py show PTXRAY FOLDER OUTPUT                      here: how many lines have the same numbers

Each line of a kernel is a source line for ptxas (`.loc`), which reports the machine instructions of each line."""

import csv
import json
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PATTERNS = 96  # number of accesses of each kind
INACTIVE = 0xFFFFFFFF
NAMES = {
    "Instructions Executed": "inst_executed",
    "Thread Instructions Executed": "thread_inst_executed",
    "Predicated-On Thread Instructions Executed": "thread_inst_executed_true",
    "L1 Wavefronts Shared": "memory_l1_wavefronts_shared",
    "L1 Wavefronts Shared Ideal": "memory_l1_wavefronts_shared_ideal",
    "L2 Theoretical Sectors Global": "memory_l2_theoretical_sectors_global",
    "L2 Theoretical Sectors Global Ideal": "memory_l2_theoretical_sectors_global_ideal",
    "L1 Tag Requests Global": "memory_l1_tag_requests_global",
}
VECTORS = {1: "{kind}0", 2: "{{{kind}0,{kind}1}}", 4: "{{{kind}0,{kind}1,{kind}2,{kind}3}}"}


def accesses():
    """Returns accesses through the lane's address %a in shared or %g in global memory, with their sizes."""
    for type_, kind, size in (("u8", "%h", 1), ("u16", "%h", 2), ("u32", "%r", 4), ("u64", "%d", 8)):
        for count in (1, 2, 4):
            if count * size > 16 or (count > 1 and size < 4):
                continue
            vector = f".v{count}" if count > 1 else ""
            registers = VECTORS[count].format(kind=kind)
            for space, address in (("shared", "%a"), ("global", "%g")):
                yield f"@%p ld.volatile.{space}{vector}.{type_} {registers}, [{address}];", count * size
                yield f"@%p st.volatile.{space}{vector}.{type_} [{address}], {registers};", count * size
    for count in (1, 2, 4):
        registers = VECTORS[count].format(kind="%r").strip("{}")
        for trans in ("", ".trans"):
            yield f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [%a];", 16
        yield f"stmatrix.sync.aligned.m8n8.x{count}.shared.b16 [%a], {{{registers}}};", 16
    for space, address in (("shared", "%a"), ("global", "%g")):
        yield f"@%p atom.{space}.add.u32 %r0, [{address}], %r1;", 4
        yield f"@%p atom.{space}.exch.b32 %r0, [{address}], %r1;", 4
        yield f"@%p atom.{space}.max.s32 %r0, [{address}], %r1;", 4
        yield f"@%p atom.{space}.exch.b64 %d0, [{address}], %d1;", 8
        yield f"@%p red.{space}.add.u32 [{address}], %r1;", 4
    for size in (4, 8, 16):
        yield f"@%p cp.async.{'cg' if size == 16 else 'ca'}.shared.global [%a], [%g], {size};", size


def pattern(pick, size, is_whole):
    """Returns addresses of 32 lanes below 16 KB."""
    most = 16384 // size
    kind = pick.randrange(8)
    if kind == 0:
        lanes = [pick.randrange(most) for _ in range(32)]
    elif kind == 1:
        step = pick.choice((1, 2, 3, 4, 5, 8, 16, 17, 32, 33))
        lanes = [lane * step % most for lane in range(32)]
    elif kind == 2:
        few = [pick.randrange(most) for _ in range(pick.choice((1, 2, 3, 6, 12)))]
        lanes = [pick.choice(few) for _ in range(32)]
    elif kind == 3:
        mask = pick.randrange(32)
        lanes = [lane ^ mask for lane in range(32)]
    elif kind == 4:
        lanes = pick.sample(range(32), 32)
    elif kind == 5:
        together = pick.choice((1, 2, 4, 8, 16))
        lanes = [lane // together for lane in range(32)]
    elif kind == 6:
        lanes = [pick.randrange(max(1, 128 // size)) for _ in range(32)]  # each bank is accessed only once
    else:
        row, step = pick.choice((2, 4, 8)), pick.choice((1, 8, 9, 32, 33))
        lanes = [(lane % row * step + lane // row * 32) % most for lane in range(32)]
    on = range(32)
    if not is_whole and pick.random() < 0.5:
        first, end = pick.choice(((0, 32), (0, 16), (16, 32), (0, 24), (8, 32)))
        on = pick.sample(range(first, end), pick.choice((1, 2, 7, 13, end - first)))
    return [lane * size if number in on else INACTIVE for number, lane in enumerate(lanes)]


def pattern_kernel(text):
    """Builds a kernel that accesses memory with one pattern after the other. Its result depends on all loaded
    values."""
    lines = [
        ".version 8.0\n.target sm_90a\n.address_size 64",
        ".visible .entry kernel(.param .u64 patterns, .param .u64 data) {",
        ".reg .b16 %h<4>; .reg .b32 %r<8>, %a, %t, %base, %sum; .reg .pred %p;",
        ".reg .b64 %d<4>, %g, %from, %data, %wide;",
        ".shared .align 128 .b8 held[16384];",
        "ld.param.u64 %from, [patterns];",
        "ld.param.u64 %data, [data];",
        "mov.u32 %t, %laneid;",
        "mul.wide.u32 %wide, %t, 4;",
        "add.u64 %from, %from, %wide;",
        "mov.u32 %base, held;",
    ]
    lines += [f"mov.b{bits} {kind}{i}, 1;" for bits, kind in ((16, "%h"), (32, "%r"), (64, "%d")) for i in range(4)]
    lines.append("mov.u32 %sum, 0;")
    for number in range(PATTERNS):
        lines += [
            f"ld.global.u32 %a, [%from+{128 * number}];",
            f"setp.ne.u32 %p, %a, {INACTIVE};",
            "cvt.u64.u32 %wide, %a;",
            "add.u64 %g, %data, %wide;",
            "add.u32 %a, %a, %base;",
            text,
        ]
        if text.startswith(("ldmatrix", "@%p atom")):
            used = "%d0" if "b64" in text else "%r0"
            lines.append(f"cvt.u32.u64 %t, {used};" if used == "%d0" else f"mov.b32 %t, {used};")
            lines += [
                "xor.b32 %sum, %sum, %t;",
                *[f"xor.b32 %sum, %sum, %r{i};" for i in (1, 2, 3) if f"%r{i}," in text],
            ]
    lines += ["cp.async.wait_all;", "st.global.u32 [%data], %sum;", "ret;", "}"]
    return "\n".join(lines) + "\n"


def with_lines(text, name):
    """Returns the text with a source line for each line that begins with an instruction."""
    result = []
    has_file = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if re.match(r"\.(loc|file)\b", stripped):
            continue
        if re.match(r"(@!?%?\w+\s+)?[a-z][\w.:]*\s", stripped + " ") and not stripped.endswith(":"):
            result.append(f".loc 1 {number} 0")
        result.append(line)
        if stripped.startswith(".address_size") and not has_file:
            result.append(f'.file 1 "{name}"')
            has_file = True
    return "\n".join(result) + "\n"


def launches(folder):
    """Returns the kernels of a folder that have a fault-free run line: `// run: ARGUMENT...`."""
    for path in sorted(folder.rglob("*.ptx")):
        text = path.read_text()
        run = re.search(r"^// run: (.*)$((?:\n// (?!run).*)*)", text, re.M)
        if not run or "// status" in run[2] or "vprintf" in text:
            continue
        words = [
            one
            for one in shlex.split(run[1])
            if not re.match(r"--(out|repeat|fresh|format|sched|cores|trace|fidelity)", one)
        ]
        if any(one.startswith(("--no-checks", "--time-limit", "--trap", "--emulate")) for one in words):
            continue
        yield path, words


def launcher_words(ptxray, path, words):
    """Returns the command line with which `ptxray run` calls ptxray-run, from the options to the values."""
    with tempfile.TemporaryDirectory() as folder:
        fake, kept = pathlib.Path(folder) / "ptxray-run", pathlib.Path(folder) / "words"
        fake.write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {kept}\nexit 1\n")
        fake.chmod(0o755)
        command = [ptxray, "run", "--jit", path.name, *words]
        environment = {"PTXRAY_RUN": str(fake), "PATH": "/usr/bin:/bin"}
        subprocess.run(command, cwd=path.parent, env=environment, capture_output=True)
        all_words = kept.read_text().split("\0")[:-1] if kept.exists() else []
    if "--" not in all_words:
        return None
    middle = all_words.index("--")
    options = [one for one in all_words[:middle] if one not in ("--validate", "--jit")]
    return options, all_words[middle + 2 :]


def make(ptxray, ptxray_run, ptxas, folder, kernels):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(ptxray_run, folder / "ptxray-run")
    pick = random.Random(1)
    cases = []
    for text, size in accesses():
        name = f"pattern{len(cases):02}"
        (folder / f"{name}.ptx").write_text(pattern_kernel(text))
        addresses = [one for _ in range(PATTERNS) for one in pattern(pick, size, "matrix" in text)]
        (folder / f"{name}.bin").write_bytes(b"".join(one.to_bytes(4, "little") for one in addresses))
        cases.append({"name": name, "text": text, "words": ["--block=32", f"file:{name}.bin", "zeros:u8:65536"]})
    for path, words in launches(pathlib.Path(kernels)):
        shutil.copy(path, folder)
        cases.append({"name": path.stem, "text": "", "words": words})
    kept = []
    for case in cases:
        path = folder / f"{case['name']}.ptx"
        lined = path.with_suffix(".lined")
        lined.write_text(with_lines(path.read_text(), path.name))
        command = [ptxas, "-arch=sm_90a", "-lineinfo", lined, "-o", path.with_suffix(".cubin")]
        result = subprocess.run(command, capture_output=True, text=True)
        case["launch"] = launcher_words(ptxray, path, case["words"])
        if result.returncode or not case["launch"]:
            print(f"{case['name']} is left out: {result.stderr.strip() or 'it cannot be launched'}")
            continue
        kept.append(case)
    (folder / "cases.json").write_text(json.dumps(kept, indent=1))
    print(f"{len(kept)} of {len(cases)} kernels")


def run(folder, output):
    folder, output = pathlib.Path(folder).resolve(), pathlib.Path(output).resolve()
    (folder / "ptxray-run").chmod(0o755)
    for case in json.loads((folder / "cases.json").read_text()):
        options, values = case["launch"]
        profile = ["ncu", "--clock-control", "none", "--section", "SourceCounters", "--page", "source", "--csv"]
        command = [*profile, "./ptxray-run", *options, "--", f"{case['name']}.cubin", *values]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        (output / f"{case['name']}.csv").write_text(done.stdout)
        if done.returncode:
            print(case["name"], done.returncode, done.stdout[-300:], done.stderr[-300:])


def lines_of(cubin):
    """Returns the line of each machine instruction that begins a stretch, by its offset in ptxas's line table."""
    tool = shutil.which("llvm-dwarfdump-22") or shutil.which("llvm-dwarfdump")
    printed = subprocess.run([tool, "--debug-line", cubin], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^0x([0-9a-f]+) +(\d+) .*$", printed, re.M)
    return sorted((int(offset, 16), int(line)) for offset, line in rows)


def profiled(path, cubin):
    """Returns the counters of the profiler for the machine instructions of each line that access memory."""
    lines, head, first, starts = {}, None, None, lines_of(cubin)
    for row in csv.reader(path.open()):
        if row[:1] == ["Address"]:
            head = row
        elif head and len(row) == len(head):
            found = dict(zip(head, row))
            address = int(found["Address"], 16)
            first = address if first is None else first
            line = [line for offset, line in starts if offset <= address - first][-1:]
            if line and {"Shared", "Global", "Generic"} & set(found.get("Address Space", "").split(",")):
                lines.setdefault(line[0], []).append(found)
    return lines


def show(ptxray, folder, output):
    folder, output = pathlib.Path(folder), pathlib.Path(output)
    alike, all_, left_out = {}, {}, 0
    for case in json.loads((folder / "cases.json").read_text()):
        with tempfile.NamedTemporaryFile(suffix=".json") as counts:
            command = [ptxray, "run", "--emulate", "--no-checks", f"--counters={counts.name}", f"{case['name']}.ptx"]
            subprocess.run([*command, *case["words"]], cwd=folder, check=True, capture_output=True)
            counted = json.load(counts)
        lines = profiled(output / f"{case['name']}.csv", folder / f"{case['name']}.cubin")
        pattern = case["text"].removeprefix("@%p ").split(" ")[0]
        for instruction in counted["instructions"]:
            made = lines.get(instruction["line"], [])
            own = instruction["counts"]
            if not any(name.startswith("memory") for name in own):
                continue
            if case["text"] and instruction["text"] != case["text"]:
                continue
            if len(made) != 1 or int(made[0]["Instructions Executed"]) != own.get("inst_executed", 0):
                left_out += 1  # ptxas translated the line to several instructions, or merged several lines
                continue
            found = made[0]
            kind = pattern or ("kernels, cp.async.cg" if "cp.async.cg" in instruction["text"] else "kernels")
            for theirs, ours in NAMES.items():
                if ours != "inst_executed" and (int(found.get(theirs) or 0) or own.get(ours)):
                    key = (kind, ours)
                    all_[key] = all_.get(key, 0) + 1
                    alike[key] = alike.get(key, 0) + (int(found.get(theirs) or 0) == own.get(ours, 0))
    for (kind, name), count in sorted(all_.items()):
        print(f"{kind:44} {name:46} {alike[kind, name]:5} of {count}")
    print(f"\nwithout cp.async.cg, which the profiler sees at times; {left_out} lines are not one instruction:")
    for name in sorted({name for _, name in all_}):
        keys = [key for key in all_ if key[1] == name and "cp.async.cg" not in key[0]]
        print(f"{name:46} {sum(alike[key] for key in keys):5} of {sum(all_[key] for key in keys)}")


def main():
    what, *words = sys.argv[1:]
    if what == "make":
        own = pathlib.Path(__file__).resolve().parents[1] / "emulate"
        make(*words[:4], words[4] if len(words) > 4 else own)
    elif what == "run":
        run(*words)
    else:
        show(*words)


if __name__ == "__main__":
    main()
