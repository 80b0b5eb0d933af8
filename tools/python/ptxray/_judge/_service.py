"""Manages processes that judge one candidate after the other, for programs with threads, which cannot fork safely.
Each keeps the processes of its last tasks, so that repeated calls do not start Python and numpy again."""

import atexit
import contextlib
import dataclasses
import os
import pathlib
import subprocess
import sys
import typing

from . import _bench, _candidate, _judging, _messages, _oracle, _process, _verdict

_START = """import sys
sys.path[:1] = []
sys.path.insert(0, sys.argv.pop(1))
from ptxray._judge._service import serve
serve()
"""
_KEPT = 4  # number of tasks per process
_GRACE = 60  # seconds in addition to those of a candidate, to start and to load the task


class _Tasks:
    """Holds the processes of the last tasks."""

    def __init__(self) -> None:
        self._oracles: dict[tuple[str, int], _oracle.Oracle] = {}

    def judge(self, candidate: _candidate.Candidate, task: str, options: _process.Options) -> _verdict.Verdict:
        try:
            key = task, os.stat(task).st_mtime_ns if os.path.isfile(task) else 0
            oracle = self._oracles.pop(key, None) or _oracle.Oracle(task, seconds=options.limits.reference_seconds)
        except _oracle.OracleError as problem:
            return _verdict.unknown(str(problem), _process.names_of(candidate, task, options))
        verdict, is_usable = _process.judged(candidate, oracle, options)
        if is_usable:
            self._oracles[key] = oracle
        else:
            oracle.close()
        while len(self._oracles) > _KEPT:
            self._oracles.pop(next(iter(self._oracles))).close()
        return verdict


def _options(fields: dict[str, typing.Any]) -> _process.Options:
    limits, only = _judging.Limits(**fields.pop("limits")), fields.pop("only")
    if only is not None:
        pairs: dict[str, typing.Any] = {
            name: tuple((one, size) for one, size in only.pop(name)) for name in ("shape", "replaced")
        }
        only = _bench.Run(**pairs, **only)
    return _process.Options(limits=limits, only=only, **fields)


def serve() -> None:
    """Judges the candidates that the other process requests, until it ends."""
    source, target = map(int, sys.argv[1:])
    os.dup2(2, 1)
    channel, tasks = _messages.Channel(source, target), _Tasks()
    with contextlib.suppress(_messages.Closed, KeyboardInterrupt):
        while True:
            asked, _ = channel.receive()
            candidate = _candidate.Candidate(**asked["candidate"])
            channel.send(tasks.judge(candidate, asked["task"], _options(asked["options"])).data)


class Service:
    """Represents one such process. It serves one thread at a time."""

    def __init__(self) -> None:
        here, there = os.pipe(), os.pipe()
        package = str(pathlib.Path(__file__).resolve().parents[2])
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, package, str(there[0]), str(here[1])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(there[0], here[1]),
        )
        os.close(there[0])
        os.close(here[1])
        self._ends = here[0], there[1]
        self._channel = _messages.Channel(*self._ends)
        self.owner = os.getpid()

    def judge(self, candidate: _candidate.Candidate, task: str, options: _process.Options) -> _verdict.Verdict:
        """Judges a candidate. Raises Closed or Late if the process cannot be used any more."""
        fields = {"candidate": dataclasses.asdict(candidate), "task": task, "options": dataclasses.asdict(options)}
        self._channel.send(fields)
        data, _ = self._channel.receive(options.limits.seconds + options.limits.reference_seconds + _GRACE)
        return _verdict.Verdict(data)

    def close(self) -> None:
        for end in self._ends:
            with contextlib.suppress(OSError):
                os.close(end)
        if self.owner == os.getpid():
            self._process.kill()
            self._process.wait()


_idle: list[Service] = []  # a list supports this without a lock


def judge(candidate: _candidate.Candidate, task: str, options: _process.Options) -> _verdict.Verdict:
    """Judges a candidate in an idle process, or in a new one."""
    service = None
    while service is None and _idle:
        with contextlib.suppress(IndexError):
            service = _idle.pop()
        if service is not None and service.owner != os.getpid():  # only the parent may use its process
            service = None
    service = service or Service()
    try:
        verdict = service.judge(candidate, task, options)
    except (_messages.Closed, _messages.Late) as problem:
        service.close()
        return _verdict.unknown(f"the process that judges: {problem}", _process.names_of(candidate, task, options))
    except BaseException:
        service.close()
        raise
    _idle.append(service)
    return verdict


@atexit.register
def _end() -> None:
    while _idle:
        _idle.pop().close()
