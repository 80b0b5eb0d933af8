#!/usr/bin/env python3
"""Compares every element of `ptxray layout` and some of `ptxray desc` with CuTe's own traits.

  compare_cute.py PTXRAY REPOSITORY

CUTLASS's headers come from PyPI's nvidia-cutlass wheel, and CUDA's from `tools/dev cuda --nvcc`. Both are stored in
build/. Exit status 77: some headers are not available. With PTXRAY_REQUIRE=cutlass (or all), this is a failure.
"""

import json
import os
import pathlib
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import pypi

WHEEL = "nvidia-cutlass", "4.2.0.0"


def skip(why):
    print(f"skipped: {why}")
    required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
    sys.exit(1 if "cutlass" in required or "all" in required else 77)


def cutlass(cache):
    headers = cache / "cutlass_library/source/include"
    if headers.exists():
        return headers
    try:
        path = pypi.download(*WHEEL, cache)
    except subprocess.CalledProcessError:
        skip(f"PyPI does not give {' '.join(WHEEL)}")
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall(cache)
    return headers


def cuda(repository):
    for place in repository.glob("build/cuda/nvcc/**/include/cuda_runtime_api.h"):
        return place.parent
    skip("no CUDA headers (`tools/dev cuda --nvcc` fetches them)")


def blocks(text):
    """Yields (arguments, operand, rows of numbers)."""
    for block in text.split("# ")[1:]:
        first, *lines = block.split("\n")
        arguments, operand = first.split(" | ")
        yield arguments, operand, [tuple(map(int, line.split())) for line in lines if line and line[0] != "="]


def expected(ptxray, arguments, operand):
    out = subprocess.run(
        [ptxray, "layout", *arguments.split(), "--operand", operand, "--format=json"], capture_output=True, text=True
    )
    if out.returncode:
        return out.stderr
    found = set()
    for element in json.loads(out.stdout)["layouts"][0]["elements"]:
        values = list(element.values())
        if element.get("cta"):
            continue
        if "bit_address" in element:
            found.add((values[0], values[1], element["bit_address"]))
        else:
            lane = "thread" if "register" in element else "lane"
            word = "register" if "register" in element else "word"
            found.add((values[0], values[1], element[lane], element[word], element["bit"]))
    return found


def main():
    ptxray, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    cache = repository / "build/cutlass"
    includes = [cutlass(cache), cuda(repository)]
    includes.append(includes[1] / "cccl")
    program = cache / "layouts"
    source = pathlib.Path(__file__).with_name("cute.cpp")
    subprocess.run(["c++", "-std=c++17", "-w", *(f"-I{path}" for path in includes), source, "-o", program], check=True)
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    wrong = elements = compared = 0
    for arguments, operand, rows in blocks(text):
        theirs, ours = set(rows), expected(ptxray, arguments, operand)
        compared += 1
        elements += len(rows)
        if ours == theirs and len(rows) == len(theirs):
            continue
        wrong += 1
        print(f"{arguments}, {operand}: ", end="")
        if isinstance(ours, str):
            print(ours.strip())
        else:
            print(
                f"{len(theirs - ours)} of {len(theirs)} places differ, as {sorted(theirs - ours)[:2]}"
                f" where ptxray has {sorted(ours - theirs)[:2]}"
            )
    for line in text.split("\n"):
        if not line.startswith("= "):
            continue
        arguments, value = line[2:].split(" | ")
        out = subprocess.run([ptxray, "desc", "encode", *arguments.split()], capture_output=True, text=True)
        compared += 1
        if out.stdout.strip() != value:
            wrong += 1
            print(f"desc encode {arguments}: {out.stdout.strip() or out.stderr.strip()}, CuTe has {value}")
    print(f"{compared} layouts and descriptors, {elements} elements, {wrong} differ")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
