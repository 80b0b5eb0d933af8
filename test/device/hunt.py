#!/usr/bin/env python3
"""Generated programs: what the emulator, and a GPU with what ptxas made of them, leave in memory. Whoever is alone is wrong.

    hunt.py run FOLDER [--first N] [--count N] [--seconds S] [--jobs N] [--ptxray PATH] [--ptxas PATH]
    hunt.py judge FILE [VERDICT]     what the answers to one program are; with a verdict: whether they are these
    hunt.py reduce FOLDER            makes each program that was found smaller, with the same verdict
    hunt.py bundle FOLDER            what another machine needs to run this there

A campaign goes on where it was stopped: FOLDER/done.txt has a line for each program, FOLDER/found those that differ,
and those that are refused. On a machine without a GPU the emulator alone is asked, by several schedules, and ptxas
whether it takes the program at each level. A verdict names those that agree: `emulator -O0 | -O1 -O2 -O3`."""

import argparse
import collections
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import cuda

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1] if HERE.name == "device" else HERE
LEVELS = ("-O0", "-O1", "-O2", "-O3")
TARGET = "sm_90a"
# What programs are made of in turn, so that each kind of step is also seen without the others around it.
FAMILIES = (
    "compute,memory,atomics,warp,barriers,matrices,control",
    "compute,control",
    "compute",
    "compute,memory,control",
    "compute,memory,atomics,warp,barriers,control",
    "compute,warp,matrices",
)


class Found(Exception):
    """An answer that is none: who did not give it, and why."""


class Tools:
    def __init__(self, options):
        self.ptxray, self.ptxas = str(options.ptxray), str(options.ptxas)
        self.blocks, self.until, self.launch = options.blocks, options.until, options.launch
        self.gpu, self.given, self.left, self.size = None, None, None, 0

    def has_gpu(self):
        if self.gpu is None:
            try:
                self.gpu = cuda.Gpu()
            except (OSError, RuntimeError):
                self.gpu = False
        return bool(self.gpu)

    def run(self, who, *command, seconds=120):
        try:
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Found(f"{who} does not end") from None
        text = ran.stdout.decode(errors="replace")
        if ran.returncode != 0:
            raise Found(f"{who} ends with {ran.returncode}: {text[:2000]}")
        return text

    def generated(self, seed):
        families = FAMILIES[seed % len(FAMILIES)]
        words = [f"--seed={seed}", f"--size={20 + seed * 7 % 160}", f"--target={TARGET}", f"--blocks={self.blocks}"]
        return self.run("the generator", self.ptxray, "generate", *words, f"--families={families}")

    def launch_of(self, text):
        """The second line of a program says it; of one that was made smaller it is not there any more."""
        return self.launch or re.search(r"(?m)^// run: (.*)$", text)[1]

    def emulated(self, path, folder, schedule):
        """What a program has in its first buffer, and what it leaves in the second one."""
        outs = [f"--out=0=file:{folder / 'given'}", f"--out=1=file:{folder / 'left'}"]
        command = [self.ptxray, "run", "--emulate", "--no-config", "--cores=1", f"--schedule={schedule}", *outs]
        said = self.run("emulator", *command, path, *self.launch_of(path.read_text()).split())
        if said:
            raise Found(f"emulator says {said[:2000]}")
        return (folder / "given").read_bytes(), (folder / "left").read_bytes()

    def launched(self, path, cubin, given):
        text, gpu = path.read_text(), self.gpu
        grid, block = shape_of(self.launch_of(text))
        if self.size < len(given):
            self.given, self.left, self.size = gpu.allocate(len(given)), gpu.allocate(len(given)), len(given)
        gpu.write(self.given, given)
        gpu.clear(self.left, len(given))
        try:
            kernel = re.search(r"\.entry\s+([\w$]+)", text)[1]
            gpu.launch(cubin, kernel, grid, block, [self.given, self.left])
            return gpu.read(self.left, len(given))
        except RuntimeError as problem:
            self.size = 0
            gpu.reset()
            raise Found(f"GPU: {problem}") from None

    def answers(self, path):
        """What each leaves in memory; or what it says instead."""
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
            folder = pathlib.Path(name)
            given, left = self.emulated(path, folder, "eager")
            if self.emulated(path, folder, "7")[1] != left:
                raise Found("emulator: its answers depend on the schedule")
            answers, built = {"emulator": left}, {}
            for level in LEVELS:
                self.run(f"ptxas {level}", self.ptxas, f"-arch={TARGET}", level, path, "-o", folder / "cubin")
                built[level] = (folder / "cubin").read_bytes()
            if self.has_gpu():
                for level, cubin in built.items():
                    answers[level] = self.launched(path, cubin, given)
            return answers

    def verdict(self, path):
        try:
            groups = {}
            for who, answer in self.answers(path).items():
                groups.setdefault(answer, []).append(who)
            return " | ".join(sorted(" ".join(group) for group in groups.values()))
        except Found as found:
            return re.sub(r"\s+", " ", str(found))


