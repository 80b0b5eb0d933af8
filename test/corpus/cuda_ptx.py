#!/usr/bin/env python3
"""Prints CUDA C++ that uses every wrapper of <cuda/ptx> that a target has, for each of its variants.

    test/corpus/cuda_ptx.py <nvcc folder>/include/cccl 100a [PART/PARTS]

A comment in the headers before each wrapper describes its template, its parameters, the values of its variants
(`.scope = { .cta, .cluster }`) and its targets."""

import itertools
import pathlib
import re
import sys

TYPES = {
    "B8": "int8_t",
    "B16": "int16_t",
    "B32": "int32_t",
    "B64": "int64_t",
    "B128": "longlong2",
    "Type": "int32_t",
    "T": "int32_t",
}
NUMBERS = {"setmaxnreg_inc": ("24", "64"), "setmaxnreg_dec": ("24", "64"), "st_bulk": ("0",)}
VALUES = {"and": "and_op", "or": "or_op", "xor": "xor_op", "shared::cta": "shared", "shared::cluster": "cluster"}


def has(arch, targets):
    """Returns whether a target is in a list of base targets and exact ones: `SM_90`, `SM_100a, SM_100f`."""
    number, suffix = re.fullmatch(r"(\d+)([af]?)", arch).groups()
    for base, kind in re.findall(r"SM_(\d+)([af]?)", targets):
        if not kind and int(number) >= int(base):
            return True
        if base == number and (kind == suffix or (kind == "f" and suffix == "a")):
            return True
    return not re.search(r"SM_", targets)


def type_of(parameter):
    """Returns the type of a parameter without its name and default."""
    parameter = parameter.split(" = ")[0].strip()
    array = re.fullmatch(r"(.*)\(&\w+\)\s*\[(\d+)\]", parameter)
    if array:
        return f"{array.group(1)}(&)[{array.group(2)}]"
    named = re.fullmatch(r"(.*[\s*&>])(\w+)", parameter)
    return named.group(1).strip() if named else parameter


def variants(template, values, numbers):
    """Returns the variants, each as replacements for the template's parameters."""
    choices = []
    for parameter in re.sub(r"enable_if_t<.*?> = true", "", template).split(","):
        words = parameter.split("=")[0].split()
        if not words or words == ["typename"]:
            continue
        kind, name = words[0], words[-1]
        if kind == "typename":
            choices.append([(name, TYPES.get(name, "int32_t"))])
        elif kind in ("int", "bool"):
            choices.append([(name, value) for value in (numbers if kind == "int" else ("false", "true"))])
        else:
            enum = kind.split("::")[-1]
            choices.append(
                [(name, f"cuda::ptx::{enum}::{value}") for value in values.get(enum.removeprefix("dot_"), [])]
            )
    return itertools.product(*choices)


def wrappers(headers, arch):
    for header in sorted((headers / "cuda" / "__ptx" / "instructions" / "generated").glob("*.h")):
        for comment in re.findall(r"/\*\n(.*?)\*/", header.read_text(), re.S):
            head, _, declaration = comment.partition("template <")
            if not has(arch, " ".join(re.findall(r"PTX\s+ISA(.*?)(?=//|$)", head.replace("\n", " ")))):
                continue
            if re.search(r"ISA\s+\d+-\d+", head):
                continue  # the wrapper is only for older releases
            values = {}
            for name, listed in re.findall(r"// \.(\w+)\s*=\s*\{(.*?)\}", head.replace("\n// ", " "), re.S):
                names = [word.strip().lstrip(".") for word in listed.split(",")]
                values[name] = [
                    VALUES.get(n, n.replace(f"{name}::", f"{name}_" if name == "cta_group" else "")) for n in names
                ]
            match = re.match(r"(.*?)>\s*__device__ (?:static inline )?(.*?)\s(\w+)\(\s*(.*?)\);", declaration, re.S)
            if not match:
                continue
            template, result, name, parameters = match.groups()
            types = [type_of(p) for p in re.split(r",\s*(?![^<]*>)", parameters) if p.strip()]
            for choice in variants(template, values, NUMBERS.get(name, ("0", "1"))):
                signature = f"{result} (*)({', '.join(types)})"
                for parameter, value in choice:
                    signature = re.sub(rf"\b{parameter}\b", value, signature)
                yield name, signature


def main():
    headers, arch = pathlib.Path(sys.argv[1]), sys.argv[2]
    part, parts = map(int, sys.argv[3].split("/")) if len(sys.argv) > 3 else (0, 1)
    print("#include <cuda/ptx>\n#include <cstdint>\n__global__ void wrappers(const void **p) {\n  int i = 0;")
    for name, signature in list(dict.fromkeys(wrappers(headers, arch)))[part::parts]:
        print(f"  p[i++] = reinterpret_cast<const void *>(static_cast<{signature}>(cuda::ptx::{name}));")
    print("}")


if __name__ == "__main__":
    main()
