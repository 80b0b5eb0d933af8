"""Judges one candidate in a separate process, so that a crash or an endless run also leads to a verdict."""

import contextlib
import dataclasses
import os
import signal
import time
import typing

from . import _bench, _candidate, _judging, _launch, _limits, _messages, _oracle, _program, _verdict

_GRACE = 15  # seconds by which a process may exceed its own limit
_ENDING = 2  # seconds that it may need to end


@dataclasses.dataclass(frozen=True)
class Options:
    """Describes how candidates are judged. `only` is the one run to repeat."""

    chip: typing.Optional[str] = None
    limits: _judging.Limits = dataclasses.field(default_factory=_judging.Limits)
    salt: str = ""
    deterministic: bool = False
    precise: bool = False
    beyond: bool = False
    certify: bool = False
    trust: bool = False  # runs programs on systems that cannot isolate them
    only: typing.Optional[_bench.Run] = None


def names_of(candidate: _candidate.Candidate, task: str, options: Options) -> dict[str, typing.Any]:
    names = {"task": task, "candidate": candidate.path, "launch": candidate.launch_path, "chip": options.chip}
    return names


def judged_here(candidate: _candidate.Candidate, oracle: _oracle.Oracle, options: Options) -> _verdict.Verdict:
    """Judges a candidate in this process."""
    names = names_of(candidate, oracle.path, options)
    if candidate.path.endswith(".py"):
        return _judged_program(candidate, oracle, options, names)
    try:
        if candidate.launch is None:
            return _verdict.unknown("there is no launch file, `case.json` next to the candidate", names)
        launch = candidate.launch_file()
        text = candidate.ptx(options.chip)
    except _launch.LaunchError as problem:
        return _verdict.rejected("launch", str(problem), names)
    except _candidate.CompileError as problem:
        return _verdict.rejected("does-not-compile", str(problem), names)
    except (_candidate.NoCompiler, OSError) as problem:
        return _verdict.unknown(str(problem), names)
    names["kernel"] = launch.kernels[0].name
    judging = _judging.Judging(text, launch, oracle, **_how(options))
    return _verdict.of_judged(judging.all(options.only), names)


def _how(options: Options) -> dict[str, typing.Any]:
    names = ("chip", "limits", "salt", "deterministic", "precise", "beyond", "certify")
    return {name: getattr(options, name) for name in names}


def _judged_program(
    candidate: _candidate.Candidate, oracle: _oracle.Oracle, options: Options, names: dict[str, typing.Any]
) -> _verdict.Verdict:
    try:
        text = candidate.ptx(None)
        bench = _program.ProgramBench(
            candidate.path, oracle, chip=options.chip, limits=options.limits, trust=options.trust
        )
    except OSError as problem:
        return _verdict.unknown(str(problem), names)
    try:
        judging = _judging.Judging(text, None, oracle, program=bench, **_how(options))
        return _verdict.of_judged(judging.all(options.only), names)
    finally:
        bench.close()


def _work(target: int, candidate: _candidate.Candidate, oracle: _oracle.Oracle, options: Options) -> None:
    """Judges in the forked process, and ends it."""
    status = 1
    try:
        _limits.end_with_parent()
        if candidate.path.endswith(".ptx"):  # nvcc and programs have their own limits
            _limits.without_network()
        _limits.limit(int(2 * options.limits.seconds) + _GRACE, options.limits.memory)
        verdict = judged_here(candidate, oracle, options)
        _messages.Channel(-1, target).send(verdict.data)
        status = 0
    except MemoryError:
        status = 2
    finally:
        os._exit(status)


def judged(candidate: _candidate.Candidate, oracle: _oracle.Oracle, options: Options) -> tuple[_verdict.Verdict, bool]:
    """Judges a candidate in a separate process. Returns the verdict, and whether the oracle can be used again."""
    names = names_of(candidate, oracle.path, options)
    try:
        _ = oracle.task
    except _oracle.OracleError as problem:
        return _verdict.unknown(f"the task: {problem}", names), False
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        _work(target, candidate, oracle, options)
    os.close(target)
    reason = "the process that judges has ended"
    try:
        data, _ = _messages.Channel(source, -1).receive(options.limits.seconds + _GRACE)
        return _verdict.Verdict(data), True
    except _messages.Late:
        reason = f"judging takes longer than {options.limits.seconds:g} seconds"
    except _messages.Closed:
        pass
    finally:
        os.close(source)
        status = _ended(child)
    if status == 2:
        reason = "judging takes more memory than it may"
    elif status < 0 and "seconds" not in reason:
        reason += f" by {signal.Signals(-status).name}"
    return _verdict.unknown(reason, names), False


def _ended(child: int) -> int:
    """Waits for a process that has answered or closed its pipe, and kills one that does not end. Returns its exit
    status, or the negative signal."""
    until = time.monotonic() + _ENDING
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        if time.monotonic() > until:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.001)
