#!/usr/bin/env python3
"""Tests known miscompiles of ptxas: miscompiles.py FOLDER PTXRAY [PTXAS [TARGET]]

FOLDER is `ptx/known-miscompiles` of FuzzX (github.com/SemiAnalysisAI/FuzzX, Apache-2.0), which is not part of this
repository. Each of its folders contains `reduced.ptx`, perhaps `input.bin`, and a CUDA program with the launch. For
each, the script prints the memory that the emulator leaves. With a GPU and PTXAS, it also prints whether the kernel
leaves the same memory there after -O0 and after -O3. TARGET is the target of the GPU (sm_90)."""

import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

import cuda

SIZE, SENTINEL = 512, 0xA5  # bytes of the output: four words per thread, for 32 threads


def launch_of(folder):
    """Returns the threads, the input, and the numbers among the arguments by name."""
    source = folder / "repro_nvcc_inline_ptx.cu"
    constants = {}
    if source.exists():
        for name, value in re.findall(r"constexpr [\w ]+ (k\w+) = (0x[0-9a-f]+|\d+)u?;", source.read_text()):
            constants[name] = int(value, 0)
    given = folder / "input.bin"
    data = given.read_bytes() if given.exists() else b""
    words = [constants.get(f"kInput{i}", 0) for i in range(32)]
    data = data or b"".join(word.to_bytes(4, "little") for word in words)
    return constants.get("kThreads", 32), data, {"x": constants.get("kX", 0)}


def parameters_of(text):
    found = re.search(r"\.entry\s+(\w+)\s*\(([^)]*)\)", text)
    if not found:
        return re.search(r"\.entry\s+(\w+)", text)[1], []
    return found[1], re.findall(r"\.param\s+\.(\w+)\s+(\w+)", found[2])


def value_of(name, type, numbers):
    """Returns `in` or `out` for the buffers, and otherwise a number."""
    if type == "u64":
        return "out" if "out" in name else "in"
    return numbers.get(name, 32)


def emulated(ptxray, path, threads, data, values, folder):
    given, result = folder / "given", folder / "left"
    given.write_bytes(data)
    (folder / "sentinel").write_bytes(bytes([SENTINEL]) * SIZE)
    words, outs = [], []
    for i, value in enumerate(values):
        words.append({"in": f"file:{given}", "out": f"file:{folder / 'sentinel'}"}.get(value, str(value)))
        outs += [f"--out={i}=file:{result}"] if value == "out" else []
    command = [ptxray, "run", "--emulate", "--no-config", "--block", str(threads), *outs, path, *words]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = re.sub(r"\s+", " ", ran.stdout).strip()
    return (result.read_bytes() if outs and result.exists() else None), said, ran.returncode


def launched(gpu, ptxas, target, level, path, kernel, threads, data, values, folder):
    built = subprocess.run(
        [ptxas, f"-arch={target}", level, path, "-o", folder / "cubin"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if built.returncode != 0:
        return f"ptxas ends with {built.returncode}: {' '.join(built.stdout.split())[:80]}"
    if not gpu:
        return None
    buffers = {"in": gpu.memory(data + bytes(SIZE)), "out": gpu.memory(bytes([SENTINEL]) * SIZE)}
    words = [buffers[one] if isinstance(one, str) else ctypes.c_uint32(one) for one in values]
    try:
        gpu.launch((folder / "cubin").read_bytes(), kernel, 1, threads, words)
        return gpu.read(buffers["out"], SIZE)
    except RuntimeError as problem:
        gpu.reset()
        return str(problem)


def shown(left):
    if not isinstance(left, bytes):
        return str(left)
    words = [left[i : i + 4][::-1].hex() for i in range(0, len(left), 4)]
    written = {}
    for i, word in enumerate(words):
        if word != f"{SENTINEL:02x}" * 4:
            written.setdefault(word, []).append(i)
    return ", ".join(
        f"{word} at {' '.join(map(str, at[:6]))}{' ...' if len(at) > 6 else ''}" for word, at in written.items()
    )


def main():
    cases, ptxray, *rest = sys.argv[1:]
    ptxas, target = rest[0] if rest else None, rest[1] if len(rest) > 1 else "sm_90"
    try:
        gpu = cuda.Gpu()
    except (OSError, RuntimeError):
        gpu = None
    ran = equal = wrong = 0
    for case in sorted(one for one in pathlib.Path(cases).iterdir() if (one / "reduced.ptx").exists()):
        text = re.sub(r"(?m)^\.target .*$", f".target {target}", (case / "reduced.ptx").read_text())
        text = text.replace(".version 7.0", ".version 8.8")
        kernel, parameters = parameters_of(text)
        threads, data, numbers = launch_of(case)
        values = [value_of(name, type, numbers) for type, name in parameters]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path = folder / "case.ptx"
            path.write_text(text)
            left, said, status = emulated(ptxray, path, threads, data, values, folder)
            print(f"{case.name}: emulator: {shown(left)}{' ' if said else ''}{said[:300]}")
            ran += left is not None and status == 0
            if not ptxas or status != 0:
                continue
            how = {}
            for level in ("-O0", "-O3"):
                got = launched(gpu, ptxas, target, level, path, kernel, threads, data, values, folder)
                how[level] = got == left
                if got is not None and got != left:
                    print(f"    {level}: {shown(got)}")
            equal += how["-O0"]
            wrong += how["-O0"] and not how["-O3"]
    print(f"{ran} emulated, {equal} as after -O0, {wrong} of these otherwise after -O3")


if __name__ == "__main__":
    main()
