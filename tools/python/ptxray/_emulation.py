"""Runs kernels on an emulated GPU in this process, with memory of the caller."""

import collections
import collections.abc
import ctypes
import dataclasses
import json
import operator
import struct
import typing

import ptxray

Sizes = typing.Union[int, collections.abc.Sequence[int]]

_CODES = {"u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "f16": "e", "u32": "I", "s32": "i"}
_CODES |= {"b32": "I", "f32": "f", "u64": "Q", "s64": "q", "b64": "Q", "f64": "d"}
_FLOATS = {"b16": "e", "b32": "f", "b64": "d"}  # how a number with a point is packed


class EmulationError(RuntimeError):
    """Raised if a launch is not possible, exceeds its time limit, or reaches an instruction that cannot be emulated."""


@dataclasses.dataclass(frozen=True)
class Launched:
    """The outcome of a launch: the output of the kernel, the findings, and the reason if it failed (otherwise None).
    With `counters`, it includes the counts in the form of `--counters` and `--fidelity` of `ptxray run`: numbers by
    instruction, by kind and in total, and the instructions that were not exact. With `certify`, it includes the
    certificate, whose `verdict` is `all-contents`, `some-contents`, `this-run` or `none`."""

    printed: str
    diagnostics: "ptxray.Diagnostics"
    refusal: typing.Optional[str] = None
    counters: typing.Optional[dict[str, typing.Any]] = None
    fidelity: typing.Optional[dict[str, typing.Any]] = None
    certificate: typing.Optional[dict[str, typing.Any]] = None


_TENSOR_TYPES = ["uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "bfloat16"]
_SWIZZLES = (0, 32, 64, 128)


@dataclasses.dataclass(frozen=True)
class TensorMap:
    """An argument for a parameter of 128 bytes: the tensor map that cuTensorMapEncodeTiled would make for an array.
    Like the shape of the array, the box and the steps begin with the outermost dimension. `type` is a type of numpy or
    torch, such as `bfloat16`, if it differs from that of the array; 8-bit types count as `uint8`. `swizzle` is 0, 32,
    64 or 128 bytes, and `interleave` 0, 16 or 32."""

    array: typing.Any
    box: collections.abc.Sequence[int]
    steps: typing.Optional[collections.abc.Sequence[int]] = None
    type: typing.Optional[str] = None
    swizzle: int = 0
    interleave: int = 0
    fills_with_nan: bool = False

    def fields(self) -> dict[str, typing.Any]:
        """Returns the fields of the library's description, without the address."""
        array, rank = self.array, len(self.array.shape)
        given = self.steps or [1] * rank
        if len(self.box) != rank or len(given) != rank:
            raise ValueError(f"a box and steps of {rank} dimensions are expected, as the array has")
        bytes_of = array.element_size() if hasattr(array, "element_size") else array.itemsize
        strides = [s * bytes_of for s in array.stride()] if hasattr(array, "stride") else list(array.strides)
        if strides[-1] != bytes_of:
            raise ValueError("the elements of the innermost dimension must lie one after the other")
        name = self.type or str(array.dtype).rpartition(".")[2]
        if name not in _TENSOR_TYPES and bytes_of == 1:
            name = "uint8"
        if name not in _TENSOR_TYPES or self.swizzle not in _SWIZZLES or self.interleave not in (0, 16, 32):
            raise ValueError(f"no tensor map has {name}, swizzle {self.swizzle}, interleave {self.interleave}")
        return {
            "type": _TENSOR_TYPES.index(name),
            "extents": tuple(reversed(array.shape)),
            "strides": tuple(reversed(strides[:-1])),
            "box": tuple(reversed(self.box)),
            "steps": tuple(reversed(given)),
            "swizzle": _SWIZZLES.index(self.swizzle),
            "interleave": self.interleave // 16,
            "fill": int(self.fills_with_nan),
        }


_TEXELS = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "int8": "s8", "int16": "s16", "int32": "s32"}
_TEXELS |= {"float16": "f16", "float32": "f32"}
_MODES = ("wrap", "clamp", "mirror", "border")


@dataclasses.dataclass(frozen=True)
class Surface:
    """An argument for a parameter of 8 bytes: the handle of a surface whose texels are the elements of an array. The
    shape of the array begins with the outermost dimension: layers if it is `layered`, the six faces of a `cube`, one to
    three dimensions, and the `channels` of a texel if it has more than one."""

    array: typing.Any
    channels: int = 1
    layered: bool = False
    cube: bool = False

    def fields(self) -> dict[str, typing.Any]:
        """Returns the fields of the library's description, without the address."""
        shape = list(self.array.shape)
        name = _TEXELS.get(str(self.array.dtype).rpartition(".")[2])
        if name is None:
            raise ValueError(f"no image has texels of {self.array.dtype}")
        if self.channels > 1 and shape.pop() != self.channels:
            raise ValueError(f"the last dimension is that of {self.channels} channels")
        layers = shape.pop(0) if self.layered else 0
        if self.cube and shape.pop(0) != 6:
            raise ValueError("a cube has six faces")
        if not 1 <= len(shape) <= 3:
            raise ValueError(f"an image has one to three dimensions, not {len(shape)}")
        texels = name if self.channels == 1 else f"{name}x{self.channels}"
        extents = (*reversed(shape), 1, 1)[:3]
        image = {"texels": texels.encode(), "rank": len(shape), "extents": extents, "layers": layers}
        return image | {"kind": 1, "is_cube": int(self.cube), "modes": (1, 1, 1)}


@dataclasses.dataclass(frozen=True)
class Texture(Surface):
    """An argument like Surface, for a texture. `mode` determines accesses out of bounds: `clamp`, `wrap`, `mirror` or
    `border`, or one of these for each dimension, the innermost first. `normalized` coordinates range from 0 to 1;
    `wrap`, `mirror` and cubes require them, and None uses them only for these. `fraction` reads integers of 8 and 16
    bits as numbers from 0 or -1 to 1. A `buffer` is read by integer coordinates only."""

    linear: bool = False
    mode: typing.Union[str, collections.abc.Sequence[str]] = "clamp"
    normalized: typing.Optional[bool] = None
    fraction: bool = False
    border: collections.abc.Sequence[float] = (0, 0, 0, 0)
    buffer: bool = False

    def fields(self) -> dict[str, typing.Any]:
        modes = [self.mode] * 3 if isinstance(self.mode, str) else [*self.mode, *["clamp"] * 3][:3]
        if any(mode not in _MODES for mode in modes):
            raise ValueError(f"a mode is one of {', '.join(_MODES)}")
        repeats = any(mode in ("wrap", "mirror") for mode in modes)
        normalized = (repeats or self.cube) if self.normalized is None else self.normalized
        how: dict[str, typing.Any] = {"kind": 0, "is_linear": int(self.linear), "reads_fractions": int(self.fraction)}
        how |= {"is_normalized": int(normalized), "is_buffer": int(self.buffer), "most_level": 0.0}
        how |= {"modes": tuple(_MODES.index(mode) for mode in modes)}
        return super().fields() | how | {"border": (*map(float, self.border), 0, 0, 0, 0)[:4]}


@dataclasses.dataclass(frozen=True)
class Fresh:
    """Represents an argument for uninitialised memory. Its bytes are overwritten, and a kernel that uses one of them
    before it is written has a fault."""

    array: typing.Any


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of a launch for a watcher: the machine, the findings, and the reason if it failed."""

    machine: "Machine"
    diagnostics: "ptxray.Diagnostics"
    refusal: typing.Optional[str]


watching: list[typing.Callable[[Finding], None]] = []
certifying = False  # whether launches that do not request certificates get them
certificates: collections.Counter[str] = collections.Counter()  # number of launches for each, by kernel and summary


def _memory(array: typing.Any) -> tuple[int, int]:
    """Returns address and size of the memory of an array, which must be contiguous and writable."""
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
    """A module on an emulated GPU. `chip` is a GPU such as `sm_90a`, by default the one in `.target`. One object
    serves one thread at a time.

    Raises PtxError if the text has errors."""

    def __init__(
        self, text: typing.Union[str, bytes], *, chip: typing.Optional[str] = None, path: str = "<ptx>"
    ) -> None:
        engine = ptxray._engine()
        if not hasattr(engine, "machine"):
            raise EmulationError("there is no libptxray for this system, which emulates inside this process")
        self.path, self.text = path, ptxray._bytes(text).decode("utf-8", "replace")
        self._machine = engine.machine(ptxray._bytes(text), engine.options({"arch": chip} if chip else {}))
        self._kept: dict[tuple[int, int], tuple[int, typing.Any]] = {}
        found = ptxray.Diagnostics(self._machine.checked(), path)
        if found.errors:
            raise ptxray.PtxError(found)

    def address(self, array: typing.Any) -> int:
        """Returns the address of an array on the GPU, for pointers in memory. Valid as long as the machine exists."""
        place = _memory(array)
        if place not in self._kept:
            self._kept[place] = self._machine.add(*place, f"array {len(self._kept)}"), array
        return self._kept[place][0]

    def variable(self, name: str) -> memoryview:
        """Returns the memory of a variable of the module, to read and write. Raises KeyError if there is none."""
        memory: memoryview = self._machine.variable(name)
        return memory

    def bind(self, name: str, image: Surface) -> None:
        """Binds a texture or a surface to a variable of the module, of type `.texref` or `.surfref`."""
        self._machine.add_image(name, address=self.address(image.array), **image.fields())

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
        counters: bool = False,
        certify: bool = False,
        schedule: str = "eager",
        time_limit: float = 60,
        memory_limit: int = 0,
        cores: int = 0,
        unwritten: int = 0,
        raises: bool = True,
    ) -> Launched:
        """Launches a kernel, by default the only one, and waits for its end.

        An argument is a number, which gets the type of its parameter; an array (numpy, torch, or any object with a
        buffer), whose memory the kernel accesses; None for a null pointer; a TensorMap, a Texture or a Surface; or
        bytes. Raises PtxError if the kernel has a fault, and EmulationError if it does not finish for another reason.
        Without `raises`, the result contains both instead. `unwritten` is the fill byte of uninitialised registers,
        shared and local memory. `cores` and `memory_limit` (in bytes) bound the use of the host; 0 is the default."""
        options = {"grid": _sizes(grid), "block": _sizes(block), "shared": str(shared), "time-limit": str(time_limit)}
        options |= {"cooperative": "yes" if cooperative else "no", "checks": "yes" if checks else "no"}
        options |= {"schedule": schedule, "counters": "yes" if counters else "no"}
        options |= {"cores": str(cores), "unwritten": str(unwritten), "memory-limit": str(memory_limit)}
        certify = certify or (certifying and checks and schedule == "eager")
        options |= {"certify": "yes"} if certify else {}
        options |= {"cluster": _sizes(cluster)} if cluster is not None else {}
        options |= {"kernel": kernel} if kernel is not None else {}
        added: dict[tuple[int, int], int] = {}
        try:
            values = [self._value(value, i, kernel, added) for i, value in enumerate(args)]
            answer = self._machine.run(options, values)
        finally:
            for address in added.values():
                self._machine.remove(address)
        found = ptxray.Diagnostics(answer, self.path)
        printed, refusal = answer.printed(), answer.refusal()
        count = len(found)
        if refusal is not None or count:
            for see in watching:
                see(Finding(self, found, refusal))
        if raises and count and found.errors:
            raise ptxray.PtxError(found)
        if raises and refusal is not None:
            raise EmulationError(refusal)
        texts = (answer.counters(), answer.fidelity(), answer.certificate())
        launched = Launched(printed, found, refusal, *(None if text is None else json.loads(text) for text in texts))
        if launched.certificate:
            certificates[launched.certificate["kernel"] + ": " + launched.certificate["summary"]] += 1
        return launched

    def _value(
        self, value: typing.Any, index: int, kernel: typing.Optional[str], added: dict[tuple[int, int], int]
    ) -> bytes:
        if isinstance(value, bytes):
            return value
        if value is None:
            return bytes(8)
        if isinstance(value, TensorMap):
            return self._tensor_map(value, index, added)
        if isinstance(value, Surface):
            return self._image(value, index, added).to_bytes(8, "little")
        if isinstance(value, Fresh):
            place = _memory(value.array)
            added[place] = self._machine.add(*place, f"argument {index}", is_fresh=True)
            return added[place].to_bytes(8, "little")
        if _is_number(value):
            parameter = self._machine.parameter(kernel, index)
            return _number(value, *parameter) if parameter else bytes(8)  # the launch reports the error
        return self._placed(_memory(value), f"argument {index}", added).to_bytes(8, "little")

    def _placed(self, place: tuple[int, int], name: str, added: dict[tuple[int, int], int]) -> int:
        if place in self._kept:
            return self._kept[place][0]
        if place not in added:
            added[place] = self._machine.add(*place, name)
        return added[place]

    def _tensor_map(self, map: TensorMap, index: int, added: dict[tuple[int, int], int]) -> bytes:
        fields, place = map.fields(), _memory(map.array)
        encoded: bytes = self._machine.tensor_map(address=self._placed(place, f"argument {index}", added), **fields)
        return encoded

    def _image(self, image: Surface, index: int, added: dict[tuple[int, int], int]) -> int:
        fields, place = image.fields(), _memory(image.array)
        address = self._placed(place, f"argument {index}", added)
        handle: int = self._machine.add_image(None, address=address, **fields)
        added[(handle, 0)] = handle  # the handle is removed like an address
        return handle


def emulate(
    text: typing.Union[str, bytes],
    args: collections.abc.Sequence[typing.Any] = (),
    *,
    chip: typing.Optional[str] = None,
    **launch: typing.Any,
) -> Launched:
    """Runs Machine(text, chip=chip).launch(args, **launch)."""
    return Machine(text, chip=chip).launch(args, **launch)


@dataclasses.dataclass(frozen=True)
class Equality:
    """The answer of `equal`. `verdict` is `bits` (the same bits for all contents), `real` (the same function of real
    numbers), `different` or `unknown`. `why` is the obstacle or the fault, and `at` its place. `difference` has the
    first element in which the results differ."""

    verdict: str
    why: typing.Optional[str] = None
    at: typing.Optional[str] = None
    difference: typing.Optional[dict[str, typing.Any]] = None
    contents: typing.Optional[str] = None


_DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "float8_e4m3fn": "e4m3"}
_DTYPES |= {"float8_e5m2": "e5m2", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64"}
_DTYPES |= {"uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


def _copied(
    machine: Machine, args: collections.abc.Sequence[typing.Any], kernel: typing.Optional[str]
) -> tuple[list[bytes], list[str], list[typing.Any]]:
    """Returns arguments with copies of all arrays, the types of their elements, and the copies."""
    values, types, copies = [], [], []
    known: dict[tuple[int, int], bytearray] = {}
    added: dict[tuple[int, int], int] = {}
    for index, given in enumerate(args):
        array = value = given.array if isinstance(given, Fresh) else given
        if isinstance(array, (TensorMap, Surface)):
            raise TypeError("tensor maps and images are not compared")
        if array is not None and not isinstance(array, bytes) and not _is_number(array):
            place = _memory(array)
            if place not in known:
                known[place] = bytearray(ctypes.string_at(*place))
                types.append(_DTYPES.get(str(getattr(array, "dtype", "")).rpartition(".")[2], ""))
                copies.append(known[place])
            value = known[place]
        values.append(machine._value(value, index, kernel, added))
    return values, types, copies


def equal(
    a: typing.Union[str, bytes],
    b: typing.Union[str, bytes],
    args: collections.abc.Sequence[typing.Any] = (),
    *,
    chip: typing.Optional[str] = None,
    b_launch: typing.Optional[dict[str, typing.Any]] = None,
    **launch: typing.Any,
) -> Equality:
    """Compares what two kernels leave in the arrays among their arguments, for all contents of these arrays.

    The arguments are those of `emulate`, without tensor maps and images. The arrays stay as they are. `launch` has
    `kernel`, `grid`, `block`, `cluster`, `shared`, `cooperative` and `time_limit`; `b_launch` has those that differ for
    `b`. Raises PtxError if a text has errors, and EmulationError if a launch is not possible."""
    machines = [Machine(text, chip=chip) for text in (a, b)]
    launches, kept = [], []
    for machine, more in zip(machines, ({}, b_launch or {})):
        given = {"grid": 1, "block": 1, "time_limit": 60} | launch | more
        unknown = set(given) - {"kernel", "grid", "block", "cluster", "shared", "cooperative", "time_limit"}
        if unknown:
            raise TypeError(f"equal() takes no {', '.join(sorted(unknown))}")
        options = {name: _sizes(given[name]) for name in ("grid", "block", "cluster") if given.get(name) is not None}
        options |= {"shared": str(given.get("shared", 0)), "time-limit": str(given["time_limit"])}
        options |= {"cooperative": "yes"} if given.get("cooperative") else {}
        options |= {"kernel": given["kernel"]} if given.get("kernel") is not None else {}
        values, types, copies = _copied(machine, args, given.get("kernel"))
        launches.append((machine._machine, options, values))
        kept.append(copies)
    (first, options, values), (second, others, other_values) = launches
    answer = first.equal(options, values, second, others, other_values, ",".join(types))
    text = answer.equality()
    if text is None:
        raise EmulationError(answer.refusal())
    found = json.loads(text)
    names = [field.name for field in dataclasses.fields(Equality)]
    return Equality(**{name: found[name] for name in names if name in found})
