"""Kernels on an emulated GPU, inside this process, on memory of the caller."""

import collections.abc
import ctypes
import dataclasses
import operator
import struct
import typing

import ptxray

Sizes = typing.Union[int, collections.abc.Sequence[int]]

_CODES = {"u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "f16": "e", "u32": "I", "s32": "i"}
_CODES |= {"b32": "I", "f32": "f", "u64": "Q", "s64": "q", "b64": "Q", "f64": "d"}
_FLOATS = {"b16": "e", "b32": "f", "b64": "d"}  # how a number with a point is packed


class EmulationError(RuntimeError):
    """A launch that is not possible, did not end in its time, or came to what cannot be emulated."""


@dataclasses.dataclass(frozen=True)
class Launched:
    """What came of a launch: what the kernel printed, and warnings."""

    printed: str
    diagnostics: "ptxray.Diagnostics"


def _memory(array: typing.Any) -> tuple[int, int]:
    """Address and size of the memory of an array, which must be contiguous and writable."""
    if hasattr(array, "__array_interface__"):
        about = array.__array_interface__
        address, is_read_only = about["data"]
        size, is_contiguous = array.nbytes, about.get("strides") is None
    elif hasattr(array, "data_ptr"):
        if array.device.type != "cpu":
            raise TypeError("a tensor must be in the memory of the CPU")
        address, size = array.data_ptr(), array.numel() * array.element_size()
        is_read_only, is_contiguous = False, array.is_contiguous()
    else:
        view = memoryview(array)
        size, is_read_only, is_contiguous = view.nbytes, view.readonly, view.c_contiguous
        usable = size and is_contiguous and not is_read_only
        address = ctypes.addressof(ctypes.c_char.from_buffer(view.cast("B"))) if usable else 0
    if is_read_only:
        raise TypeError("the kernel gets the memory of an array in place, so it must not be read-only")
    if not is_contiguous:
        raise TypeError("an array must be contiguous")
    return address, size


def _is_number(value: typing.Any) -> bool:
    return (hasattr(value, "__index__") or hasattr(value, "__float__")) and not getattr(value, "ndim", 0)


def _number(value: typing.Any, type: str, size: int) -> bytes:
    name = type.removeprefix(".")
    if name not in _CODES or struct.calcsize(_CODES[name]) != size:
        raise TypeError(f"a parameter of {size} bytes takes bytes, not a number")
    if not hasattr(value, "__index__") and name in _FLOATS:
        return struct.pack("<" + _FLOATS[name], float(value))
    if name.startswith("f"):
        return struct.pack("<" + _CODES[name], float(value))
    number = operator.index(value)
    if not -(1 << (8 * size - 1)) <= number < 1 << (8 * size):
        raise OverflowError(f"{number} is not a value of {type}")
    return (number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def _sizes(sizes: Sizes) -> str:
    return str(sizes) if isinstance(sizes, int) else ",".join(map(str, sizes))


class Machine:
    """A module on an emulated GPU, `chip` (`sm_90a`; else the one of `.target`). It serves one thread at a time.

    Raises PtxError when the text has errors."""

    def __init__(
        self, text: typing.Union[str, bytes], *, chip: typing.Optional[str] = None, path: str = "<ptx>"
    ) -> None:
        engine = ptxray._engine()
        if not hasattr(engine, "machine"):
            raise EmulationError("there is no libptxray for this system, which emulates inside this process")
        self._path = path
        self._machine = engine.machine(ptxray._bytes(text), engine.options({"arch": chip} if chip else {}))
        self._kept: dict[tuple[int, int], tuple[int, typing.Any]] = {}
        found = ptxray.Diagnostics(self._machine.checked(), path)
        if found.errors:
            raise ptxray.PtxError(found)

    def address(self, array: typing.Any) -> int:
        """The address of an array on the GPU, as long as the machine is there, for addresses that lie in memory."""
        place = _memory(array)
        if place not in self._kept:
            self._kept[place] = self._machine.add(*place, f"array {len(self._kept)}"), array
        return self._kept[place][0]

    def variable(self, name: str) -> memoryview:
        """The memory of a variable of the module, to read and write. Raises KeyError when there is none."""
        memory: memoryview = self._machine.variable(name)
        return memory

    def launch(
        self,
        args: collections.abc.Sequence[typing.Any] = (),
        *,
        kernel: typing.Optional[str] = None,
        grid: Sizes = 1,
        block: Sizes = 1,
        cluster: typing.Optional[Sizes] = None,
        shared: int = 0,
        cooperative: bool = False,
        checks: bool = True,
        time_limit: float = 60,
    ) -> Launched:
        """Launches a kernel, the only one if none is named, and waits for its end.

        An argument is a number, which gets the type of its parameter; an array (numpy, torch, anything with a buffer),
        in whose memory the kernel works; None for a null pointer; or the bytes of a parameter. Raises PtxError when the
        kernel makes a fault, and EmulationError when it did not come to its end without one."""
        options = {"grid": _sizes(grid), "block": _sizes(block), "shared": str(shared), "time-limit": str(time_limit)}
        options |= {"cooperative": "yes" if cooperative else "no", "checks": "yes" if checks else "no"}
        options |= {"cluster": _sizes(cluster)} if cluster is not None else {}
        options |= {"kernel": kernel} if kernel is not None else {}
        added: dict[tuple[int, int], int] = {}
        try:
            values = [self._value(value, i, kernel, added) for i, value in enumerate(args)]
            answer = self._machine.run(options, values)
        finally:
            for address in added.values():
                self._machine.remove(address)
        found = ptxray.Diagnostics(answer, self._path)
        printed, refusal = answer.printed(), answer.refusal()
        if found.errors:
            raise ptxray.PtxError(found)
        if refusal is not None:
            raise EmulationError(refusal)
        return Launched(printed, found)

    def _value(
        self, value: typing.Any, index: int, kernel: typing.Optional[str], added: dict[tuple[int, int], int]
    ) -> bytes:
        if isinstance(value, bytes):
            return value
        if value is None:
            return bytes(8)
        if _is_number(value):
            parameter = self._machine.parameter(kernel, index)
            return _number(value, *parameter) if parameter else bytes(8)  # the launch says what is wrong
        place = _memory(value)
        if place in self._kept:
            return self._kept[place][0].to_bytes(8, "little")
        if place not in added:
            added[place] = self._machine.add(*place, f"argument {index}")
        return added[place].to_bytes(8, "little")


def emulate(
    text: typing.Union[str, bytes],
    args: collections.abc.Sequence[typing.Any] = (),
    *,
    chip: typing.Optional[str] = None,
    **launch: typing.Any,
) -> Launched:
    """Machine(text, chip=chip).launch(args, **launch)"""
    return Machine(text, chip=chip).launch(args, **launch)
