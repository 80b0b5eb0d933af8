"""Compiles kernels with Mojo, which needs no GPU to write the PTX of kernels beside the assembly of the host."""

import pathlib
import subprocess
import sys
import tempfile

from common import archs, write

COMPILER = pathlib.Path(sys.executable).parent / "mojo"
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "mojo"
SINCE_80 = ["80", "90a", "100a", "120a"]
# The kernels of its libraries take minutes per target.
TARGETS = {
    "elementwise": SINCE_80,
    "cooperation": ["75", *SINCE_80],
    "tensor_cores": SINCE_80,
    "hopper": ["90a"],
    "blackwell": ["100a"],
    "library": ["80", "90a"],
}

asked = {f"{number}{suffix}" for number, suffix in archs()}
for source, targets in TARGETS.items():
    for arch in (target for target in targets if target in asked):
        for kind, flags in [("", []), ("-g", ["--debug-level", "full"])]:
            if kind and (arch != "90a" or source == "library"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(
                    [
                        COMPILER,
                        "build",
                        "--emit",
                        "asm",
                        "--target-accelerator",
                        f"sm_{arch}",
                        *flags,
                        SOURCES / f"{source}.mojo",
                        "-o",
                        f"{folder}/host.s",
                    ],
                    check=True,
                    capture_output=True,
                )
                for i, kernel in enumerate(sorted(pathlib.Path(folder).glob("*.ptx"))):
                    write(f"{source}-{i}-{arch}{kind}", kernel.read_text())
