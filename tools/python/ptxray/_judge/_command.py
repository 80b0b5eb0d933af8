"""The command `ptxray judge`, which the program ptxray starts with its own options."""

import argparse
import json
import os
import sys
import typing

from . import _bench, _candidate, _folder, _judging, _oracle, _process, _verdict


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> typing.NoReturn:
        print(f"ptxray: judge: {message}", file=sys.stderr)
        sys.exit(2)


def _arguments(words: typing.Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="ptxray judge", allow_abbrev=False)
    parser.add_argument("operands", nargs="*")
    for name in (
        "reference",
        "candidate",
        "launch",
        "chip",
        "results",
        "salt",
        "shape",
        "contents",
        "fill",
        "schedule",
    ):
        parser.add_argument(f"--{name}")
    parser.add_argument("--format", choices=("text", "json", "jsonl"), default="text")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--launch-time-limit", type=float, default=10)
    parser.add_argument("--memory-limit", type=int, default=4 << 30)
    for name in ("deterministic", "precise", "beyond", "certify", "trust"):
        parser.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args(words)
    operands = list(given.operands)
    given.reference = given.reference or (operands.pop(0) if operands else None)
    given.candidate = given.candidate or (operands.pop(0) if operands else None)
    if not given.reference or not given.candidate or operands:
        parser.error("a task and a candidate are expected: `ptxray judge TASK.py CANDIDATE.ptx`")
    if given.schedule and given.schedule not in ("eager", "lazy", "early"):
        number = given.schedule[5:] if given.schedule.startswith("weak:") else given.schedule
        if not number.isdigit():
            parser.error("`--schedule` is eager, lazy, early, a number, or weak:NUMBER")
    if given.fill and given.fill not in _bench.FILLS:
        parser.error(f"`--fill` is one of {', '.join(_bench.FILLS)}")
    try:
        given.shape = given.shape and _shape(given.shape)
    except ValueError:
        parser.error("`--shape` is a list of sizes, such as `rows=3,cols=70`")
    return given


def _shape(text: str) -> tuple[tuple[str, int], ...]:
    pairs = (part.split("=") for part in text.split(","))
    return tuple((name.strip(), int(size)) for name, size in pairs)


def _only(given: argparse.Namespace) -> typing.Optional[_bench.Run]:
    """Returns the one run that is asked for, or None."""
    if given.shape is None:
        return None
    fields = {name: getattr(given, name) for name in ("seed", "contents", "fill", "schedule")}
    return _bench.Run(given.shape, **{name: value for name, value in fields.items() if value is not None})


def _unreadable(path: str) -> typing.Optional[str]:
    return None if os.access(path, os.R_OK) else f"cannot read `{path}`"


def _problem(given: argparse.Namespace) -> typing.Optional[str]:
    paths = [given.reference, given.candidate, *([given.launch] if given.launch else [])]
    return next(filter(None, map(_unreadable, paths)), None)


def _print_one(verdict: _verdict.Verdict, format: str) -> None:
    if format == "text":
        print(verdict.text)
    elif format == "json":
        print(json.dumps({**verdict.data, "text": verdict.text}, indent=1))
    else:
        print(json.dumps(verdict.data))


def _one(given: argparse.Namespace, options: _process.Options) -> int:
    launch = given.launch or _candidate.launch_next_to(given.candidate)
    candidate = _candidate.Candidate(given.candidate, launch)
    try:
        with _oracle.Oracle(given.reference, seconds=options.limits.reference_seconds) as oracle:
            verdict = _process.judged(candidate, oracle, options)[0]
    except _oracle.OracleError as problem:
        verdict = _verdict.unknown(str(problem), _process.names_of(candidate, given.reference, options))
    _print_one(verdict, given.format)
    return verdict.status


def _many(given: argparse.Namespace, options: _process.Options) -> int:
    candidates = _candidate.candidates_in(given.candidate, given.launch)
    if not candidates:
        print(f"ptxray: there are no candidates in `{given.candidate}`", file=sys.stderr)
        return 2
    counts = dict.fromkeys(_verdict.STATUS, 0)
    verdicts = _folder.judge_folder(given.reference, candidates, options, results=given.results, jobs=given.jobs)
    for verdict in verdicts:
        counts[verdict.verdict] += 1
        if given.format == "text":
            reason = f": {verdict.kind or verdict.reason}" if not verdict.accepted else ""
            print(f"{verdict.data['candidate']}: {verdict.verdict}{reason}", flush=True)
        else:
            print(json.dumps(verdict.data), flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()), file=sys.stderr)
    return 7 if counts["unknown"] else 1 if counts["rejected"] else 0


def main(words: typing.Optional[typing.Sequence[str]] = None) -> int:
    given = _arguments(sys.argv[1:] if words is None else words)
    if problem := _problem(given):
        print(f"ptxray: {problem}", file=sys.stderr)
        return 2
    limits = _judging.Limits(given.time_limit, given.launch_time_limit, given.memory_limit)
    flags = (given.deterministic, given.precise, given.beyond, given.certify, given.trust)
    options = _process.Options(given.chip, limits, given.salt or "", *flags, _only(given))
    try:
        return _many(given, options) if os.path.isdir(given.candidate) else _one(given, options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 2
