"""Runs a candidate of PTX on the emulated GPU: one call for one shape, contents, fill and schedule."""

import dataclasses
import struct
import typing

import ptxray

from .. import _emulation
from . import _expressions, _launch, _numbers, _oracle

_FILLS = {"ff": b"\xff", "00": b"\0", "cd": b"\xcd", "7f": b"\x7f"}
FILLS = (*_FILLS, "stale")
# Words of the library about launches that are not possible on the GPU (lib/Launch, lib/Api/Emulate.cpp).
_REJECTED = (
    " at most",
    " expected",
    "there is no kernel",
    " kernels, not one",
    " parameters; given",
    ", its parameter ",
    "has no blocks",
    "a different block size",
)
_LARGE = {"f32": struct.pack("<f", 3e38), "f64": struct.pack("<d", 1e308), "f16": struct.pack("<e", 6e4)}
_LARGE |= {"bf16": b"\x61\x7f"}  # 3e38


@dataclasses.dataclass(frozen=True)
class Run:
    """What a candidate is run with. The same values give the same run."""

    shape: tuple[tuple[str, int], ...]
    seed: int = 0
    contents: str = "drawn"
    fill: str = "ff"
    schedule: str = "eager"
    replaced: tuple[tuple[str, int], ...] = ()  # inputs that another seed draws

    @staticmethod
    def of(shape: dict[str, int], **others: typing.Any) -> "Run":
        return Run(tuple(shape.items()), **others)

    def drawn(self) -> dict[str, typing.Any]:
        """Returns what the process of the reference is asked for."""
        asked = {"shape": dict(self.shape), "seed": self.seed, "contents": self.contents}
        return {**asked, "replaced": dict(self.replaced)} if self.replaced else asked

    def words(self) -> str:
        parts = [", ".join(f"{name}={size}" for name, size in self.shape), f"seed {self.seed}"]
        parts += [f"{self.contents} contents"] if self.contents != "drawn" else []
        parts += [f"outputs filled with {self.fill}"] if self.fill != "ff" else []
        parts += [f"schedule {self.schedule}"] if self.schedule != "eager" else []
        return ", ".join(part for part in parts if part)


@dataclasses.dataclass(frozen=True)
class How:
    """What a run finds out besides its results."""

    counters: bool = False
    certify: bool = False
    fresh: bool = False  # reads of outputs that nothing has written are faults
    unwritten: int = 0  # fill byte of registers, shared and local memory


PLAIN = How()


@dataclasses.dataclass
class Result:
    """What a run left."""

    outputs: dict[str, bytes] = dataclasses.field(default_factory=dict)
    before: dict[str, bytes] = dataclasses.field(default_factory=dict)  # the outputs before the launch
    faults: list["ptxray.Diagnostic"] = dataclasses.field(default_factory=list)
    refusal: typing.Optional[str] = None  # why it did not end, if that is no fault
    rejected: typing.Optional[str] = None  # why a driver rejects the launch
    hosted: list[str] = dataclasses.field(default_factory=list)  # outputs that no kernel has computed
    modified: list[str] = dataclasses.field(default_factory=list)  # inputs that the kernel wrote
    counters: list[dict[str, typing.Any]] = dataclasses.field(default_factory=list)
    certificates: list[dict[str, typing.Any]] = dataclasses.field(default_factory=list)
    fidelity: list[dict[str, typing.Any]] = dataclasses.field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not self.faults and self.refusal is None and self.rejected is None


