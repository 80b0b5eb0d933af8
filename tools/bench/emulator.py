"""Compares the speed of the emulator with vectorised C++ code for the same computations."""

import json
import os
import pathlib
import re
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent / "emulator"
# The columns are the kernel, its launch, and the allowed multiple of the time of the C++ code.
KERNELS = {
    "saxpy": (["--grid=4096", "--block=256", "fill:f32:1048576:3", "fill:f32:1048576:1"], 25),
    "product": (["--grid=16,16", "--block=16,16", *["fill:f32:65536:1"] * 3], 25),
    "hash": (["--grid=1024", "--block=256", "fill:u32:262144:7"], 4),
    "reduction": (["--grid=4096", "--block=256", "fill:u32:1048576:3", "zeros:u32:4096"], 25),
    "divergent": (["--grid=256", "--block=256", "zeros:u32:65536"], 25),
}
# The columns are the kernel of tensor.ptx, its launch without the rounds, the work of a round, its unit, and the
# required amount per second.
TENSOR_ROUNDS = 2000
TENSOR_KERNELS = {
    "warpgroup": (["--block=128", "zeros:f32:128"], 64 * 64 * 16, "products of f16 of a warpgroup", 5),
    "warp": (["--block=32", "zeros:f32:32"], 16 * 8 * 16, "products of f16 of a warp", 1),
    "tile": (
        ["--block=32", "--buffer=a=zeros:f16:8192", "tma=f16:64x128:swizzle=128:box=64x128:&a", "zeros:u32:1"],
        16384,
        "bytes of tensor copies",
        2,
    ),
}
# These are kernels of blackwell.ptx, whose rounds are longer.
BLACKWELL_ROUNDS = 200
BLACKWELL_LAUNCH = ["--block=32", "zeros:u32:32"]
BLACKWELL_KERNELS = {
    "tensor": (BLACKWELL_LAUNCH, 128 * 128 * 16, "products of f16 in tensor memory", 5),
    "scaled8": (BLACKWELL_LAUNCH, 128 * 128 * 32, "products of scaled blocks of e4m3", 2),
    "scaled4": (BLACKWELL_LAUNCH, 128 * 128 * 64, "products of scaled groups of e2m1", 2),
}
ROUNDS = 3


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)


def launched(program, name, *options):
    """Returns the shortest time of a launch, in microseconds."""
    words = [*options, *KERNELS[name][0]]
    command = [program, "run", "--emulate", "--no-config", HERE / "kernels.ptx", f"--kernel={name}", "--repeat=5"]
    return float(re.search(r"(\S+) us shortest", output(*command, *words).stdout)[1])


def executed(program, name, folder):
    """Returns the number of lane instructions that a launch executes."""
    path = folder / "counts.json"
    words = [f"--kernel={name}", f"--counters={path}", *KERNELS[name][0]]
    output(program, "run", "--emulate", "--no-config", HERE / "kernels.ptx", *words)
    return json.loads(path.read_text())["counts"]["thread_inst_executed"]


def tensor_of(report, program, file, kernels, rounds):
    for name, (words, made, what, least) in kernels.items():
        speeds = []
        for checks in ([], ["--no-checks"]):
            command = [program, "run", "--emulate", "--no-config", HERE / file, f"--kernel={name}", "--cores=1"]
            found = output(*command, "--repeat=5", *checks, *words, rounds).stdout
            speeds.append(made * rounds / float(re.search(r"(\S+) us shortest", found)[1]) / 1e3)
        report.line(f"emulator: {what} a second on one core without checks, G", speeds[1], least, True)
        report.note(f"{what}: {speeds[0]:.2f} G a second with checks, {speeds[1]:.2f} without")


def all_of(report, program, folder):
    compiler = os.environ.get("CXX", "clang++-22")
    twins = folder / "twins"
    output(compiler, "-std=c++20", "-O3", "-march=x86-64-v3", HERE / "twins.cpp", "-o", twins)
    speeds, unchecked, pairs = [], [], []
    for name, (_, most) in KERNELS.items():
        times = {"checked": [], "unchecked": [], "two": [], "twin": []}
        for _ in range(ROUNDS):  # the kernels take turns
            times["checked"].append(launched(program, name, "--cores=1"))
            times["unchecked"].append(launched(program, name, "--cores=1", "--no-checks"))
            times["two"].append(launched(program, name, "--cores=2"))
            times["twin"].append(float(output(twins, name).stdout.split()[0]))
        least = {key: min(values) for key, values in times.items()}
        lanes = executed(program, name, folder)
        speeds.append(lanes / least["checked"] / 1e3)
        unchecked.append(lanes / least["unchecked"] / 1e3)
        pairs.append(least["checked"] / least["two"])
        ratio = least["unchecked"] / least["twin"]
        report.line(f"emulator: {name} without checks, times its twin in C++", ratio, most, False)
        report.note(
            f"{name}: {lanes / 1e6:.1f} M instructions of lanes; {speeds[-1]:.2f} G a second with checks, "
            f"{unchecked[-1]:.2f} without; two cores {pairs[-1]:.2f} times one"
        )
    mean, free = statistics.mean(speeds), statistics.mean(unchecked)
    report.line("emulator: instructions of lanes a second on one core with checks, in the mean, G", mean, 4, True)
    report.line("emulator: checks, times the speed without", free / mean, 2, False)
    report.line("emulator: two cores, times one, in the mean", statistics.mean(pairs), 1.8, True)
    tensor_of(report, program, "tensor.ptx", TENSOR_KERNELS, TENSOR_ROUNDS)
    tensor_of(report, program, "blackwell.ptx", BLACKWELL_KERNELS, BLACKWELL_ROUNDS)
