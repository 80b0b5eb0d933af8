"""Finds the reason why a result is wrong: uninitialised memory, an input without effect, precision, contents, or the
shape."""

import dataclasses
import typing

from . import _bench, _numbers, _oracle, _shapes
from ._findings import Finding

_EXPLAINED = 6  # maximum number of explained mismatches per candidate, since each needs further runs
_ROUGH = 2.0**-6  # relative error that lower precision explains


def findings(judging: typing.Any, run: _bench.Run, result: _bench.Result, part: str, is_derived: bool) -> list[Finding]:
    """Returns the findings about the outputs of a complete run."""
    found = [
        Finding("inputs", "input-modified", f"the kernel writes to its input `{name}`", run=run)
        for name in result.modified
    ]
    found += [
        Finding("written", "computed-on-host", f"the program computes `{name}` itself, not a kernel", run=run)
        for name in result.hosted
    ]
    differences = judging.difference(run, result, is_derived)
    if differences:
        found.append(_explained(judging, run, result, part, differences))
    return found


def _explained(
    judging: typing.Any,
    run: _bench.Run,
    result: _bench.Result,
    part: str,
    differences: dict[str, _numbers.Difference],
) -> Finding:
    name, difference = next(iter(differences.items()))
    plain = Finding(
        part, "mismatch", _words(name, difference), run=run, cause=_apparent_cause(judging, run, difference)
    )
    if sum(one.run is not None for one in judging.judged.findings) >= _EXPLAINED:
        return plain
    memory = _from_memory(judging.bench, run, differences)
    if memory is not None:
        memory.message = f"{plain.message}; {memory.message}"
        return memory
    if run.contents != "drawn":
        return plain
    ignored = [one for one, how in used_inputs(judging.bench, run, result).items() if how == "without effect"]
    if ignored:
        plain.cause = "ignored-input"
        plain.notes.append("without effect on the outputs: " + ", ".join(f"`{one}`" for one in ignored))
    return plain


def _words(name: str, difference: _numbers.Difference) -> str:
    first = f"{difference.got!r} at index {difference.first}, expected {difference.expected!r}"
    return f"mismatch: {difference.count} of {difference.total} elements of `{name}` differ; the first is {first}"


def _apparent_cause(judging: typing.Any, run: _bench.Run, difference: _numbers.Difference) -> str:
    if run.schedule != "eager":
        return "schedule"
    if run.contents != "drawn":
        return "special-values"
    if difference.largest_relative < _ROUGH or difference.largest_absolute < _ROUGH * difference.scale:
        return "precision"
    tried = [one for one in judging.judged.findings if one.kind == "mismatch"]
    smallest = min(judging.oracle.task["shapes"], key=_shapes.volume)
    if not tried and dict(run.shape) != smallest:
        return "shape"
    if not tried and run.seed in judging.own_seeds:
        return "seed"
    return "wrong-values"


def _from_memory(
    bench: _bench.Bench, run: _bench.Run, differences: dict[str, _numbers.Difference]
) -> typing.Optional[Finding]:
    """Returns the finding for outputs that depend on earlier contents of memory, or None."""
    zero, large = (bench.run(dataclasses.replace(run, fill=fill)) for fill in ("00", "7f"))
    if not (zero.is_complete and large.is_complete):
        return None
    for name, difference in differences.items():
        size = _numbers.SIZES[bench.types[name]]
        unwritten, dependent = [], []
        for i in range(difference.total):
            part = slice(i * size, (i + 1) * size)
            kept = [one.outputs[name][part] == one.before[name][part] for one in (zero, large)]
            if all(kept) and zero.before[name][part] != large.before[name][part]:
                unwritten.append(i)
            elif zero.outputs[name][part] != large.outputs[name][part]:
                dependent.append(i)
        if dependent:
            return _stale(bench, run, name, len(dependent))
        if unwritten:
            message = f"{len(unwritten)} elements are not written (unwritten output), the first at index {unwritten[0]}"
            return Finding("written", "unwritten-output", message, run=run, cause="partial")
    return None


def _stale(bench: _bench.Bench, run: _bench.Run, name: str, count: int) -> Finding:
    message = f"{count} elements of `{name}` depend on what memory held before the launch (stale contents)"
    finding = Finding("written", "stale-memory", message, run=dataclasses.replace(run, fill="7f"), cause="stale")
    faults = bench.run(run, _bench.How(fresh=True)).faults
    if not faults:  # the origins of a few bytes are unknown
        largest = max(bench.oracle.task["shapes"], key=_shapes.volume)
        faults = bench.run(dataclasses.replace(run, shape=tuple(largest.items())), _bench.How(fresh=True)).faults
    for fault in faults[:1]:
        finding.line, finding.column, finding.origin = fault.begin.line, fault.begin.column, fault.origin
        finding.notes.append(fault.message)
    return finding


def used_inputs(bench: _bench.Bench, run: _bench.Run, result: _bench.Result) -> dict[str, str]:
    """Returns for each input whether the outputs depend on it: `used`, `without effect`, or `not tried` if the expected
    outputs do not depend on it, or no other value of it is known."""
    found = {}
    answer, _ = bench.oracle.ask("inputs", run.drawn())
    shape = dict(run.shape)
    for entry in answer["inputs"]:
        name = entry["name"]
        if name in shape:
            continue
        found[name] = "not tried"
        for seed in range(1, 5):
            other = dataclasses.replace(run, replaced=((name, run.seed + seed),))
            try:
                changed = bench.oracle.ask("expected", other.drawn())[1] != bench.oracle.ask("expected", run.drawn())[1]
            except _oracle.OracleError:
                break
            if changed:
                theirs = bench.run(other)
                if theirs.is_complete:
                    found[name] = "used" if theirs.outputs != result.outputs else "without effect"
                break
    return found


def origins(bench: _bench.Bench, run: _bench.Run, result: _bench.Result) -> dict[str, str]:
    """Returns the origin of each output: computed, constant, a copy of an input, or earlier contents of memory."""
    answer, blobs = bench.oracle.ask("inputs", run.drawn())
    arrays = [entry["name"] for entry in answer["inputs"] if "value" not in entry]
    found = {}
    for name, data in result.outputs.items():
        size = _numbers.SIZES[bench.types[name]]
        copied = [array for array, blob in zip(arrays, blobs) if len(data) > size and blob == data]
        if data and data == result.before[name]:
            found[name] = "memory from before"
        elif copied:
            found[name] = f"copy of {copied[0]}"
        elif len(data) > size and data == data[:size] * (len(data) // size):
            found[name] = "constant"
        else:
            found[name] = "computed"
    return found
