"""Runs a candidate that is a Python program in a separate process, whose launches run here."""

import ctypes
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing

import ptxray

from . import _limits, _messages, _numbers, _oracle
from ._bench import PLAIN, How, Result, Run

_START = """import sys
sys.path[:1] = []
sys.path.insert(0, sys.argv.pop(1))
from ptxray._judge._guest import main
main()
"""
_FILLS = {"ff": 0xFE, "00": 0x00, "cd": 0xCD, "7f": 0x7F, "stale": 0xCD}  # no byte of 0xff can be set
_COPY = "candidate.py"
_KEPT = 16 << 20  # limit for results of earlier runs
_LEAST = 8  # minimum size of an output whose origin is searched for
_MOST_MACHINES, _MOST_BYTES = 256, 1 << 30

Message = dict[str, typing.Any]


class ProgramError(RuntimeError):
    """Reports that the program cannot run on this system."""


class _Buffer:
    """Represents memory of a machine for memory of the program."""

    def __init__(self, size: int) -> None:
        self.bytes = bytearray(size)
        self.shared = (ctypes.c_char * size).from_buffer(self.bytes) if size else None
        self.is_known = False  # true after a launch used it


class _Launches:
    """Holds the machines of a program, and the results of their launches."""

    def __init__(self, path: str, limits: typing.Any, chip: typing.Optional[str]) -> None:
        self.path, self._limits, self._chip = path, limits, chip
        self._engine: typing.Any = ptxray._engine()
        self._machines: list[tuple[typing.Any, dict[int, _Buffer]]] = []
        self.ever_made: dict[bytes, None] = {}  # buffers that kernels wrote in the last runs
        self.begin(Run(()), Result(), PLAIN)

    def begin(self, run: Run, result: Result, how: How) -> None:
        self._run, self._result, self._how = run, result, how
        self.made: list[bytes] = []  # outputs of kernels
        self.hosted: list[bytes] = []  # outputs of the program itself

    def answer(self, message: Message, blobs: list[bytes]) -> tuple[Message, list[bytes]]:
        """Answers a call of the program. Raises Closed if it makes no sense."""
        try:
            return getattr(self, "_" + message["call"])(message, blobs)  # type: ignore[no-any-return]
        except (KeyError, IndexError, TypeError, AttributeError) as problem:
            raise _messages.Closed(f"a call makes no sense: {problem}") from None

    def _checked(self, answer: typing.Any) -> Message:
        ptx, target = answer.checked_as()
        return {"diagnostics": answer.diagnostics(), "ptx": ptx, "target": target}

    def _check(self, message: Message, blobs: list[bytes]) -> tuple[Message, list[bytes]]:
        return {"checked": self._checked(self._engine.check(blobs[0], self._engine.options(message["options"])))}, []

    def _machine(self, message: Message, blobs: list[bytes]) -> tuple[Message, list[bytes]]:
        if len(self._machines) >= _MOST_MACHINES:
            raise _messages.Closed("the program makes too many modules")
        options = {**message["options"], **({"arch": self._chip} if self._chip else {})}
        text = blobs[0].replace(b"ptxray:", b"ptxray ")  # a comment must not silence a rule
        machine = self._engine.machine(text, self._engine.options(options))
        self._machines.append((machine, {}))
        checked = self._checked(machine.checked())
        errors = [
            ptxray._diagnostic(one, "<candidate>") for one in checked["diagnostics"] if one["severity"] == "error"
        ]
        self._result.faults += errors
        return {"machine": len(self._machines) - 1, "checked": checked}, []

    def _parameter(self, message: Message, _: list[bytes]) -> tuple[Message, list[bytes]]:
        machine, _buffers = self._machines[message["machine"]]
        return {"parameter": machine.parameter(message["kernel"], message["index"])}, []

    def _add(self, message: Message, _: list[bytes]) -> tuple[Message, list[bytes]]:
        machine, buffers = self._machines[message["machine"]]
        if not 0 <= message["size"] <= _MOST_BYTES:
            raise _messages.Closed("a buffer is too large")
        buffer = _Buffer(message["size"])
        address = machine.add(ctypes.addressof(buffer.shared) if buffer.shared else 0, message["size"], message["name"])
        buffers[address] = buffer
        return {"address": address}, []

    def _remove(self, message: Message, _: list[bytes]) -> tuple[Message, list[bytes]]:
        machine, buffers = self._machines[message["machine"]]
        if buffers.pop(message["address"], None):
            machine.remove(message["address"])
        return {}, []

    def _tensor_map(self, message: Message, _: list[bytes]) -> tuple[Message, list[bytes]]:
        machine, _buffers = self._machines[message["machine"]]
        fields = {name: tuple(one) if isinstance(one, list) else one for name, one in message["fields"].items()}
        try:
            return {}, [machine.tensor_map(**fields)]
        except ValueError as problem:
            return {"problem": str(problem)}, []

    def _run_options(self, given: Message) -> dict[str, str]:
        """Returns the options of a launch: sizes from the program, and all others from the judge."""
        names = ("kernel", "grid", "block", "cluster", "shared", "cooperative")
        options = {name: str(given[name]) for name in names if name in given}
        options |= {
            "checks": "yes",
            "schedule": self._run.schedule,
            "counters": "yes" if self._how.counters else "no",
            "cores": "1",
        }
        options |= {"time-limit": str(self._limits.launch_seconds), "memory-limit": str(self._limits.memory)}
        options |= {"certify": "yes"} if self._how.certify else {}
        return {**options, "unwritten": str(self._how.unwritten)}

    def _run_(self, message: Message, blobs: list[bytes]) -> tuple[Message, list[bytes]]:
        machine, buffers = self._machines[message["machine"]]
        count, addresses = message["arguments"], message["buffers"]
        arguments, memory = blobs[:count], blobs[count:]
        for address, blob in zip(addresses, memory):
            self._take(buffers[address], blob)
        try:
            launched = machine.run(self._run_options(message["options"]), arguments)
        except ValueError as problem:
            return {"diagnostics": [], "refusal": str(problem)}, memory
        after = [bytes(buffers[address].bytes) for address in addresses]
        self.made += [now for before, now in zip(memory, after) if now != before]
        self.ever_made.update(dict.fromkeys(self.made))
        while sum(map(len, self.ever_made)) > _KEPT:
            self.ever_made.pop(next(iter(self.ever_made)))
        self._note(launched)
        answer = {"diagnostics": launched.diagnostics(), "printed": launched.printed(), "refusal": launched.refusal()}
        return answer, after

    def _take(self, buffer: _Buffer, blob: bytes) -> None:
        """Reads the memory that the program has changed since its last launch."""
        if len(blob) != len(buffer.bytes):
            raise _messages.Closed("a buffer has another size")
        if not any(blob in one for one in self.ever_made):  # memory of an earlier run may be reused
            self.hosted.append(blob)
        buffer.bytes[:] = blob

    def _at_source(self, diagnostic: "ptxray.Diagnostic") -> "ptxray.Diagnostic":
        """Returns a fault whose origin names the candidate, not its copy."""
        if diagnostic.origin is None or os.path.basename(diagnostic.origin[0]) != _COPY:
            return diagnostic
        return dataclasses.replace(diagnostic, origin=(self.path, diagnostic.origin[1]))

    def _note(self, launched: typing.Any) -> None:
        found = [self._at_source(ptxray._diagnostic(one, "<candidate>")) for one in launched.diagnostics()]
        self._result.faults += [one for one in found if one.severity == "error"]
        refusal = launched.refusal()
        if refusal is not None and not self._result.faults:
            self._result.refusal = refusal
        texts = (launched.counters(), launched.fidelity(), launched.certificate())
        kept = (self._result.counters, self._result.fidelity, self._result.certificates)
        for text, to in zip(texts, kept):
            to.extend([json.loads(text)] if text else [])


