"""Converts the elements of buffers, and measures the difference of two lists of them."""

import dataclasses
import math
import struct
import typing

_CODES = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q"}
_CODES |= {"f16": "e", "f32": "f", "f64": "d", "bf16": "H", "b8": "B", "b16": "H", "b32": "I", "b64": "Q"}
SIZES = {name: struct.calcsize(code) for name, code in _CODES.items()}
_NUMPY = {"int8": "s8", "uint8": "u8", "int16": "s16", "uint16": "u16", "int32": "s32", "uint32": "u32"}
_NUMPY |= {"int64": "s64", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "bool": "u8"}
_NUMPY |= {"bfloat16": "bf16"}
FLOATS = {
    "f16": (11, -14),
    "bf16": (8, -126),
    "f32": (24, -126),
    "f64": (53, -1022),
}  # bits of precision, lowest exponent


def type_of(name: str) -> str:
    """Returns the PTX name of a type of numpy, torch or PTX: `float32` as `f32`. Raises ValueError."""
    name = str(name).rpartition(".")[2]
    name = _NUMPY.get(name, name)
    if name not in _CODES:
        raise ValueError(f"no buffer has elements of type `{name}`")
    return name


def values_of(data: typing.Any, name: str) -> list[typing.Any]:
    """Returns the elements of a buffer as Python numbers."""
    count = len(data) // SIZES[name]
    numbers = list(struct.unpack(f"<{count}{_CODES[name]}", data))
    if name == "bf16":
        widened = struct.pack(f"<{count}I", *[number << 16 for number in numbers])
        return list(struct.unpack(f"<{count}f", widened))
    return numbers


def _rounded(value: float, name: str) -> float:
    """Returns a value that struct can pack as a float of this type: too large ones become infinite."""
    try:
        struct.pack("<" + _CODES[name], value)
        return value
    except OverflowError:
        return math.copysign(math.inf, value)


def bytes_of(values: list[typing.Any], name: str) -> bytes:
    """Returns the elements of a buffer for Python numbers, rounded to nearest."""
    if name == "bf16":
        singles = struct.unpack(f"<{len(values)}I", bytes_of(values, "f32"))
        nan = [bits & 0x7FFFFFFF > 0x7F800000 for bits in singles]
        halves = [0x7FFF if n else (b + 0x7FFF + (b >> 16 & 1)) >> 16 for n, b in zip(nan, singles)]
        return struct.pack(f"<{len(halves)}H", *halves)
    if name in FLOATS:
        values = [_rounded(float(value), name) for value in values]
    else:
        values = [int(value) & ((1 << 8 * SIZES[name]) - 1) for value in values]
        return struct.pack(f"<{len(values)}{_CODES[name].upper()}", *values)
    return struct.pack(f"<{len(values)}{_CODES[name]}", *values)


def ulp(value: float, name: str) -> float:
    """Returns the distance of floats of this type near a finite value."""
    precision, least = FLOATS[name]
    exponent = math.frexp(value)[1] - 1 if value else least
    return math.ldexp(1.0, max(exponent, least) - precision + 1)


@dataclasses.dataclass
class Difference:
    """Describes how a buffer differs from the expected values."""

    count: int = 0  # number of elements outside of the tolerance
    total: int = 0
    first: int = -1
    got: typing.Any = None
    expected: typing.Any = None
    largest_absolute: float = 0.0
    largest_relative: float = 0.0  # maximum for the elements outside of the tolerance; infinite if one is not a number
    scale: float = 0.0  # largest finite expected value
    indices: list[int] = dataclasses.field(default_factory=list)

    def __bool__(self) -> bool:
        return self.count > 0


def _same(got: typing.Any, expected: typing.Any) -> bool:
    return bool(got == expected or (got != got and expected != expected))


def compare(
    got: list[typing.Any],
    expected: list[typing.Any],
    absolute: float,
    relative: float,
    slack: typing.Optional[list[float]] = None,
) -> Difference:
    """Compares elements. A tolerance is absolute, or a multiple of the expected value. NaN equals NaN, and
    infinities only equal themselves. `slack` is an additional tolerance of each element; an infinite slack means
    that the element is not judged."""
    found = Difference(total=len(expected))
    found.scale = max((abs(one) for one in expected if math.isfinite(one)), default=0.0)
    for i, (g, e) in enumerate(zip(got, expected)):
        if _same(g, e):
            continue
        error = abs(g - e)
        if error <= max(absolute, relative * abs(e)) and math.isfinite(e):  # false for NaN
            continue
        if slack is not None and (slack[i] == math.inf or error <= slack[i]):
            continue
        finite = math.isfinite(error)
        if not found.count:
            found.first, found.got, found.expected = i, g, e
        found.count += 1
        found.indices.append(i)
        found.largest_absolute = max(found.largest_absolute, error if finite else math.inf)
        found.largest_relative = max(found.largest_relative, error / abs(e) if finite and e else math.inf)
    return found


def largest_ulp(got: list[float], precise: list[float], name: str) -> tuple[float, int]:
    """Returns the largest error in ulp against values of higher precision, and its index; -1 without a finite pair."""
    largest, at = 0.0, -1
    for i, (g, e) in enumerate(zip(got, precise)):
        if math.isfinite(g) and math.isfinite(e):
            error = abs(g - e) / ulp(e, name)
            if error > largest or at < 0:
                largest, at = error, i
    return largest, at


def used_bits(data: typing.Any, name: str) -> typing.Optional[int]:
    """Returns the bits of precision that the finite, nonzero elements of a buffer use, or None if it has too few."""
    precision = FLOATS[name][0]
    values = [v for v in values_of(data, name) if math.isfinite(v) and v and abs(v) >= math.ldexp(1, FLOATS[name][1])]
    if len(values) < 16:
        return None
    most = 0
    for value in values:
        mantissa = int(math.ldexp(math.frexp(abs(value))[0], precision))
        most = max(most, precision - (mantissa & -mantissa).bit_length() + 1)
    return most
