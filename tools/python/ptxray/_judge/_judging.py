"""Runs a candidate part by part: cheap parts first, then more and more runs."""

import dataclasses
import hashlib
import math
import time
import typing

import ptxray

from . import _bench, _findings, _launch, _mismatch, _numbers, _oracle, _precision, _program, _shapes
from ._bench import PLAIN, How, Result, Run
from ._findings import Finding

SEEDS = (0, 1, 2, 3)  # public seeds; others depend on the candidate's text
EDGE_SEEDS = (0, 1, 2)
SCHEDULES = ("lazy", "early", "1", "2", "3", "weak:1")
_REARRANGED = ("constant", "sorted", "reversed", "zeros", "moved")
_BEYOND = ("negative-zeros", "subnormal", "nan", "infinity", "negative-infinity", "large")
_COMPARED = ("written", "schedules", "deterministic")  # parts that compare with correct results
_LATER = ("shapes", "contents", *_COMPARED)
_USUAL_THREADS = 128  # threads per block
_SMALLER = 12  # number of shapes that are tried to reduce a failing one


@dataclasses.dataclass(frozen=True)
class Limits:
    """Holds the limits for judging one candidate on this computer."""

    seconds: float = 60  # limit for all runs
    launch_seconds: float = 10  # limit for one launch
    memory: int = 4 << 30  # bytes
    reference_seconds: float = 60  # limit for one answer of the task


class Stopped(Exception):
    """Stops the runs: further runs cannot show more about this candidate."""


@dataclasses.dataclass
class Judged:
    """Holds the results of the runs of one candidate."""

    findings: list[Finding] = dataclasses.field(default_factory=list)
    notes: list[Finding] = dataclasses.field(default_factory=list)  # findings beyond the promises of the task
    done: set[str] = dataclasses.field(default_factory=set)  # completely tested parts
    unknown: typing.Optional[str] = None  # reason for a missing verdict
    runs: int = 0
    kernel: typing.Optional[str] = None
    inputs: dict[str, str] = dataclasses.field(default_factory=dict)
    origins: dict[str, str] = dataclasses.field(default_factory=dict)
    precision: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    determinism: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    counters: typing.Optional[list[dict[str, typing.Any]]] = None
    certificates: typing.Optional[list[dict[str, typing.Any]]] = None
    warnings: list[Finding] = dataclasses.field(default_factory=list)  # warnings of the check


