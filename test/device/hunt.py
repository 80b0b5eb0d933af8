#!/usr/bin/env python3
"""Generated programs on a GPU: three answers, and whoever is alone is wrong.

    hunt.py make PTXRAY PTXAS FOLDER FIRST COUNT   here: generates, emulates, assembles at -O0 and -O3, packs FOLDER
    hunt.py run FOLDER [OUTPUT FOLDER]             there: in that folder, with python3 and libcuda.so.1

`make` prints how many programs there are; one that is not emulated or not assembled is named. `run` launches each cubin
and compares what is left in memory with what the emulator left; the output folder gets hunt.txt with a line for each
program that differs: its seed, and which of emulator, -O0 and -O3 agree."""

import concurrent.futures
import ctypes
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

LEVELS = ("-O0", "-O3")
TARGET = "sm_90"


def shell(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def prepared(ptxray, ptxas, seed):
    """The launch and the expected memory of a program, its input, and its cubins; a text: why there are none."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, result, given = folder / "p.ptx", folder / "result", folder / "input"
        made = shell(ptxray, "generate", f"--seed={seed}", f"--size={40 + seed % 160}", f"--target={TARGET}")
        path.write_bytes(made.stdout)
        launch = re.search(rb"(?m)^// run: (.*)$", made.stdout)[1].decode().split()
        outs = (f"--out=0=file:{given}", f"--out=1=file:{result}")
        ran = shell(ptxray, "run", "--emulate", "--cores=1", path, *outs, *launch)
        if ran.returncode != 0:
            return f"seed {seed}: not emulated: {ran.stdout.decode(errors='replace')[:300]}"
        cubins = {}
        for level in LEVELS:
            built = shell(ptxas, f"-arch={TARGET}", level, path, "-o", folder / "cubin")
            if built.returncode != 0:
                return f"seed {seed}: ptxas {level}: {built.stdout.decode(errors='replace')[:300]}"
            cubins[level] = (folder / "cubin").read_bytes()
        grid, block = (int(word.split("=")[1]) for word in launch[:2])
        about = {"seed": seed, "grid": grid, "block": block, "bytes": result.stat().st_size}
        about["expected"] = hashlib.md5(result.read_bytes()).hexdigest()
        return about, given.read_bytes(), cubins


def make(ptxray, ptxas, folder, first, count):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    programs, longest = [], b""
    seeds = range(int(first), int(first) + int(count))
    with tarfile.open(folder / "cubins.tar.xz", "w:xz") as packed, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for one in pool.map(lambda seed: prepared(ptxray, ptxas, seed), seeds):
            if isinstance(one, str):
                print(one)
                continue
            about, given, cubins = one
            programs.append(about)
            longest = max(longest, given, key=len)
            assert longest.startswith(given), "all programs read the begin of the same numbers"
            for level, cubin in cubins.items():
                entry = tarfile.TarInfo(f"{about['seed']}{level}")
                entry.size = len(cubin)
                packed.addfile(entry, io.BytesIO(cubin))
    (folder / "input.bin").write_bytes(longest)
    (folder / "programs.json").write_text(json.dumps(programs))
    (folder / "hunt.py").write_bytes(pathlib.Path(__file__).read_bytes())
    print(f"{len(programs)} programs in {folder}")


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *args):
        result = getattr(self.cuda, name)(*args)
        if result != 0:
            raise RuntimeError(f"{name}: error {result}")

    def memory(self, data):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
        self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
        return pointer

    def launch(self, cubin, about, given, output):
        """The sum of what the kernel leaves in the output."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        size = ctypes.c_size_t(about["bytes"])
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"generated")
        self.call("cuMemsetD8_v2", output, 0, size)
        words = (ctypes.c_void_p * 2)(ctypes.addressof(given), ctypes.addressof(output))
        self.call("cuLaunchKernel", function, about["grid"], 1, 1, about["block"], 1, 1, 0, None, words, None)
        self.call("cuCtxSynchronize")
        left = ctypes.create_string_buffer(about["bytes"])
        self.call("cuMemcpyDtoH_v2", left, output, size)
        self.call("cuModuleUnload", module)
        return hashlib.md5(left.raw).hexdigest()


def verdict(answers):
    """Who agrees: `emulator -O0 | -O3`"""
    groups = {}
    for who, answer in answers.items():
        groups.setdefault(answer, []).append(who)
    return " | ".join(" ".join(group) for group in groups.values())


def run(folder, output=None, begin="0"):
    folder = pathlib.Path(folder)
    output = pathlib.Path(output or folder)
    programs = json.loads((folder / "programs.json").read_text())
    data = (folder / "input.bin").read_bytes()
    driver = Driver()
    given, left = driver.memory(data), driver.memory(bytes(len(data)))
    with tarfile.open(folder / "cubins.tar.xz") as packed:
        cubins = {member.name: packed.extractfile(member).read() for member in packed}
    report = (output / "hunt.txt").open("a" if int(begin) else "w")
    differing = 0
    for number, about in list(enumerate(programs))[int(begin) :]:
        answers = {"emulator": about["expected"]}
        for level in LEVELS:
            try:
                answers[level] = driver.launch(cubins[f"{about['seed']}{level}"], about, given, left)
            except RuntimeError as problem:  # the driver is of no use any more
                print(f"seed {about['seed']} {level}: {problem}", file=report, flush=True)
                os.execv(sys.executable, [sys.executable, __file__, "run", folder, output, str(number + 1)])
        if len(set(answers.values())) > 1:
            differing += 1
            print(f"seed {about['seed']}: {verdict(answers)}", file=report, flush=True)
    threads = sum(about["grid"] * about["block"] for about in programs)
    print(f"{len(programs)} programs, {threads} threads each level, {differing} differ", file=report, flush=True)
    print((output / "hunt.txt").read_text())


if __name__ == "__main__":
    {"make": make, "run": run}[sys.argv[1]](*sys.argv[2:])