def agreed(verdict):
    return verdict in ("emulator", "emulator " + " ".join(LEVELS))


def shape_of(launch):
    """blocks of the grid, threads of a block"""
    return tuple(int(one) for one in re.search(r"--grid=(\d+) --block=(\d+)", launch).groups())


def begin_worker(options):
    global tools
    tools = Tools(options)


def work(seed):
    """The seed, its lanes, the verdict, and the program if it is wanted; nothing when the time is over."""
    if time.time() > tools.until:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.ptx"
        try:
            text = tools.generated(seed)
        except Found as found:
            return seed, 0, str(found), ""
        path.write_text(text)
        verdict = tools.verdict(path)
        blocks, threads = shape_of(tools.launch_of(text))
        return seed, blocks * threads, verdict, "" if agreed(verdict) else text


def done_before(path):
    return {int(line.split()[0]) for line in path.read_text().splitlines()} if path.exists() else set()


def run(options):
    folder = options.folder
    (folder / "found").mkdir(parents=True, exist_ok=True)
    done = done_before(folder / "done.txt")
    seeds = [seed for seed in range(options.first, options.first + options.count) if seed not in done]
    begin = shown = time.time()
    options.until = begin + options.seconds
    programs = lanes = 0
    verdicts = collections.Counter()
    with (folder / "done.txt").open("a") as log, multiprocessing.Pool(options.jobs, begin_worker, [options]) as pool:
        for result in pool.imap_unordered(work, seeds):
            if result is None:
                continue
            seed, count, verdict, text = result
            programs, lanes = programs + 1, lanes + count
            print(f"{seed} {count} {verdict}", file=log, flush=True)
            verdicts[verdict[:60]] += 1
            if text or not count:
                (folder / "found" / f"{seed}.ptx").write_text(text)
                (folder / "found" / f"{seed}.txt").write_text(verdict + "\n")
            if time.time() - shown > (1 if sys.stderr.isatty() else 30):
                shown = time.time()
                differ = sum(many for one, many in verdicts.items() if not agreed(one))
                line = f"{programs} of {len(seeds)} programs, {lanes} lanes, {differ} found, {shown - begin:.0f} s"
                print("\r\033[K" + line if sys.stderr.isatty() else line, end="", file=sys.stderr, flush=True)
                print("", end="" if sys.stderr.isatty() else "\n", file=sys.stderr)
    print(f"{programs} programs, {lanes} lanes each level, {time.time() - begin:.0f} s")
    for verdict, many in verdicts.most_common(40):
        print(f"{many:8} {verdict}")


def judge(options):
    verdict = Tools(options).verdict(options.folder)
    if options.verdict is None:
        print(verdict)
    elif options.verdict != verdict:
        sys.exit(1)


def reduce(options):
    for path in sorted((options.folder / "found").glob("*.txt")):
        program, small = path.with_suffix(".ptx"), path.with_suffix(".small.ptx")
        verdict = path.read_text().strip()
        if small.exists() or "|" not in verdict:
            continue
        launch = Tools(options).launch_of(program.read_text())
        judged = [sys.executable, __file__, "judge", f"--ptxray={options.ptxray}", f"--ptxas={options.ptxas}"]
        command = [options.ptxray, "reduce", f"--jobs={options.jobs}", f"--time-limit={min(options.seconds, 300):.0f}"]
        subprocess.run([*command, program, "-o", small, "--", *judged, f"--launch={launch}", "{}", verdict])


def bundle(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    for path in (options.ptxray, options.ptxas, pathlib.Path(__file__), pathlib.Path(cuda.__file__)):
        shutil.copy(path, options.folder / path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "judge", "reduce", "bundle"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("verdict", nargs="?")
    beside = HERE / "ptxray"
    parser.add_argument(
        "--ptxray",
        type=pathlib.Path,
        default=beside if beside.exists() else ROOT / "build/release/tools/ptxray/ptxray",
    )
    parser.add_argument(
        "--ptxas",
        type=pathlib.Path,
        default=HERE / "ptxas" if beside.exists() else ROOT / "build/cuda/13.5/bin/ptxas",
    )
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1e9, help="that it may take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--launch", help="of a program that does not say it: `--grid=1 --block=32 BUFFER BUFFER`")
    parser.add_argument("--blocks", type=int, default=32, help="of each launch")
    options = parser.parse_args()
    options.until = time.time() + options.seconds
    {"run": run, "judge": judge, "reduce": reduce, "bundle": bundle}[options.command](options)


if __name__ == "__main__":
    main()