class ProgramBench:
    """Runs a Python program for the judge."""

    def __init__(
        self, path: str, oracle: _oracle.Oracle, *, chip: typing.Optional[str], limits: typing.Any, trust: bool = False
    ) -> None:
        self.oracle, self._limits, self._trust = oracle, limits, trust
        self.checked: list[typing.Any] = []
        self.types: dict[str, str] = {}
        self._source = pathlib.Path(path).read_bytes()
        self._launches = _Launches(path, limits, chip)
        self._process: typing.Optional[subprocess.Popen[bytes]] = None
        self._folder = tempfile.mkdtemp(prefix="ptxray-judge-")

    def _start(self) -> None:
        place = pathlib.Path(self._folder) / _COPY
        place.write_bytes(self._source)
        here, there = os.pipe(), os.pipe()
        package = str(pathlib.Path(__file__).resolve().parents[2])
        numbers = [there[0], here[1], int(2 * self._limits.seconds), self._limits.memory, int(not self._trust)]
        environment = {**_limits.environment(), "HOME": self._folder, "TMPDIR": self._folder}
        environment |= {"TRITON_CACHE_DIR": f"{self._folder}/triton", "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, package, str(place), *map(str, numbers)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            pass_fds=(there[0], here[1]),
            env=environment,
        )
        os.close(there[0])
        os.close(here[1])
        self._channel = _messages.Channel(here[0], there[1])
        answer, _ = self._until_answer()
        if answer.get("isolated") is False:
            raise ProgramError("this system cannot isolate a program (Landlock and user namespaces); `--trust` runs it")
        if "problem" in answer:
            raise ProgramError(answer["problem"])

    def _until_answer(self) -> tuple[Message, list[bytes]]:
        """Answers the calls of the program until it has a result."""
        while True:
            message, blobs = self._channel.receive(self._limits.seconds)
            if "call" not in message:
                return message, blobs
            message["call"] = "run_" if message["call"] == "run" else message["call"]
            self._channel.send(*self._launches.answer(message, blobs))

    def run(self, run: Run, how: How = PLAIN) -> Result:
        """Runs the program once. Raises OracleError."""
        result = Result()
        answer, blobs = self.oracle.ask("inputs", run.drawn())
        self._launches.begin(run, result, how)
        try:
            if self._process is None:
                self._start()
            self._channel.send({"inputs": answer["inputs"], "fill": _FILLS[run.fill]}, blobs)
            found, outputs = self._until_answer()
        except ProgramError as problem:
            result.rejected = str(problem)
            return result
        except (_messages.Closed, _messages.Late) as problem:
            result.refusal = f"the program: {problem}"
            return result
        if "problem" in found:
            if not result.faults and result.refusal is None:
                result.rejected = f"the program raises {found['problem']}"
            return result
        self._take_outputs(run, answer, found["answer"], outputs, result)
        if result.is_complete and run.contents == "drawn":
            result.hosted = self._hosted(result, blobs)
        return result

    def _take_outputs(
        self, run: Run, answer: Message, found: list[Message], outputs: list[bytes], result: Result
    ) -> None:
        if len(found) != len(answer["outputs"]):
            result.rejected = f"the program returns {len(found)} outputs, not {len(answer['outputs'])}"
            return
        for index, (theirs, one, blob) in enumerate(zip(answer["outputs"], found, outputs)):
            name = theirs["name"] or f"output {index}"
            kind = one["type"] or theirs["type"] or "f64"
            if list(one["shape"]) != list(theirs["shape"]) or len(blob) % _numbers.SIZES[kind]:
                result.rejected = f"`{name}` has the shape {one['shape']}, not {theirs['shape']}"
                return
            if theirs["type"] is not None and (kind in _numbers.FLOATS) != (theirs["type"] in _numbers.FLOATS):
                result.rejected = f"`{name}` has elements of type {kind}, not {theirs['type']}"
                return
            self.types[name] = kind
            result.outputs[name] = blob
            result.before[name] = bytes([_FILLS[run.fill]]) * len(blob)

    def _hosted(self, result: Result, inputs: list[bytes]) -> list[str]:
        """Returns the outputs that no kernel has written, or that the program wrote before a launch."""
        return [name for name, blob in result.outputs.items() if self._is_hosted(name, blob, inputs)]

    def _is_hosted(self, name: str, blob: bytes, inputs: list[bytes]) -> bool:
        size = _numbers.SIZES[self.types[name]]
        if len(blob) < _LEAST or blob == blob[:size] * (len(blob) // size):
            return False
        is_made = any(blob in one for one in self._launches.ever_made)
        return not is_made or any(blob in one for one in self._launches.hosted if one not in inputs)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
