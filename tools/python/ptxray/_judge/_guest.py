"""Runs a candidate that is a Python program in its process. The program can only access the inputs, and requests
each launch from the judge. `ptxray.emulate`, `ptxray.Machine` and `ptxray.triton` work as usual."""

import array
import contextlib
import ctypes
import importlib.util
import json
import os
import pathlib
import sys
import typing

import ptxray

from . import _limits, _messages, _task

_PERTURB = -6  # an option of mallopt: the byte that fresh memory contains
_TYPECODES = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q"}
_TYPECODES |= {"f32": "f", "f64": "d"}
_NUMPY = {"s": "int", "u": "uint", "f": "float"}

Message = dict[str, typing.Any]


class _Answer:
    """Holds the findings of a check or of a launch."""

    def __init__(self, answer: Message) -> None:
        self._answer = answer

    def count(self) -> int:
        return len(self._answer["diagnostics"])

    def errors(self) -> int:
        return sum(one["severity"] == "error" for one in self._answer["diagnostics"])

    def checked_as(self) -> tuple[str, str]:
        return self._answer.get("ptx", ""), self._answer.get("target", "")

    def diagnostics(self) -> list[Message]:
        return list(self._answer["diagnostics"])

    def printed(self) -> str:
        return str(self._answer.get("printed", ""))

    def refusal(self) -> typing.Optional[str]:
        return self._answer.get("refusal")

    def counters(self) -> typing.Optional[str]:
        counters = self._answer.get("counters")
        return None if counters is None else json.dumps(counters)

    def fidelity(self) -> typing.Optional[str]:
        fidelity = self._answer.get("fidelity")
        return None if fidelity is None else json.dumps(fidelity)

    def certificate(self) -> typing.Optional[str]:
        return None


class _Machine:
    """Represents a module on the emulated GPU of the judge. Its buffers are memory of this process, copied for each
    launch."""

    def __init__(self, ask: typing.Callable[..., tuple[Message, list[bytes]]], text: bytes, options: Message) -> None:
        self._ask = ask
        answer, _ = ask({"call": "machine", "options": options}, [text])
        self._number, self._checked = answer["machine"], answer["checked"]
        self._buffers: dict[int, tuple[int, int]] = {}

    def checked(self) -> _Answer:
        return _Answer(self._checked)

    def parameter(self, kernel: typing.Optional[str], index: int) -> typing.Optional[tuple[str, int]]:
        asked = {"call": "parameter", "machine": self._number, "kernel": kernel, "index": index}
        found = self._ask(asked)[0]["parameter"]
        return None if found is None else (found[0], found[1])

    def add(self, address: int, size: int, name: str, is_fresh: bool = False) -> int:
        answer, _ = self._ask({"call": "add", "machine": self._number, "size": size, "name": name})
        self._buffers[answer["address"]] = address, size
        return int(answer["address"])

    def remove(self, address: int) -> None:
        self._buffers.pop(address, None)
        self._ask({"call": "remove", "machine": self._number, "address": address})

    def tensor_map(self, **fields: typing.Any) -> bytes:
        answer, blobs = self._ask({"call": "tensor_map", "machine": self._number, "fields": fields})
        if "problem" in answer:
            raise ValueError(answer["problem"])
        return blobs[0]

    def run(self, options: Message, arguments: list[bytes]) -> _Answer:
        memory = [ctypes.string_at(*place) if place[1] else b"" for place in self._buffers.values()]
        asked = {"call": "run", "machine": self._number, "options": options, "arguments": len(arguments)}
        answer, blobs = self._ask({**asked, "buffers": list(self._buffers)}, [*arguments, *memory])
        for (address, size), blob in zip(self._buffers.values(), blobs):
            if size:
                ctypes.memmove(address, blob, size)
        return _Answer(answer)


class _Engine:
    """Replaces the library."""

    def __init__(self, channel: _messages.Channel) -> None:
        self._channel = channel

    def _ask(self, message: Message, blobs: typing.Sequence[bytes] = ()) -> tuple[Message, list[bytes]]:
        self._channel.send(message, blobs)
        return self._channel.receive()

    def options(self, options: Message) -> Message:
        return options

    def machine(self, text: bytes, options: Message) -> _Machine:
        return _Machine(self._ask, text, options)

    def check(self, data: bytes, options: Message) -> _Answer:
        return _Answer(self._ask({"call": "check", "options": options}, [data])[0]["checked"])


def _made(entry: Message, blob: bytes) -> typing.Any:
    """Returns an input in the form that the task uses."""
    kind, shape = entry["type"] or entry["weak"], entry["shape"]
    if entry["form"] == "torch":
        import torch

        name = "bfloat16" if kind == "bf16" else _NUMPY[kind[0]] + kind[1:]
        return torch.frombuffer(bytearray(blob), dtype=getattr(torch, name)).reshape(shape)
    if entry["form"] == "numpy":
        import numpy

        return numpy.frombuffer(bytearray(blob), dtype=_NUMPY[kind[0]] + kind[1:]).reshape(shape)
    return array.array(_TYPECODES[kind], blob)


def _ran(module: typing.Any, asked: Message, blobs: list[bytes]) -> tuple[Message, list[bytes]]:
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_PERTURB, asked["fill"] ^ 0xFF)
    waiting = iter(blobs)
    values = [one["value"] if "value" in one else _made(one, next(waiting)) for one in asked["inputs"]]
    result = module.candidate(*values)
    results = list(result) if isinstance(result, tuple) else [result]
    outputs = [{"type": _task.element_type(one), "shape": _task.shape_of(one)} for one in results]
    return {"answer": outputs}, [_task.raw(one) for one in results]


def _loaded(path: str) -> typing.Any:
    spec = importlib.util.spec_from_file_location("candidate", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate"] = module  # inspect.getsource of Triton looks for it
    spec.loader.exec_module(module)
    if not callable(getattr(module, "candidate", None)):
        raise AttributeError("the program has no function `candidate`")
    return module


def _answered(channel: _messages.Channel, do: typing.Callable[[], typing.Any]) -> typing.Any:
    """Does something, and reports a failure to the judge. Returns None then."""
    try:
        return do()
    except _messages.Closed:
        os._exit(1)
    except BaseException as problem:
        channel.send({"problem": f"{type(problem).__name__}: {problem}"[:2000]})
        return None


def main() -> None:
    """python -c "...main()" CANDIDATE SOURCE TARGET SECONDS MEMORY ISOLATED"""
    path, *numbers = sys.argv[1:]
    source, target, seconds, memory, is_isolated = map(int, numbers)
    os.dup2(2, 1)
    _limits.end_with_parent()
    _limits.limit(seconds, memory, 1 << 30)
    folder, package = str(pathlib.Path(path).parent), str(pathlib.Path(__file__).resolve().parents[2])
    readable = (*_limits.SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, package)
    is_confined = _limits.without_network() and _limits.only_files(readable, (folder, "/dev/null", "/dev/shm"))
    channel = _messages.Channel(source, target)
    if is_isolated and not is_confined:
        channel.send({"problem": "", "isolated": False})
        return
    engine = _Engine(channel)
    ptxray._engine = lambda: engine  # type: ignore[attr-defined,assignment]
    module = _answered(channel, lambda: _loaded(path))
    if module is None:
        return
    channel.send({"answer": []})
    while True:
        asked, blobs = channel.receive()
        result = _answered(channel, lambda asked=asked, blobs=blobs: _ran(module, asked, blobs))  # type: ignore[misc]
        if result is not None:
            channel.send(*result)
