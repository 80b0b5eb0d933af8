"""Compares the emulated driver with the answers of an H100: device.py LIBRARY

tensors.txt contains some of the random cases of test/device/tensor, which were run on an H100 (2026-11-26). It lists
which of 5,000 descriptions of tensor maps the driver rejects, and the digests of the results of copies, products of
warpgroups and barrier objects."""

import hashlib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "device" / "tensor"), str(HERE.parent / "device")]
os.environ["PTXRAY_DEVICE"] = "sm_90"
LIBRARY = sys.argv[1]

import maps  # noqa: E402
import tensors  # noqa: E402


class Emulated(tensors.Device):
    library = LIBRARY


def refused(device, answers):
    """Decodes the rejected descriptions. The hexadecimal digits hold a bit for each description, the first one in
    the highest bit."""
    bits = "".join(f"{int(digit, 16):04b}" for digit in answers)
    made = maps.descriptions(2, len(bits))
    return sum((one.encode(device.cuda)[0] != 0) != (bit == "1") for one, bit in zip(made, bits)), len(bits)


def main():
    recorded = {}
    for line in (HERE / "tensors.txt").read_text().splitlines():
        name, *words = line.split()
        recorded.setdefault(name, []).extend(words)
    device = Emulated()
    wrong, count = refused(device, "".join(recorded.pop("maps")))
    print(f"maps: {count - wrong} of {count} are accepted or refused alike")
    failed = wrong
    for name, words in recorded.items():
        numbers = [word.split("=") for word in words]
        most = max(int(number) for number, _ in numbers)
        made = tensors.cases(name, tensors.COUNTS[name] if name == "products" else most + 1, 1)
        wrong = 0
        for number, digest in numbers:
            data = tensors.SUITES[name].run(device, made[int(number)])
            if hashlib.sha256(data).hexdigest()[:8] != digest:
                print(f"{name} {number}: {made[int(number)].label}")
                wrong += 1
        print(f"{name}: {len(numbers) - wrong} of {len(numbers)} leave what they left")
        failed += wrong
    sys.exit(failed != 0)


main()
