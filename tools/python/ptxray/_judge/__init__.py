"""Judges generated kernels: docs/judge.md."""

import collections.abc
import os
import pathlib
import tempfile
import typing

from . import _bench, _candidate, _folder, _judging, _process, _service
from ._reward import WEIGHTS, reward
from ._verdict import Verdict

__all__ = ["WEIGHTS", "Verdict", "judge", "judge_folder", "reward"]

Path = typing.Union[str, "os.PathLike[str]"]


def _options(
    chip: typing.Optional[str] = None,
    time_limit: float = 60,
    launch_time_limit: float = 10,
    memory_limit: int = 4 << 30,
    salt: str = "",
    deterministic: bool = False,
    precise: bool = False,
    beyond: bool = False,
    certify: bool = False,
    trust: bool = False,
    only: typing.Optional[_bench.Run] = None,
) -> _process.Options:
    limits = _judging.Limits(time_limit, launch_time_limit, memory_limit)
    return _process.Options(chip, limits, salt, deterministic, precise, beyond, certify, trust, only)


def judge(
    task: Path,
    candidate: typing.Union[Path, str],
    launch: typing.Union[Path, dict[str, typing.Any], None] = None,
    **options: typing.Any,
) -> Verdict:
    """Judges one candidate: the path of a file (.ptx, .cu, .py), or PTX source. `launch` is the path of its launch
    file, or the object itself; without one, it is the file next to the candidate.

    Options: `chip`; `time_limit` and `launch_time_limit` in seconds, `memory_limit` in bytes; `salt`, which changes the
    seeds that nobody knows; `deterministic` rejects other bits for another order, `precise` rejects lower precision;
    `beyond` also tries contents that the task does not promise, as notes; `certify` adds the certificate of the first
    shape (docs/certificate.md); `trust` runs programs of Python on systems that cannot isolate them."""
    how = _options(**options)
    text = os.fspath(candidate)
    given = launch if launch is None or isinstance(launch, dict) else os.fspath(launch)
    if "\n" not in text:
        return _service.judge(
            _candidate.Candidate(text, given or _candidate.launch_next_to(text)), os.fspath(task), how
        )
    with tempfile.TemporaryDirectory(prefix="ptxray-judge-") as folder:
        path = pathlib.Path(folder) / "candidate.ptx"
        path.write_text(text)
        return _service.judge(_candidate.Candidate(str(path), given), os.fspath(task), how)


def judge_folder(
    task: Path,
    candidates: typing.Union[Path, collections.abc.Iterable[tuple[Path, typing.Any]]],
    launch: typing.Optional[Path] = None,
    *,
    results: typing.Optional[Path] = None,
    jobs: typing.Optional[int] = None,
    **options: typing.Any,
) -> collections.abc.Iterator[Verdict]:
    """Judges all candidates below a folder, or pairs of candidate and launch file, on all cores. Yields verdicts as
    they are known. `results` is a file of JSON lines: verdicts in it are not made again, so that a run that was killed
    continues. `task` may be a folder; then `task` of each launch file names the file in it."""
    if isinstance(candidates, (str, os.PathLike)):
        listed = _candidate.candidates_in(os.fspath(candidates), None if launch is None else os.fspath(launch))
    else:
        listed = [
            _candidate.Candidate(os.fspath(path), given if isinstance(given, dict) else os.fspath(given))
            for path, given in candidates
        ]
    kept = None if results is None else os.fspath(results)
    return _folder.judge_folder(os.fspath(task), listed, _options(**options), results=kept, jobs=jobs)
