#!/usr/bin/env python3
"""Tests that generated programs leave the same bytes with and without the handlers for AVX2.

same_bytes.py MANY-PROGRAMS FIRST COUNT"""

import subprocess
import sys

WITHOUT = 77

program, first, count = sys.argv[1:]
runs = [
    subprocess.Popen([program, "bytes", kind, first, count], stdout=subprocess.PIPE, text=True)
    for kind in ("wide", "plain")
]
wide, plain = (run.communicate()[0].splitlines() for run in runs)
if runs[0].returncode == WITHOUT:
    print("this processor has no AVX2")
    sys.exit(WITHOUT)
different = [f"seed {one}: {other.split()[-1]} without AVX2" for one, other in zip(wide, plain) if one != other]
print("\n".join([*different[:20], f"{len(different)} of {len(wide)} programs differ"]))
sys.exit(bool(different) or any(run.returncode for run in runs) or len(wide) != int(count) or len(plain) != int(count))
