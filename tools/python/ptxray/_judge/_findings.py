"""Defines the findings about a candidate: parts of a verdict, kinds of faults, and the run that shows each."""

import dataclasses
import typing

from . import _bench

PARTS = {
    "compiles": "The PTX has no errors, and the launch is valid.",
    "bounds": "Each access is in bounds, aligned, and allowed.",
    "races": "No two threads race.",
    "deadlocks": "Every thread ends.",
    "uninitialised": "No thread uses an uninitialised value.",
    "traps": "No thread traps, fails an assertion, or does what is undefined.",
    "inputs": "No input is overwritten.",
    "written": "Every element of each output is written, and none depends on what memory held before.",
    "results": "The results are right for the shapes of the task.",
    "contents": "The results are right for contents at the edges.",
    "shapes": "The results are right for other shapes that the task allows.",
    "schedules": "The results are right for every order of warps and asynchronous operations.",
    "deterministic": "The results have the same bits for every order.",
    "precision": "The results have the precision of their type.",
}
# For rules of the emulator, this table contains the part that fails, and the kind.
_RULES = {
    "run-out-of-bounds": ("bounds", "out-of-bounds"),
    "run-misaligned": ("bounds", "misaligned"),
    "run-read-only": ("bounds", "read-only"),
    "run-race": ("races", "race"),
    "run-hang": ("deadlocks", "hang"),
    "run-unwritten": ("uninitialised", "uninitialised"),
}


@dataclasses.dataclass
class Finding:
    """Represents one fault, with the smallest run that shows it."""

    part: str
    kind: str
    message: str
    cause: typing.Optional[str] = None  # cause of a mismatch
    run: typing.Optional[_bench.Run] = None
    rule: typing.Optional[str] = None
    line: typing.Optional[int] = None  # line of the PTX
    column: typing.Optional[int] = None
    origin: typing.Optional[tuple[str, int]] = None  # path and line of the source that the PTX was made from
    notes: list[str] = dataclasses.field(default_factory=list)
    command: typing.Optional[str] = None

    def json(self) -> dict[str, typing.Any]:
        run = self.run
        return {
            "part": self.part,
            "kind": self.kind,
            "cause": self.cause,
            "message": self.message,
            "rule": self.rule,
            "line": self.line,
            "column": self.column,
            "origin": None if self.origin is None else {"path": self.origin[0], "line": self.origin[1]},
            "notes": self.notes,
            "shape": None if run is None else dict(run.shape),
            "seed": None if run is None else run.seed,
            "contents": None if run is None else run.contents,
            "fill": None if run is None else run.fill,
            "schedule": None if run is None else run.schedule,
            "command": self.command,
        }


def of_diagnostic(diagnostic: typing.Any, run: typing.Optional[_bench.Run]) -> Finding:
    """Returns the finding for an error of the check or a fault of a launch."""
    part, kind = _RULES.get(diagnostic.rule, ("traps", diagnostic.rule.removeprefix("run-")))
    if run is None:
        part, kind = "compiles", "does-not-compile"
    notes = [note.message + (f" (line {note.begin.line})" if note.begin else "") for note in diagnostic.notes]
    begin = diagnostic.begin
    where = {"line": begin.line, "column": begin.column, "origin": diagnostic.origin}
    return Finding(part, kind, diagnostic.message, run=run, rule=diagnostic.rule, notes=notes, **where)
