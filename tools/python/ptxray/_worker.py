"""Runs `ptxray check --batch` if there is no library. This is several times slower for small texts."""

# mypy: ignore-errors
import json
import os
import subprocess


class Answer:
    """Holds the findings in one text."""

    __slots__ = ("_answer",)

    def __init__(self, answer):
        self._answer = answer

    def count(self):
        return len(self._answer["diagnostics"])

    def errors(self):
        return sum(d["severity"] == "error" for d in self._answer["diagnostics"])

    def checked_as(self):
        return self._answer["ptx"] or "", self._answer["target"] or ""

    def diagnostics(self):
        return self._answer["diagnostics"]


class _Process:
    def __init__(self, program):
        self._running = subprocess.Popen(
            [program, "check", "--batch", "--no-config"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.owner = os.getpid()

    def ask(self, request):
        self._running.stdin.write(json.dumps(request).encode() + b"\n")
        self._running.stdin.flush()
        line = self._running.stdout.readline()
        if not line:
            raise RuntimeError(f"ptxray ended with {self._running.wait()}")
        return json.loads(line)

    def __del__(self):
        for pipe in (self._running.stdin, self._running.stdout):
            pipe.close()
        if self.owner == os.getpid():
            self._running.wait()


class Worker:
    """Represents one process for each thread that checks at the same time."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._idle = []

    def options(self, options):
        problem = self._ask({"text": "", **options}).get("problem")
        if problem:
            raise ValueError(problem)
        return options

    def check(self, data, options):
        if isinstance(data, tuple):
            import ctypes

            data = ctypes.string_at(*data)
        data = data.rstrip(b"\0")  # the zero at the end of a C string is not part of the text
        try:
            text = data.decode()
        except UnicodeDecodeError:  # a request is UTF-8, so each byte becomes one byte, which keeps positions
            text = data.decode("ascii", "replace").replace("\ufffd", "?")
        answer = self._ask({"text": text, **options})
        if "problem" in answer:
            raise ValueError(answer["problem"])
        return Answer(answer)

    def _ask(self, request):
        process = self._idle.pop() if self._idle else None
        if process is None or process.owner != os.getpid():  # only the parent may use its process
            process = _Process(self._program)
        answer = process.ask(request)
        self._idle.append(process)
        return answer
