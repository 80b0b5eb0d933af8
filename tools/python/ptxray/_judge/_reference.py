"""Runs a task's reference in a process that a candidate cannot access. It draws inputs and returns the expected
outputs."""

import collections
import os
import sys
import typing

from . import _limits, _messages, _numbers, _task

_KEPT = 128  # number of runs whose answers are kept
_VARIATIONS = 3  # number of input variations, which show how sensitive the outputs are


class _Server:
    def __init__(self, task: _task.Task) -> None:
        self._task = task
        self._answers: collections.OrderedDict[str, tuple[list[typing.Any], list[typing.Any]]] = (
            collections.OrderedDict()
        )

    def _inputs(self, run: dict[str, typing.Any]) -> list[typing.Any]:
        values = self._task.draw(run["contents"], run["seed"], run["shape"])
        for name, seed in run.get("replaced", {}).items():
            index = self._task.inputs.index(name)
            values[index] = self._task.draw(run["contents"], seed, run["shape"])[index]
        return values

    def _answer(self, run: dict[str, typing.Any]) -> tuple[list[typing.Any], list[typing.Any]]:
        key = repr(run)
        if key not in self._answers:
            expected = self._task.expected(self._inputs(run))
            self._answers[key] = self._inputs(run), expected
            while len(self._answers) > _KEPT:
                self._answers.popitem(last=False)
        return self._answers[key]

    def inputs(self, run: dict[str, typing.Any]) -> tuple[dict[str, typing.Any], list[bytes]]:
        """Returns the inputs of a run, and the shapes of its outputs."""
        values, expected = self._answer(run)
        blobs: list[bytes] = []
        entries = []
        for name, value in zip(self._task.inputs, values):
            if _task.is_array(value):
                kind = _task.element_type(value)
                entries.append({"name": name, "type": kind, "shape": _task.shape_of(value)})
                entries[-1]["form"] = _task.form_of(value)
                if kind is None:
                    entries[-1]["weak"] = _task.weak_type(_task.flat(value))
                blobs.append(_task.raw(value))
            else:
                entries.append({"name": name, "value": value.item() if hasattr(value, "item") else value})
        return {"inputs": entries, "outputs": self._outputs(expected)}, blobs

    def _outputs(self, expected: list[typing.Any]) -> list[dict[str, typing.Any]]:
        names = self._task.outputs or [None] * len(expected)
        if len(names) != len(expected):
            raise ValueError(f"the reference returns {len(expected)} outputs, not {len(names)}")
        return [
            {"name": name, "type": _task.element_type(value), "shape": _task.shape_of(value)}
            for name, value in zip(names, expected)
        ]

    def _packed(self, expected: list[typing.Any]) -> tuple[dict[str, typing.Any], list[bytes]]:
        types, blobs = [], []
        for value in expected:
            elements = _task.flat(value) if _task.is_array(value) else [float(value)]
            types.append(_task.weak_type(elements))
            blobs.append(_numbers.bytes_of(elements, types[-1]))
        return {"types": types}, blobs

    def expected(self, run: dict[str, typing.Any]) -> tuple[dict[str, typing.Any], list[bytes]]:
        """Returns the outputs as f64 or s64."""
        return self._packed(self._answer(run)[1])

    def precise(self, run: dict[str, typing.Any]) -> tuple[dict[str, typing.Any], list[bytes]]:
        """Returns the outputs for inputs in double precision."""
        return self._packed(self._task.expected(self._task.widened(self._inputs(run))))

    def spread(self, run: dict[str, typing.Any]) -> tuple[dict[str, typing.Any], list[bytes]]:
        """Returns how far each output moves when the inputs move to their neighbours. Infinite means that it becomes
        or was no number."""
        expected = self._answer(run)[1]
        spreads = [[0.0] * len(_task.flat(value)) for value in expected]
        for variation in range(_VARIATIONS):
            others = self._task.expected(self._task.perturbed(self._inputs(run), variation))
            for spread, value, other in zip(spreads, expected, others):
                for i, (one, two) in enumerate(zip(_task.flat(value), _task.flat(other))):
                    if one != two and (one == one or two == two):
                        error = abs(one - two)
                        spread[i] = max(spread[i], error if error == error else float("inf"))
        return {}, [_numbers.bytes_of(spread, "f64") for spread in spreads]


def serve(path: str, source: int, target: int, seconds: int, memory: int) -> None:
    """Answers requests about the task until the judge ends."""
    _limits.end_with_parent()
    _limits.limit(seconds, memory)
    _limits.without_network()
    channel = _messages.Channel(source, target)
    try:
        task = _task.Task(path)
        channel.send({"task": task.described()})
    except BaseException as problem:
        channel.send({"problem": _words(problem)})
        return
    server = _Server(task)
    while True:
        try:
            request, _ = channel.receive()
        except _messages.Closed:
            return
        try:
            answer, blobs = getattr(server, request["do"])(request["run"])
        except Exception as problem:
            answer, blobs = {"problem": _words(problem)}, []
        channel.send(answer, blobs)


def _words(problem: BaseException) -> str:
    if isinstance(problem, ModuleNotFoundError):
        return f"the task needs the Python module `{problem.name}`, which {sys.executable} does not have"
    return f"{type(problem).__name__}: {problem}"


def main() -> None:
    """python -c "...main()" TASK SOURCE TARGET SECONDS MEMORY"""
    path, *numbers = sys.argv[1:]
    os.dup2(2, 1)  # redirects the output of the task
    serve(path, *map(int, numbers))
