#!/usr/bin/env python3
"""hostile_graphs.py PTXRAY: measures `check --pedantic` on functions whose graphs no compiler makes.

Each family of test/hostile.py has two sizes, the second four times the first. The cost must be proportional to the
text. The largest functions have 100,000 instructions, or 20,000 blocks."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import hostile

GROWTH = 4
ALLOWED = 1.8 * GROWTH  # and what is too short to be measured
SLACK_SECONDS, SLACK_BYTES = 0.1, 32 << 20
BYTES_A_BYTE = 20  # per byte of the text; the body of one function is in memory at a time

SIZES = {
    "straight": 100_000,
    "ladder": 20_000,
    "irreducible": 10_000,
    "deep-loops": 10_000,
    "table": 20_000,
    "tables": 20_000,
    "calls": 20_000,
    "unwritten": 10_000,
    "doubling": 10_000,
    "counters": 8_000,
    "barriers": 10_000,
}


def cost(ptxray, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = [ptxray, "check", "--jobs=1", "--no-config", "--pedantic", file.name]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 1), status
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


ptxray = sys.argv[1]
failed = False
for name, size in SIZES.items():
    family = hostile.FAMILIES[name]
    (small, small_bytes), (large, large_bytes) = (cost(ptxray, family(n)) for n in (size // GROWTH, size))
    length = len(family(size))
    is_slow = large > ALLOWED * small + SLACK_SECONDS
    is_fat = large_bytes > BYTES_A_BYTE * length + SLACK_BYTES
    print(
        f"{name:12} {length:9} bytes  {small * 1e3:6.0f} ms, {large * 1e3:6.0f} ms  {large_bytes >> 20:5} MB"
        + (" too slow" if is_slow else "")
        + (" too much" if is_fat else "")
    )
    failed |= is_slow or is_fat
sys.exit(failed)
