"""Defines the verdict on a candidate, as JSON and as text."""

import dataclasses
import json
import shlex
import typing

from . import _bench, _findings, _judging, _reward

VERSION = 1  # version of the JSON: fields are added, but never changed
STATUS = {"accepted": 0, "rejected": 1, "unknown": 7}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """States whether a candidate is right. `data` is the JSON (docs/judge.schema.json)."""

    data: dict[str, typing.Any]

    @property
    def verdict(self) -> str:
        """Returns accepted, rejected or unknown."""
        return str(self.data["verdict"])

    @property
    def accepted(self) -> bool:
        return self.verdict == "accepted"

    @property
    def kind(self) -> typing.Optional[str]:
        """Returns the kind of the first fault: `race`, `out-of-bounds`, `mismatch` ..."""
        kind: typing.Optional[str] = self.data["kind"]
        return kind

    @property
    def reason(self) -> typing.Optional[str]:
        """Returns in one line why the candidate is not accepted."""
        reason: typing.Optional[str] = self.data["reason"]
        return reason

    @property
    def findings(self) -> list[dict[str, typing.Any]]:
        found: list[dict[str, typing.Any]] = self.data["findings"]
        return found

    @property
    def reward(self) -> float:
        """Returns a number in [0, 1]. `ptxray.reward` accepts other weights."""
        return float(self.data["reward"])

    @property
    def status(self) -> int:
        """Returns the exit status of `ptxray judge`: 0, 1 or 7."""
        return STATUS[self.verdict]

    @property
    def text(self) -> str:
        return written(self.data)

    def json(self) -> str:
        return json.dumps({**self.data, "text": self.text})

    def __str__(self) -> str:
        return self.text


def command(names: typing.Mapping[str, typing.Any], run: typing.Optional[_bench.Run]) -> str:
    """Returns the command that repeats a run."""
    words = ["ptxray", "judge", "--reference", names["task"], "--candidate", names["candidate"]]
    words += ["--launch", names["launch"]] if names.get("launch") else []
    words += ["--chip", names["chip"]] if names.get("chip") else []
    if run is not None:
        words += ["--shape", ",".join(f"{name}={size}" for name, size in run.shape), "--seed", str(run.seed)]
        words += ["--contents", run.contents] if run.contents != "drawn" else []
        words += ["--fill", run.fill] if run.fill != "ff" else []
        words += ["--schedule", run.schedule] if run.schedule != "eager" else []
    return shlex.join(words)


def of_judged(judged: _judging.Judged, names: dict[str, typing.Any]) -> Verdict:
    """Returns the verdict for the results of the runs. `names` contains task, candidate, launch, chip, kernel."""
    findings = sorted(judged.findings, key=lambda one: one.kind == "nondeterministic")
    verdict = "rejected" if findings else "unknown" if judged.unknown else "accepted"
    for finding in [*findings, *judged.notes]:
        finding.command = command(names, finding.run)
    first = findings[0] if findings else None
    data = {
        "version": VERSION,
        "verdict": verdict,
        "kind": first.kind if first else None,
        "cause": first.cause if first else None,
        "reason": first.message if first else judged.unknown,
        **{name: names.get(name) for name in ("task", "candidate", "launch", "kernel")},
        "parts": _parts(judged),
        "findings": [one.json() for one in findings],
        "notes": [one.json() for one in judged.notes],
        "warnings": [one.json() for one in judged.warnings],
        "inputs": judged.inputs,
        "origins": judged.origins,
        "precision": judged.precision,
        "determinism": judged.determinism,
        "counters": judged.counters,
        "certificate": judged.certificates,
        "equality": None,
        "time": None,
        "runs": judged.runs,
    }
    data["reward"] = _reward.reward(data)
    return Verdict(data)


def unknown(reason: str, names: dict[str, typing.Any]) -> Verdict:
    """Returns the verdict on a candidate that could not be judged."""
    return of_judged(_judging.Judged(unknown=reason), names)


def rejected(kind: str, reason: str, names: dict[str, typing.Any]) -> Verdict:
    """Returns the verdict on a candidate that was not launched."""
    return of_judged(_judging.Judged([_findings.Finding("compiles", kind, reason)]), names)


def _parts(judged: _judging.Judged) -> dict[str, str]:
    failed = {one.part for one in judged.findings}
    if "compiles" in failed:
        return {part: "failed" if part == "compiles" else "not tried" for part in _findings.PARTS}
    noted = {one.part for one in judged.notes}
    done = judged.done | ({"compiles"} if judged.runs else set())

    def state(part: str) -> str:
        if part in failed:
            return "failed"
        return "not tried" if part not in done else "noted" if part in noted else "passed"

    return {part: state(part) for part in _findings.PARTS}


def _finding_lines(one: dict[str, typing.Any], candidate: str) -> typing.Iterator[str]:
    place = f"{candidate}:{one['line']}:{one['column'] or 1}: " if one["line"] else ""
    rule = f" [{one['rule']}]" if one["rule"] else ""
    yield f"  {one['part']}: {place}{one['message']}{rule}"
    if one["origin"]:
        yield f"    source: {one['origin']['path']}:{one['origin']['line']}"
    if one["cause"]:
        yield f"    cause: {one['cause']}"
    for note in one["notes"]:
        yield f"    {note}"
    if one["command"] and one["shape"] is not None:
        yield f"    {one['command']}"


def written(data: typing.Mapping[str, typing.Any]) -> str:
    """Returns a verdict as text."""
    lines = [f"{data['verdict']}" + (f": {data['kind']}" if data["kind"] else "")]
    if data["verdict"] == "unknown":
        lines[0] += f": {data['reason']}"
    for one in data["findings"]:
        lines += _finding_lines(one, data["candidate"])
    if data["notes"]:
        lines.append("notes, which the task does not ask for:")
        for one in data["notes"]:
            lines += _finding_lines(one, data["candidate"])
    for how in ("passed", "failed", "noted", "not tried"):
        parts = [part for part, state in data["parts"].items() if state == how]
        lines += [f"{how}: {', '.join(parts)}"] if parts else []
    for name, one in data["precision"].items():
        lines.append(f"precision of `{name}`: at most {one['largest_ulp']:.3g} ulp of {one['type']} from the reference")
    for one in data["certificate"] or ():
        lines.append(f"certificate of `{one['kernel']}`: {one['summary']}")
    order = data["determinism"].get("order")
    if order:
        lines.append(f"line {order['line']}: {order['reason']}: `{order['text']}`")
    lines.append(f"reward: {data['reward']:.3f}, {data['runs']} runs")
    return "\n".join(lines)
