"""Measures the precision of outputs, and finds sums whose order a GPU does not guarantee."""

import re
import typing

from . import _bench, _numbers, _oracle
from ._findings import Finding

_LOWER = {"f32": ("f16", "f16x2", "bf16", "bf16x2", "tf32"), "f64": ("f16", "f16x2", "bf16", "bf16x2", "tf32", "f32")}
_MISSING_BITS = 8  # number of bits of the type that no operation of an output uses


def order_of(result: _bench.Result) -> dict[str, typing.Any]:
    """Returns whether the first run of a candidate summed floats by atomic operations, whose order is open."""
    found: dict[str, typing.Any] = {"same_bits": True, "order": None}
    for report in result.fidelity:
        for one in report["instructions"]:
            if one["fidelity"] == "open" and "order" in one["reason"]:
                found["order"] = {"line": one["line"], "text": one["text"], "reason": one["reason"]}
                return found
    return found


def environment_of(result: _bench.Result, run: _bench.Run) -> list[Finding]:
    """Returns the findings about instructions that read a clock, or which GPU this is."""
    found = []
    for report in result.fidelity:
        for one in report["instructions"]:
            if one["fidelity"] == "open" and "specific to" in one["reason"]:
                message = f"the kernel can tell where it runs: `{one['text']}`"
                found.append(Finding("schedules", "reads-environment", message, run=run, line=one["line"]))
    return found[:1]


def lower_types(text: str, type: str) -> list[tuple[int, str]]:
    """Returns the lines of PTX that compute in lower precision than a type, with the lower type."""
    wanted = _LOWER.get(type, ())
    found = []
    for number, line in enumerate(
        re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S).split("\n"), 1
    ):
        code = line.partition("//")[0].strip()
        if not code or code[0] in "." or not code.endswith(";"):
            continue
        opcode = code.split(None, 2)[1 if code[0] == "@" else 0].split(".")
        lower = [word for word in opcode[1:] if word in wanted]
        if lower:
            found.append((number, lower[0]))
    return found


def measured(
    bench: _bench.Bench, text: str, run: _bench.Run, result: _bench.Result
) -> tuple[dict[str, typing.Any], list[Finding]]:
    """Returns the precision of each output of floats, and the findings about those in lower precision."""
    measures: dict[str, typing.Any] = {}
    found: list[Finding] = []
    try:
        types, blobs = bench.oracle.ask("precise", run.drawn())
    except _oracle.OracleError:
        types, blobs = bench.oracle.ask("expected", run.drawn())
    shapes = bench.oracle.ask("inputs", run.drawn())[0]["outputs"]
    for index, (name, data) in enumerate(result.outputs.items()):
        type = bench.types[name]
        if type not in _numbers.FLOATS:
            continue
        expected = [float(one) for one in _numbers.values_of(blobs[index], types["types"][index])]
        error, at = _numbers.largest_ulp(_numbers.values_of(data, type), expected, type)
        used, wanted = _numbers.used_bits(data, type), _numbers.used_bits(_numbers.bytes_of(expected, type), type)
        lines = lower_types(text, type)
        measures[name] = {"type": type, "largest_ulp": error, "index": at, "bits": used, "expected_bits": wanted}
        measures[name]["lower"] = [{"line": line, "type": lower} for line, lower in lines[:10]]
        theirs = shapes[index]["type"]
        if theirs in _numbers.FLOATS and _numbers.FLOATS[type][0] < _numbers.FLOATS[theirs][0] and theirs != "f64":
            message = f"the output `{name}` has type {type}, and the task expects {theirs}"
            found.append(Finding("precision", "reduced-precision", message, run=run))
        elif used is not None and wanted is not None and used <= wanted - _MISSING_BITS:
            message = f"the values of `{name}` use {used} bits of precision, those expected {wanted}"
            found.append(
                Finding("precision", "reduced-precision", message, run=run, line=lines[0][0] if lines else None)
            )
        elif lines:
            message = f"the kernel computes in {lines[0][1]}, which is less precise than {type}, the type of `{name}`"
            found.append(Finding("precision", "reduced-precision", message, run=run, line=lines[0][0]))
    return measures, found
