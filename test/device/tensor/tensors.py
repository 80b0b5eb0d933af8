#!/usr/bin/env python3
"""Runs tensor maps, tensor copies, products of warpgroups and barrier objects with the available libcuda.so.1.

    tensors.py run FOLDER [--only maps,copies,products,barriers] [--processes N] [--scale X] [--raw N]
    tensors.py compare FOLDER FOLDER

`run` makes the same random cases each time and writes their results into FOLDER. On a GPU, it uses the driver's
library; `ptxray emulate -- tensors.py run FOLDER` emulates it. The driver compiles the kernels. `compare` counts the
cases that leave the same bytes. FOLDER/KIND.raw contains the first N cases of a kind unchanged, and all others as
digests."""

import argparse
import ctypes
import hashlib
import multiprocessing
import pathlib
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import barriers  # noqa: E402
import copies  # noqa: E402
import cuda  # noqa: E402
import maps  # noqa: E402
import products  # noqa: E402

COUNTS = {"maps": 20000, "copies": 12000, "products": 3, "barriers": 800, "packed": 200, "replaced": 600}
SUITES = {"copies": copies, "products": products, "barriers": barriers, "packed": copies, "replaced": copies}


class Device(cuda.Gpu):
    """Provides a GPU with working memory, and caches compiled kernels."""

    def begin(self):
        super().begin()
        self.kernels = {}
        self.scratch = [self.allocate(1 << 20) for _ in range(4)]

    def function(self, text):
        if text not in self.kernels:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self.call("cuModuleLoadData", ctypes.byref(module), text.encode())
            self.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
            self.kernels[text] = function
        return self.kernels[text]

    def run(self, text, arguments, threads):
        words = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(one) for one in arguments])
        self.call("cuLaunchKernel", self.function(text), 1, 1, 1, threads, 1, 1, 0, None, words, None)
        self.call("cuCtxSynchronize")


def cases(name, count, seed):
    if name == "packed":
        return copies.cases(seed, count, range(maps.PACKED_8, 16))
    if name == "replaced":
        return copies.replaced_cases(seed, count)
    return SUITES[name].cases(seed, count)


def work(name, made, results):
    """Runs cases until an error occurs, after which a process cannot use the device again."""
    suite, device = SUITES[name], Device()
    for number, case in made:
        try:
            results.put((number, suite.run(device, case)))
        except RuntimeError as error:
            results.put((number, str(error).encode()))
            return


def run_part(name, made, results):
    done = multiprocessing.Queue()
    while made:
        worker = multiprocessing.Process(target=work, args=(name, made, done))
        worker.start()
        while made:
            number, data = done.get()
            results.put((number, data))
            made = made[1:]
            if data.startswith(b"cu"):
                break
        worker.join()
    results.put(None)


def run_suite(name, count, seed, processes, raw, folder):
    results = multiprocessing.Queue(1000)
    made = list(enumerate(cases(name, count, seed)))
    parts = [
        multiprocessing.Process(target=run_part, args=(name, made[i::processes], results)) for i in range(processes)
    ]
    for part in parts:
        part.start()
    found, ended = {}, 0
    while ended < processes:
        one = results.get()
        if one is None:
            ended += 1
        else:
            found[one[0]] = one[1]
    with (folder / f"{name}.txt").open("w") as out, (folder / f"{name}.raw").open("wb") as kept:
        for number, data in sorted(found.items()):
            is_short = len(data) < 64
            text = data.decode() if is_short else hashlib.sha256(data).hexdigest()[:16]
            out.write(f"{text}\t{made[number][1].label}\n")
            if number < raw and not is_short:
                packed = zlib.compress(data, 6)
                kept.write(number.to_bytes(4, "little") + len(packed).to_bytes(4, "little") + packed)


def run_maps(count, seed, folder):
    device = Device()
    with (folder / "maps.txt").open("w") as out:
        for one in maps.descriptions(seed, count):
            out.write(f"{one.encode(device.cuda)[0]}\t{one.how}\n")


def run(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.only.split(","):
        count = max(1, int(COUNTS[name] * options.scale))
        if name == "maps":
            worker = multiprocessing.Process(target=run_maps, args=(count, options.seed, folder))
            worker.start()
            worker.join()
        else:
            run_suite(name, count, options.seed, options.processes, options.raw, folder)
        print(name, "done", flush=True)


def compare(options):
    failed = 0
    for path in sorted(pathlib.Path(options.folder).glob("*.txt")):
        ours = path.read_text().splitlines()
        theirs = (pathlib.Path(options.other) / path.name).read_text().splitlines()
        different = [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
        count = min(len(ours), len(theirs))
        print(f"{path.stem}: {count - len(different)} of {count} are the same")
        for i in different[: options.show]:
            print(f"  {i}: {ours[i]}  /  {theirs[i].split(chr(9))[0]}")
        failed += len(different)
    return failed != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("run", "compare"))
    parser.add_argument("folder")
    parser.add_argument("other", nargs="?")
    parser.add_argument("--only", default=",".join(COUNTS))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--raw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10)
    options = parser.parse_args()
    return run(options) if options.what == "run" else compare(options)


if __name__ == "__main__":
    sys.exit(main())