class Bench:
    """A module of PTX with its launch file. `types` are those of the elements of its buffers, by name."""

    def __init__(
        self,
        text: str,
        launch: _launch.LaunchFile,
        oracle: _oracle.Oracle,
        *,
        chip: typing.Optional[str],
        limits: typing.Any,
    ) -> None:
        """Raises PtxError if the text has errors."""
        self.launch, self.oracle, self._limits = launch, oracle, limits
        # A comment of the candidate must not silence a rule.
        self.machine = _emulation.Machine(text.replace("ptxray:", "ptxray "), chip=chip, path="<candidate>")
        self.types = {name: argument.type for name, argument in launch.arguments().items()}
        self.checked = list(ptxray.Diagnostics(self.machine._machine.checked(), "<candidate>"))

    def run(self, run: Run, how: How = PLAIN) -> Result:
        """Runs the candidate. Raises OracleError."""
        result = Result()
        try:
            memory = self._memory(run)
            scalars, given = memory.scalars, {name: bytes(data) for name, data in memory.buffers.items()}
            result.before = {name: given[name] for name in memory.outputs}
            for kernel in self.launch.kernels:
                self._launch_one(kernel, run, memory.buffers, scalars, result, how)
                if not result.is_complete:
                    break
        except (_launch.LaunchError, _expressions.ExpressionError) as problem:
            result.rejected = str(problem)
            return result
        result.outputs = {name: bytes(memory.buffers[name]) for name in memory.outputs}
        result.modified = [name for name in memory.constants if bytes(memory.buffers[name]) != given[name]]
        return result

    def _launch_one(
        self,
        kernel: _launch.Kernel,
        run: Run,
        buffers: dict[str, bytearray],
        scalars: dict[str, typing.Any],
        result: Result,
        how: How,
    ) -> None:
        names = {**dict(run.shape), **{k: v for k, v in scalars.items() if isinstance(v, int)}}
        arguments = [self._argument(one, buffers, scalars, names, how.fresh) for one in kernel.arguments]
        sizes = kernel.sizes(names)
        if any(size <= 0 for size in sizes["grid"]):
            if all(not len(buffers[name]) for name in result.before):
                return  # there is nothing to compute
            raise _launch.LaunchError(f"the grid is {sizes['grid']}")
        try:
            launched = self.machine.launch(
                arguments,
                kernel=kernel.name,
                cooperative=kernel.cooperative,
                counters=how.counters,
                certify=how.certify,
                schedule=run.schedule,
                time_limit=self._limits.launch_seconds,
                memory_limit=self._limits.memory,
                cores=1,
                unwritten=how.unwritten,
                raises=False,
                **sizes,
            )
        except (ValueError, TypeError, OverflowError) as problem:
            raise _launch.LaunchError(str(problem)) from None
        names_of = {f"`argument {i}`": f"`{one.buffer}`" for i, one in enumerate(kernel.arguments) if one.buffer}
        found = [_renamed(one, names_of) for one in launched.diagnostics]
        result.faults += [one for one in found if one.severity == "error"]
        result.counters += [launched.counters] if launched.counters else []
        result.certificates += [launched.certificate] if launched.certificate else []
        result.fidelity += [launched.fidelity] if launched.fidelity else []
        if launched.refusal is not None and not result.faults:
            if _is_rejected(launched.refusal):
                raise _launch.LaunchError(launched.refusal)
            result.refusal = launched.refusal

    def _argument(
        self,
        argument: _launch.Argument,
        buffers: dict[str, bytearray],
        scalars: dict[str, typing.Any],
        names: dict[str, typing.Any],
        fresh: bool,
    ) -> typing.Any:
        if argument.buffer is not None:
            memory = buffers[argument.buffer]
            if not memory:
                return None
            return _emulation.Fresh(memory) if fresh and argument.role in ("out", "scratch") else memory
        if argument.scalar is not None:
            if argument.scalar not in scalars:
                raise _launch.LaunchError(f"neither the inputs nor the shape have `{argument.scalar}`")
            return argument.packed(scalars[argument.scalar])
        value = argument.value
        return argument.packed(_expressions.evaluate(value, names) if isinstance(value, str) else value)

    def _memory(self, run: Run) -> "_Memory":
        answer, blobs = self.oracle.ask("inputs", run.drawn())
        memory = _Memory(dict(run.shape))
        declared, waiting = self.launch.arguments(), iter(blobs)
        for entry in answer["inputs"]:
            if "value" in entry:
                memory.scalars[entry["name"]] = entry["value"]
                continue
            blob = next(waiting)
            if entry["name"] in declared:
                memory.add_input(declared[entry["name"]], entry, blob)
        wanted = [one for one in declared.values() if one.role in ("out", "inout", "zeroed")]
        for index, entry in enumerate(answer["outputs"]):
            name = entry["name"] or (wanted[index].buffer if index < len(wanted) else None)
            if name not in declared:
                raise _launch.LaunchError(f"no argument is the output `{name or index}`")
            memory.add_output(declared[name], entry, self._fill(run, index, declared[name], entry))
        names = {**dict(run.shape), **{k: v for k, v in memory.scalars.items() if isinstance(v, int)}}
        for name, argument in declared.items():
            if name not in memory.buffers:
                if argument.role not in ("scratch", "zeroed"):
                    raise _launch.LaunchError(f"the task has no input or output `{name}`")
                size = argument.count(names) * _numbers.SIZES[argument.type]
                memory.buffers[name] = bytearray(
                    _pattern(run.fill, argument, size) if argument.role == "scratch" else size
                )
        return memory

    def _fill(self, run: Run, index: int, argument: _launch.Argument, entry: dict[str, typing.Any]) -> bytes:
        """Returns what an output holds before the launch."""
        count = 1
        for extent in entry["shape"]:
            count *= extent
        size = count * _numbers.SIZES[argument.type]
        if argument.role == "zeroed":
            return bytes(size)
        if run.fill != "stale":
            return _pattern(run.fill, argument, size)
        other = dataclasses.replace(run, seed=run.seed + 1).drawn()
        try:
            types, blobs = self.oracle.ask("expected", other)
            earlier = _numbers.bytes_of(_numbers.values_of(blobs[index], types["types"][index]), argument.type)
        except (_oracle.OracleError, ValueError, OverflowError):
            earlier = b""
        return earlier if len(earlier) == size else _pattern("cd", argument, size)


