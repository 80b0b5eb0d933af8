#!/usr/bin/env python3
"""program_size.py PTXRAY COMPILER: tests that the stripped program has less than 10 MB, of 10^6 bytes.

The limit applies to a static program for x86-64 from the compiler of Debian 12. For others, the size is only
printed."""

import pathlib
import platform
import re
import subprocess
import sys
import tempfile

MOST = 10_000_000
SKIPPED = 77

ptxray, compiler = sys.argv[1:]
with tempfile.NamedTemporaryFile() as stripped:
    subprocess.run(["strip", "-o", stripped.name, ptxray], check=True)
    size = pathlib.Path(stripped.name).stat().st_size
print(f"{size / 1e6:.2f} MB of at most {MOST / 1e6:.2f}")
headers = subprocess.run(["readelf", "-lW", ptxray], capture_output=True, text=True).stdout
if platform.machine() != "x86_64" or "INTERP" in headers or not re.match(r"GNU 12\.", compiler):
    print("skipped: not a static program for x86-64 by GCC 12")
    sys.exit(SKIPPED)
sys.exit(size >= MOST)
