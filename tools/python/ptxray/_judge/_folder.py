"""Judges the candidates of a folder in parallel. Verdicts are lines of JSON in a file, from which a run that was killed
continues."""

import collections.abc
import concurrent.futures
import hashlib
import json
import os
import pathlib
import typing

from . import _candidate, _process, _service, _verdict


def key_of(candidate: _candidate.Candidate, task: str, options: _process.Options) -> str:
    """Returns what identifies a verdict: another candidate, task, launch file or option is judged again."""
    parts = [candidate.digest(), pathlib.Path(task).read_bytes().hex() if os.path.isfile(task) else task, repr(options)]
    return hashlib.sha256("\0".join([*parts, str(_verdict.VERSION)]).encode()).hexdigest()[:32]


def known(path: typing.Union[str, os.PathLike[str]]) -> dict[tuple[str, str], dict[str, typing.Any]]:
    """Returns the verdicts of a file by candidate and key. Removes a last line that is incomplete."""
    found: dict[tuple[str, str], dict[str, typing.Any]] = {}
    try:
        data = pathlib.Path(path).read_bytes()
    except FileNotFoundError:
        return found
    complete = data.rfind(b"\n") + 1
    if complete < len(data):
        os.truncate(path, complete)
    for line in data[:complete].splitlines():
        try:
            entry = json.loads(line)
            found[entry["candidate"], entry["key"]] = entry
        except (ValueError, KeyError, TypeError):
            continue
    return found


def task_of(candidate: _candidate.Candidate, reference: str) -> str:
    """Returns the task of a candidate: `reference`, or the file in that folder that the launch file's `task` names."""
    if not os.path.isdir(reference):
        return reference
    try:
        entry = (
            candidate.launch
            if isinstance(candidate.launch, dict)
            else json.loads(pathlib.Path(str(candidate.launch)).read_bytes())
        )
        name = os.path.basename(str(entry["task"]))
    except (OSError, ValueError, KeyError, TypeError):
        return reference
    return os.path.join(reference, name + ".py")


def judge_folder(
    reference: str,
    candidates: collections.abc.Sequence[_candidate.Candidate],
    options: _process.Options,
    *,
    results: typing.Optional[str] = None,
    jobs: typing.Optional[int] = None,
) -> collections.abc.Iterator[_verdict.Verdict]:
    """Yields the verdict on each candidate as soon as it is known, those of the file `results` first; others are added
    to it."""
    earlier = known(results) if results else {}
    waiting = []
    for candidate in candidates:
        task = task_of(candidate, reference)
        key = key_of(candidate, task, options)
        if (candidate.path, key) in earlier:
            yield _verdict.Verdict(earlier[candidate.path, key])
        else:
            waiting.append((key, candidate, task))
    # Candidates of one task follow each other, so that its process is kept.
    waiting.sort(key=lambda job: job[2])
    if not waiting:
        return
    count = max(1, min(jobs or os.cpu_count() or 1, len(waiting)))
    file = open(results, "a", encoding="utf-8") if results else None  # noqa: SIM115
    pool = concurrent.futures.ThreadPoolExecutor(count)
    try:
        jobs_of = {pool.submit(_service.judge, candidate, task, options): key for key, candidate, task in waiting}
        for job in concurrent.futures.as_completed(jobs_of):
            verdict = job.result()
            if file:
                file.write(json.dumps({**verdict.data, "key": jobs_of.pop(job)}) + "\n")
                file.flush()
            yield verdict
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        if file:
            file.close()
