"""Compares the evaluator of test/isa_json with the results of a GPU in test/semantics/lines.txt: evaluate_lines.py
PTXRAY SOURCE_FOLDER. The evaluator only uses the JSON of `ptxray isa` and Python's fractions. Any f64 NaN counts as
equal to another, since the manual does not specify which one results. With --list, the test prints the lines that it
omits, and why."""

import json
import pathlib
import re
import subprocess
import sys

from evaluator import Instruction, Unsaid
from reader import Reader
from written import Declarations

KINDS = [
    "h",
    "b16",
    "hu",
    "b16",
    "hs",
    "b16",
    "hf",
    "f16",
    "hx",
    "f16x2",
    "r",
    "b32",
    "u",
    "b32",
    "s",
    "b32",
    "f",
    "f32",
    "rd",
    "b64",
    "ud",
    "b64",
    "sd",
    "b64",
    "fd",
    "f64",
    "p",
    "pred",
]
TYPES = dict(zip(KINDS[::2], KINDS[1::2], strict=True))
LEAST = 0.85  # share of the lines that are computed; the others are approximations and products of matrices


def cases(path):
    """Returns for each line its text, the names and bits of its registers, and their values before and after it in
    each lane."""
    text, registers, lanes = "", [], {}
    for line in path.read_text().splitlines():
        if line.endswith(";"):
            if text:
                yield text, registers, lanes
            text, lanes = line, {}
        elif line.startswith("%"):
            registers = [(name, int(bits)) for name, bits in (word.rsplit(":", 1) for word in line.split())]
        elif line and not line.startswith("//"):
            before, after = line.split("->")
            number, *values = before.split()
            lanes[int(number)] = [int(value, 16) for value in values], [int(value, 16) for value in after.split()]
    yield text, registers, lanes


def declared(registers):
    lines = []
    for name, bits in registers:
        stem = re.match(r"%?[a-z]+", name)[0]
        if stem not in ("%tid", "open", "cc") and "." not in name:
            lines.append(f".reg .{TYPES.get(stem[1:], f'b{bits}')} {name};")
    return "\n".join(lines)


def is_nan64(bits):
    return bits & 0x7FF0000000000000 == 0x7FF0000000000000 and bits & 0xFFFFFFFFFFFFF != 0


def is_nan32(bits):
    return bits & 0x7F800000 == 0x7F800000 and bits & 0x7FFFFF != 0


def write(written, bits, target, registers, names):
    """Writes the value of an operand into its registers. Narrower numbers are extended."""
    parts = written.parts if written.kind == "vector" else [written]
    whole = target.bits * target.count
    for i, part in enumerate(parts):
        value = bits >> whole * i & (1 << whole) - 1
        if target.kind == "signed" and target.count == 1 and value >> whole - 1:
            value -= 1 << whole
        name = part.name + part.suffix if part.name + part.suffix in names else part.name
        if name in names:
            registers[name] = value & (1 << names[name]) - 1


def computed(reader, text, registers, lanes):
    """Returns the registers of each lane after the instruction."""
    reader.enter("9.0", "sm_90", False, Declarations(declared(registers), reader.isa))
    names = dict(registers)
    before = {lane: dict(zip(names, values[0])) for lane, values in lanes.items()}
    after = {lane: dict(values) for lane, values in before.items()}
    guard = re.match(r"@(!?)\s*([%\w]+)\s", text)
    active = {lane: one for lane, one in before.items() if not guard or bool(one[guard[2]]) != bool(guard[1])}
    if not active:
        return after
    for match in reader.matches(text):
        instruction = Instruction(match, active, {lane: lane & 1 for lane in active})
        for name, (target, values) in instruction.results().items():
            for lane, bits in values.items():
                if name == "cc":
                    after[lane]["cc"] = bits
                else:
                    write(match.bound[name], bits, target, after[lane], names)
        return after
    raise Unsaid("no form")


def main():
    ptxray, root = sys.argv[1], pathlib.Path(sys.argv[2])
    reader = Reader(json.loads(subprocess.check_output([ptxray, "isa", "--format=json"])))
    equal = left_out = wrong = 0
    for text, registers, lanes in cases(root / "test/semantics/lines.txt"):
        try:
            after = computed(reader, text, registers, lanes)
        except Unsaid as why:
            left_out += 1
            if "--list" in sys.argv:
                print(f"left out, {why}: {text}")
            continue
        differ = [
            f"  lane {lane}: {name} is {after[lane][name]:x}, not {expected:x}"
            for lane, (_, values) in lanes.items()
            for (name, bits), expected in zip(registers, values)
            if name != "open"
            and after[lane].get(name, expected) != expected
            and not (bits == 64 and is_nan64(expected) and is_nan64(after[lane][name]))
            and not (".f32.f64" in text and is_nan32(expected) and is_nan32(after[lane][name]))
        ]
        wrong, equal = wrong + bool(differ), equal + (not differ)
        if differ:
            print("\n".join([text, *differ[:3]]))
    print(f"{equal} lines are equal, {wrong} are not, {left_out} are left out")
    sys.exit(wrong > 0 or equal < LEAST * (equal + left_out))


if __name__ == "__main__":
    main()
