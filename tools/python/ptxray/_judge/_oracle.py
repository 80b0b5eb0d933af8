"""Communicates with the process of the reference, on the side of the judge."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import typing

from . import _limits, _messages

_START = """import sys
sys.path[:1] = []
sys.path.insert(0, sys.argv.pop(1))
from ptxray._judge._reference import main
main()
"""


class OracleError(RuntimeError):
    """Reports that the task cannot be loaded, or its reference fails or takes too long."""


class Oracle:
    """Represents a task in a separate process. Raises OracleError from each call that it cannot answer."""

    def __init__(
        self, path: typing.Union[str, os.PathLike[str]], *, seconds: float = 60, memory: int = 8 << 30
    ) -> None:
        self.path, self._seconds = str(path), seconds
        if not os.path.isfile(self.path):
            raise OracleError(f"there is no task `{self.path}`")
        here, there = os.pipe(), os.pipe()
        package = str(pathlib.Path(__file__).resolve().parents[2])
        words = [self.path, str(there[0]), str(here[1]), str(int(60 * seconds)), str(memory)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, package, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(there[0], here[1]),
            env=_limits.environment(),
        )
        os.close(there[0])
        os.close(here[1])
        self._ends = [here[0], there[1]]
        self._channel = _messages.Channel(*self._ends)
        self._known: dict[str, tuple[dict[str, typing.Any], list[bytes]]] = {}
        self._described: typing.Optional[dict[str, typing.Any]] = None

    @property
    def task(self) -> dict[str, typing.Any]:
        """Returns SHAPES, TOLERANCE and the other names of the task, which `_task.Task.described` lists."""
        if self._described is None:
            answer, _ = self._received()
            if "problem" in answer:
                raise OracleError(answer["problem"])
            self._described = answer["task"]
        return self._described

    def _received(self) -> tuple[dict[str, typing.Any], list[bytes]]:
        try:
            return self._channel.receive(self._seconds)
        except _messages.Late:
            self.close()
            raise OracleError(f"the reference takes longer than {self._seconds:g} seconds") from None
        except _messages.Closed:
            self.close()
            raise OracleError("the process of the reference has ended") from None

    def ask(self, do: str, run: dict[str, typing.Any]) -> tuple[dict[str, typing.Any], list[bytes]]:
        """Returns the answer of `inputs`, `expected`, `precise` or `spread` for a run."""
        _ = self.task
        key = do + json.dumps(run, sort_keys=True)
        if key not in self._known:
            try:
                self._channel.send({"do": do, "run": run})
            except _messages.Closed:
                raise OracleError("the process of the reference has ended") from None
            answer, blobs = self._received()
            if len(self._known) > 512:
                self._known.clear()
            self._known[key] = answer, blobs
        answer, blobs = self._known[key]
        if "problem" in answer:
            raise OracleError(answer["problem"])
        return answer, blobs

    def close(self) -> None:
        for end in self._ends:
            with contextlib.suppress(OSError):
                os.close(end)
        self._ends = []
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