def _renamed(diagnostic: "ptxray.Diagnostic", names: dict[str, str]) -> "ptxray.Diagnostic":
    """Returns a fault that names buffers as the launch file does."""
    message = diagnostic.message
    for number, name in names.items():
        message = message.replace(number, name)
    return dataclasses.replace(diagnostic, message=message)


def _pattern(fill: str, argument: _launch.Argument, size: int) -> bytes:
    unit = _FILLS.get(fill, b"\xcd")
    if fill == "7f":
        unit = _LARGE.get(argument.type, unit)
    return (unit * (size // len(unit) + 1))[:size]


def _is_rejected(refusal: str) -> bool:
    """Returns whether a driver would reject the launch, too. Any other refusal decides nothing."""
    return any(words in refusal for words in _REJECTED)


class _Memory:
    """The buffers and numbers of one run."""

    def __init__(self, scalars: dict[str, typing.Any]) -> None:
        self.scalars = scalars
        self.buffers: dict[str, bytearray] = {}
        self.constants: list[str] = []
        self.outputs: list[str] = []

    def add_input(self, argument: _launch.Argument, entry: dict[str, typing.Any], blob: bytes) -> None:
        name = entry["name"]
        if entry["type"] is None:
            blob = _numbers.bytes_of(_numbers.values_of(blob, entry["weak"]), argument.type)
        elif _numbers.SIZES[entry["type"]] != _numbers.SIZES[argument.type]:
            raise _launch.LaunchError(f"`{name}` has elements of type {entry['type']}, not {argument.type}")
        self.buffers[name] = bytearray(blob)
        if argument.role == "in":
            self.constants.append(name)

    def add_output(self, argument: _launch.Argument, entry: dict[str, typing.Any], fill: bytes) -> None:
        name, theirs = argument.buffer, entry["type"]
        assert name is not None
        is_float = argument.type in _numbers.FLOATS
        if theirs is not None and (theirs in _numbers.FLOATS) != is_float and argument.type[0] != "b":
            raise _launch.LaunchError(f"the output `{name}` has elements of type {theirs}, not {argument.type}")
        if name not in self.buffers:
            self.buffers[name] = bytearray(fill)
        if name in self.constants:
            self.constants.remove(name)
        self.outputs.append(name)