class Judging:
    """Holds the runs of one candidate against one task."""

    def __init__(
        self,
        text: str,
        launch: typing.Optional[_launch.LaunchFile],
        oracle: _oracle.Oracle,
        *,
        chip: typing.Optional[str] = None,
        limits: typing.Optional[Limits] = None,
        salt: str = "",
        deterministic: bool = False,
        precise: bool = False,
        beyond: bool = False,
        certify: bool = False,
        program: typing.Optional[_program.ProgramBench] = None,
    ) -> None:
        """Prepares the runs. `text` is PTX for `launch`, or the source of `program`."""
        self.text, self.launch, self.oracle, self.chip = text, launch, oracle, chip
        self.limits = limits or Limits()
        self.judged = Judged()
        self._until = time.monotonic() + self.limits.seconds
        self._deterministic, self._precise, self._beyond = deterministic, precise, beyond
        self._certify = certify
        digest = hashlib.sha256((text + salt).encode()).digest()
        self.own_seeds = tuple(int.from_bytes(digest[at : at + 4], "little") >> 1 for at in (0, 4))
        self.bench: typing.Any = program

    def all(self, only: typing.Optional[Run] = None) -> Judged:
        """Judges the candidate. With `only`, it uses this one run."""
        try:
            task = self.oracle.task
            if self._compiles():
                if only is not None:
                    self._try(only, "results")
                    self.judged.done.update(_findings.PARTS)
                else:
                    self._cascade(task)
        except Stopped as stopped:
            self.judged.unknown = str(stopped) or None
        except _oracle.OracleError as problem:
            self.judged.unknown = f"the task: {problem}"
        return self.judged

    def _compiles(self) -> bool:
        if self.launch is None:
            return True
        try:
            self.bench = _bench.Bench(self.text, self.launch, self.oracle, chip=self.chip, limits=self.limits)
        except ptxray.PtxError as problem:
            errors = [one for one in problem.diagnostics if one.severity == "error"]
            self.judged.findings += [_findings.of_diagnostic(one, None) for one in errors[:10]]
            return False
        except (_launch.LaunchError, ptxray.EmulationError) as problem:
            raise Stopped(str(problem)) from None
        self.judged.warnings = [_findings.of_diagnostic(one, None) for one in self.bench.checked]
        return True

    def _cascade(self, task: dict[str, typing.Any]) -> None:
        shapes = _shapes.ascending(task["shapes"])
        if self.launch is not None and self.launch.is_fixed:
            shapes = [shape for shape in shapes if shape == self.launch.shape]
            if len(shapes) < len(task["shapes"]):
                raise Stopped("the launch file has no `grid_expr`, so that shapes of the task cannot be judged")
        self._results(shapes)
        if task["edge"]:
            self._contents(shapes)
            self.judged.done.add("contents")
        self._fills(shapes)
        self._schedules(shapes)
        if not self.judged.findings:
            self._further(task, shapes)
        self.judged.done.update(part for part in _findings.PARTS if part not in _LATER)
        if not self._is_wrong():
            self.judged.done.update(_COMPARED)
        self._smaller(task)

    def _further(self, task: dict[str, typing.Any], shapes: list[dict[str, int]]) -> None:
        """Tries runs that the task allows but does not draw."""
        others = _shapes.derived(shapes, task["constraint"], self._threads(shapes[0]))
        for shape in others:
            self._try(Run.of(shape, seed=self.own_seeds[0]), "shapes", is_derived=True)
        is_free = task["domain"] == "any"
        for contents in _REARRANGED if is_free else ():
            for shape in shapes[:2]:
                self._try(Run.of(shape, contents=contents, seed=self.own_seeds[1]), "contents", is_derived=True)
        for contents in _BEYOND if self._beyond else ():
            self._try(Run.of(shapes[0], contents=contents), "contents", is_promised=False)
        self.judged.done.update(["shapes"] if others else [], ["contents"] if is_free else [])

    def _is_wrong(self) -> bool:
        """Returns whether results are wrong in any order, and with any earlier contents of memory."""
        return any(one.part == "results" for one in self.judged.findings)

    def _threads(self, shape: dict[str, int]) -> int:
        if self.launch is None:
            return _USUAL_THREADS
        block = self.launch.kernels[0].sizes(dict(shape))["block"]
        return int(block[0]) * (int(block[1]) if len(block) > 1 else 1)

    def _results(self, shapes: list[dict[str, int]]) -> None:
        """Tries each shape of the task with several seeds. One run also counts, and measures precision."""
        fills = ("ff", "00", "7f", "stale", "cd", "ff")
        observed = next((shape for shape in shapes if shape == self.oracle.task["shapes"][0]), shapes[0])
        for shape in shapes:
            for fill, seed in zip(fills, (*SEEDS, *self.own_seeds)):
                run = Run.of(shape, seed=seed, fill=fill)
                is_observed = shape == observed and seed == SEEDS[0]
                result = self._try(run, "results", How(counters=is_observed))
                if result is not None and is_observed:
                    self._observe(run, result)

    def _observe(self, run: Run, result: Result) -> None:
        self.judged.counters = [one["counts"] for one in result.counters] or None
        self.judged.determinism = _precision.order_of(result)
        for one in _precision.environment_of(result, run):
            self._add(one, is_promised=False)
        if not result.is_complete:
            return
        if self._certify:
            self.judged.certificates = self.bench.run(run, How(certify=True)).certificates or None
        self.judged.origins = _mismatch.origins(self.bench, run, result)
        self.judged.inputs = _mismatch.used_inputs(self.bench, run, result)
        self.judged.precision, found = _precision.measured(self.bench, self.text, run, result)
        wanted = self._precise or self.oracle.task["precision"] is not None
        for one in found:
            self._add(one, is_promised=wanted)

    def _contents(self, shapes: list[dict[str, int]]) -> None:
        for shape in shapes:
            for seed in (*EDGE_SEEDS, self.own_seeds[0]):
                self._try(Run.of(shape, seed=seed, contents="edge"), "contents")

    def _fills(self, shapes: list[dict[str, int]]) -> None:
        """Tries the possible contents of memory before the launch."""
        for shape in shapes:
            for fill in _bench.FILLS:
                self._try(Run.of(shape, fill=fill), "written")
            self._try(Run.of(shape), "uninitialised", How(unwritten=0xFF))

    def _schedules(self, shapes: list[dict[str, int]]) -> None:
        """Tries other orders of threads, and compares bits."""
        for shape in dict.fromkeys(tuple(one.items()) for one in (shapes[0], shapes[-1])):
            first = self._try(Run(shape), "schedules")
            if first is None or not first.is_complete:
                continue
            for schedule in SCHEDULES:
                run = Run(shape, schedule=schedule)
                result = self._try(run, "schedules")
                if result is not None and result.is_complete and result.outputs != first.outputs:
                    self._differs(run, first, result)

    def _differs(self, run: Run, first: Result, result: Result) -> None:
        names = [name for name, data in first.outputs.items() if result.outputs[name] != data]
        order = self.judged.determinism.get("order")
        message = f"nondeterministic: `{names[0]}` has other bits with schedule {run.schedule} than with eager"
        finding = Finding("deterministic", "nondeterministic", message, run=run)
        if order:
            finding.line, finding.notes = order["line"], [f"`{order['text']}`: {order['reason']}"]
        self.judged.determinism["same_bits"] = False
        self._add(finding, is_promised=self._deterministic or self.oracle.task["deterministic"])

    def _try(
        self, run: Run, part: str, how: How = PLAIN, *, is_derived: bool = False, is_promised: bool = True
    ) -> typing.Optional[Result]:
        """Runs the candidate once, and adds findings. With `is_derived`, the task does not draw this run itself.
        Then a run that the task cannot answer is skipped, and errors that roundings explain are accepted."""
        if time.monotonic() > self._until:
            raise Stopped(f"judging takes longer than {self.limits.seconds:g} seconds")
        try:
            result: Result = self.bench.run(run, how)
        except _oracle.OracleError as problem:
            if (
                is_derived
                or not is_promised
                or (run.contents == "edge" and dict(run.shape) != self.oracle.task["shapes"][0])
            ):
                return None
            raise Stopped(f"the task: {problem}") from None
        self.judged.runs += 1
        if result.rejected is not None:
            if not is_derived:
                self._add(Finding("compiles", "launch", f"the launch is not valid: {result.rejected}", run=run))
                raise Stopped
            return None
        for fault in result.faults[:3]:
            self._add(_findings.of_diagnostic(fault, run), is_promised)
        if result.refusal is not None and not result.faults:
            raise Stopped(f"{result.refusal} ({run.words()})")
        is_known = self._is_wrong() and part in ("uninitialised", *_COMPARED)
        if result.is_complete and not is_known:
            for found in _mismatch.findings(self, run, result, part, is_derived):
                self._add(found, is_promised)
        return result

    def _add(self, finding: Finding, is_promised: bool = True) -> None:
        """Keeps the first finding of a part and kind."""
        kept = self.judged.findings if is_promised else self.judged.notes
        if not any(one.part == finding.part and one.kind == finding.kind for one in kept):
            kept.append(finding)

    def _smaller(self, task: dict[str, typing.Any]) -> None:
        """Looks for a smaller shape that shows the first finding."""
        finding = self.judged.findings[0] if self.judged.findings else None
        if finding is None or finding.run is None or (self.launch is not None and self.launch.is_fixed):
            return
        size = _shapes.volume(dict(finding.run.shape))
        shapes = _shapes.derived(_shapes.ascending(task["shapes"]), task["constraint"], 32)
        before, self.judged = self.judged, Judged()
        try:
            for shape in [shape for shape in shapes if _shapes.volume(shape) < size][:_SMALLER]:
                run = dataclasses.replace(finding.run, shape=tuple(shape.items()))
                self._try(run, finding.part, is_derived=True)
                same = [one for one in self.judged.findings if one.kind == finding.kind]
                if same:
                    before.findings[0] = dataclasses.replace(same[0], part=finding.part, cause=finding.cause)
                    break
        except Stopped:
            pass
        finally:
            before.runs += self.judged.runs
            self.judged = before

    def difference(self, run: Run, result: Result, is_derived: bool) -> dict[str, _numbers.Difference]:
        """Compares the outputs with the expected values of the task."""
        types, blobs = self.oracle.ask("expected", run.drawn())
        found = {}
        for index, (name, data) in enumerate(result.outputs.items()):
            kind = self.bench.types[name]
            expected = _numbers.values_of(blobs[index], types["types"][index])
            if kind not in _numbers.FLOATS:
                got = _numbers.values_of(data, kind)
            else:
                if _numbers.bytes_of(expected, kind) == data:
                    continue
                got = _numbers.values_of(data, kind)
            absolute, relative = tolerance(self.oracle.task["tolerance"], name)
            difference = _numbers.compare(got, expected, absolute, relative)
            if difference and (is_derived or not self._is_strict(run)):
                difference = self._with_slack(run, index, got, expected, (absolute, relative), difference)
            if difference:
                found[name] = difference
        return found

    def _is_strict(self, run: Run) -> bool:
        """Returns whether the author of the task has likely seen this run, so that its tolerance applies unchanged."""
        is_first = dict(run.shape) == self.oracle.task["shapes"][0]
        return run.seed <= 1 if is_first else run.seed == 0 and run.contents == "drawn"

    def _with_slack(
        self,
        run: Run,
        index: int,
        got: list[typing.Any],
        expected: list[typing.Any],
        limits: tuple[float, float],
        strict: _numbers.Difference,
    ) -> _numbers.Difference:
        """Compares again, and accepts differences that 32 roundings of the inputs explain. Degenerate elements are
        not judged. These are elements that are not finite for ordinary contents, or finite on one side only for
        contents that the task does not draw."""
        try:
            _, blobs = self.oracle.ask("spread", run.drawn())
        except _oracle.OracleError:
            return strict
        slack = [32 * one for one in _numbers.values_of(blobs[index], "f64")]
        for i, (g, e) in enumerate(zip(got, expected)):
            is_odd = math.isfinite(g) != math.isfinite(e)
            if (run.contents == "drawn" and not math.isfinite(e)) or (run.contents in _REARRANGED and is_odd):
                slack[i] = math.inf
        return _numbers.compare(got, expected, *limits, slack)


def tolerance(given: typing.Any, name: str) -> tuple[float, float]:
    """Returns the absolute and the relative tolerance of an output: a number for both, a pair, or a dict by name."""
    if isinstance(given, dict):
        given = given.get(name, 0)
    if isinstance(given, (list, tuple)):
        return float(given[0]), float(given[1])
    return float(given), float(given)
