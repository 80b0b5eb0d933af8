"""Runs programs of the CUDA runtime that nvcc compiled, without a GPU: programs.py PTXRAY NVCC-FOLDER. Exit status
77: there is no nvcc (`tools/dev cuda --nvcc`)."""

import os
import pathlib
import subprocess
import sys
import tempfile

program, nvcc = map(pathlib.Path, sys.argv[1:3])
SOURCES = pathlib.Path(__file__).parent / "programs"
PROGRAMS = {  # the output of each, and its compiler options
    "conditions": ("0 6 8 12\n",),
    "many_parts": ("all parts work\n",),
    "thread_streams": ("each thread has its stream\n", "--default-stream", "per-thread"),
}
DRIVER = program.resolve().parents[2] / "lib" / "ptxray"
if not (nvcc / "bin" / "nvcc").exists():
    print(f"there is no {nvcc}")
    sys.exit(1 if {"all", "nvcc"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77)


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, **options)


with tempfile.TemporaryDirectory() as scratch:
    compiler = [nvcc / "bin" / "nvcc", "-I", nvcc / "include", "-I", nvcc / "include" / "cccl", "-std=c++17", "-w"]
    target = ["-arch=compute_90", "-code=compute_90"]
    for name, (printed, *options) in PROGRAMS.items():
        made = pathlib.Path(scratch, name)
        run(*compiler, *target, *options, "-c", SOURCES / f"{name}.cu", "-o", f"{made}.o", check=True)
        run("g++", f"{made}.o", "-o", made, f"-L{DRIVER}", "-lcudart", "-lcuda", check=True)
        done = run(program, "emulate", "--", made)
        assert done.returncode == 0 and done.stdout == printed, done
        assert "nothing was found" in done.stderr, done

    # The runtime that NVIDIA links statically requires more than the driver's documented functions.
    made = pathlib.Path(scratch, "many_parts")
    run("g++", f"{made}.o", "-o", made, f"-L{nvcc}/lib", "-lcudart_static", "-lpthread", "-ldl", "-lrt", check=True)
    done = run(program, "emulate", "--", made)
    assert done.returncode == 3 and "`-cudart shared`" in done.stderr, done
