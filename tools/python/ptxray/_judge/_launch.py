"""Reads the launch file of a candidate: its kernels, their grids and blocks, and their arguments in order."""

import dataclasses
import json
import struct
import typing

from . import _expressions, _numbers

_ROLES = ("in", "out", "inout", "scratch", "zeroed")
_MOST_BYTES = 1 << 30  # limit for one buffer


class LaunchError(ValueError):
    """Reports a launch file that cannot be used, or a launch that a driver would reject."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """Represents one argument of a kernel: a buffer by name, or a number."""

    type: str
    buffer: typing.Optional[str] = None
    role: str = "in"
    extents: typing.Optional[str] = None  # an expression
    scalar: typing.Optional[str] = None  # name of an input or of a size
    value: typing.Union[str, int, float, None] = None  # or an expression

    @staticmethod
    def read(entry: typing.Any) -> "Argument":
        if not isinstance(entry, dict) or "dtype" not in entry or not {"buffer", "scalar", "value"} & set(entry):
            raise LaunchError("an argument has `dtype`, and one of `buffer`, `scalar` and `value`")
        role = entry.get("role", "in")
        if role not in _ROLES:
            raise LaunchError(f"a role is one of {', '.join(_ROLES)}, not `{role}`")
        try:
            type = _numbers.type_of(entry["dtype"])
        except ValueError as problem:
            raise LaunchError(str(problem)) from None
        extents = entry.get("shape_expr")
        return Argument(type, entry.get("buffer"), role, extents, entry.get("scalar"), entry.get("value"))

    def count(self, names: dict[str, typing.Any]) -> int:
        """Returns the number of elements of a scratch buffer."""
        if self.extents is None:
            raise LaunchError(f"the buffer `{self.buffer}` has no `shape_expr`")
        extents = _expressions.evaluate(self.extents, names)
        total = 1
        for extent in extents if isinstance(extents, tuple) else (extents,):
            total *= int(extent)
        if not 0 <= total * _numbers.SIZES[self.type] <= _MOST_BYTES:
            raise LaunchError(f"the buffer `{self.buffer}` cannot have {total} elements")
        return total

    def packed(self, value: typing.Any) -> bytes:
        """Returns the bytes of a number for its parameter."""
        try:
            if self.type not in _numbers.FLOATS and value != int(value):
                raise LaunchError(f"`{self.scalar}` is {value}, no integer")
            return _numbers.bytes_of([value], self.type)
        except (struct.error, TypeError, ValueError, OverflowError) as problem:
            raise LaunchError(
                f"`{self.scalar or self.value}` cannot be a number of type {self.type}: {problem}"
            ) from None


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Represents one launch of a kernel."""

    name: typing.Optional[str]
    grid: typing.Union[str, tuple[int, ...]]
    block: typing.Union[str, tuple[int, ...]]
    shared: typing.Union[str, int]
    cluster: typing.Union[str, tuple[int, ...], None]
    cooperative: bool
    arguments: tuple[Argument, ...]

    @staticmethod
    def read(entry: typing.Any) -> "Kernel":
        if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
            raise LaunchError("a launch has a list `args`")

        def one(name: str, otherwise: typing.Any) -> typing.Any:
            value = entry.get(f"{name}_expr", entry.get(name, otherwise))
            return tuple(value) if isinstance(value, list) else value

        arguments = tuple(map(Argument.read, entry["args"]))
        cooperative = bool(entry.get("cooperative", False))
        grid, block, shared, cluster = one("grid", 1), one("block", 1), one("shared", 0), one("cluster", None)
        return Kernel(entry.get("kernel"), grid, block, shared, cluster, cooperative, arguments)

    def sizes(self, names: dict[str, typing.Any]) -> dict[str, typing.Any]:
        """Returns grid, block, shared memory and cluster for a shape."""
        found: dict[str, typing.Any] = {"grid": _extents(self.grid, names), "block": _extents(self.block, names)}
        shared = self.shared if isinstance(self.shared, int) else _expressions.evaluate(self.shared, names)
        found["shared"] = int(shared)
        if self.cluster is not None:
            found["cluster"] = _extents(self.cluster, names)
        return found


def _extents(value: typing.Any, names: dict[str, typing.Any]) -> tuple[int, ...]:
    value = _expressions.evaluate(value, names) if isinstance(value, str) else value
    value = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(value) <= 3 or any(isinstance(one, str) or one != int(one) for one in value):
        raise LaunchError(f"one to three sizes are expected, not {value}")
    return tuple(int(one) for one in value)


@dataclasses.dataclass(frozen=True)
class LaunchFile:
    """Holds the launches of a candidate, in order. Buffers with the same name are the same memory."""

    kernels: tuple[Kernel, ...]
    shape: dict[str, int]  # sizes in the file that are not expressions
    is_fixed: bool  # the file only has a grid for this shape

    @staticmethod
    def read(text: typing.Union[str, bytes, dict[str, typing.Any]]) -> "LaunchFile":
        """Reads the launch file. Raises LaunchError."""
        try:
            entry = text if isinstance(text, dict) else json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise LaunchError(f"the launch file is not JSON: {problem}") from None
        if not isinstance(entry, dict):
            raise LaunchError("the launch file is not an object")
        launches = entry.get("launches", [entry])
        if not isinstance(launches, list) or not 1 <= len(launches) <= 64:
            raise LaunchError("`launches` is a list of 1 to 64 launches")
        kernels = tuple(map(Kernel.read, launches))
        shape = entry.get("shape", {})
        is_fixed = bool(shape) and any("grid" in one and "grid_expr" not in one for one in launches)
        return LaunchFile(kernels, dict(shape), is_fixed)

    def arguments(self) -> dict[str, Argument]:
        """Returns the buffers by name, each as its first launch declares it. A later launch may declare an output."""
        found: dict[str, Argument] = {}
        for kernel in self.kernels:
            for argument in kernel.arguments:
                if argument.buffer is not None:
                    found.setdefault(argument.buffer, argument)
        return found
