"""Defines exact numbers, and the formats that they are rounded to, with only fractions."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    exponent: int
    fraction: int
    bias: int
    specials: str = "ieee"  # or `nan`, which only the code of all ones represents, or none
    signed: bool = True
    unused: int = 0

    @property
    def ones(self):
        return (1 << self.exponent + self.fraction) - 1

    @property
    def infinity(self):
        return self.ones ^ (1 << self.fraction) - 1

    @property
    def greatest(self):
        return {"ieee": self.infinity - 1, "nan": self.ones - 1}.get(self.specials, self.ones)

    @property
    def sign(self):
        return 1 << self.exponent + self.fraction + self.unused if self.signed else 0


FORMATS = {
    "f16": Format(5, 10, 15),
    "bf16": Format(8, 7, 127),
    "f32": Format(8, 23, 127),
    "f64": Format(11, 52, 1023),
    "tf32": Format(8, 10, 127, unused=13),
    "e4m3": Format(4, 3, 7, "nan"),
    "e5m2": Format(5, 2, 15),
    "e2m3": Format(2, 3, 1, ""),
    "e3m2": Format(3, 2, 3, ""),
    "e2m1": Format(2, 1, 1, ""),
}


@dataclass(frozen=True)
class Real:
    """Represents a float without a format. `cancelled` marks a zero that is the sum of opposite numbers."""

    kind: str = "number"  # or `infinity`, `nan`
    value: Fraction = Fraction(0)
    negative: bool = False
    cancelled: bool = False
    wide: bool = False  # true for an f64 NaN
    code: tuple = ()  # bits and format as they were read, if no operation changed the number

    def is_nan(self):
        return self.kind == "nan"

    def is_zero(self):
        return self.kind == "number" and self.value == 0


NAN = Real("nan")


def real(number):
    if isinstance(number, Real):
        return number
    return Real(value=Fraction(int(number)), negative=number < 0)


def read(bits, format):
    code, negative = bits >> format.unused & format.ones, bool(bits & format.sign)
    raw = (bits, format)
    if (code > format.infinity and format.specials == "ieee") or (code == format.ones and format.specials == "nan"):
        return Real("nan", negative=negative, wide=format.fraction == 52, code=raw)
    if code == format.infinity and format.specials == "ieee":
        return Real("infinity", negative=negative, code=raw)
    exponent, fraction = code >> format.fraction, code & (1 << format.fraction) - 1
    if exponent:
        fraction |= 1 << format.fraction
    value = Fraction(2) ** (max(exponent, 1) - format.bias - format.fraction) * fraction
    return Real("number", -value if negative else value, negative, code=raw)


def whole(value, mode):
    """Returns an integer near the absolute value of a fraction. Its sign affects `down` and `up`."""
    floor, rest = divmod(abs(value), 1)
    negative = value < 0
    up = {
        "nearest": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1),
        "away": rest >= Fraction(1, 2),
        "zero": False,
        "down": rest != 0 and negative,
        "up": rest != 0 and not negative,
    }[mode]
    return int(floor) + up


def store(number, format, mode="nearest"):
    if number.is_nan():
        return format.greatest if format.specials == "" else format.ones << format.unused
    negative = format.signed and ((mode == "down") if number.cancelled else number.negative)
    sign = format.sign if negative else 0
    overflow = {"zero": False, "down": negative, "up": not negative}.get(mode, True)
    beyond = format.infinity if format.specials == "ieee" else format.ones if format.specials else format.greatest
    if number.kind == "infinity":
        return sign | beyond << format.unused
    if number.value == 0:
        return sign
    value, least = abs(number.value), 1 - format.bias
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > value
    exponent = max(exponent, least)
    code = whole(number.value * Fraction(2) ** (format.fraction - exponent), mode)
    code += (exponent - least) << format.fraction
    if code > format.greatest:
        code = beyond if overflow else format.greatest
    return sign | code << format.unused


def add(a, b):
    if a.is_nan() or b.is_nan():
        return Real("nan", wide=a.wide or b.wide)
    if "infinity" in (a.kind, b.kind):
        if a.kind == b.kind and a.negative != b.negative:
            return NAN
        return Real("infinity", negative=a.negative if a.kind == "infinity" else b.negative)
    if a.is_zero() and b.is_zero():
        same = a.negative == b.negative
        return Real(negative=same and a.negative, cancelled=not same or a.cancelled or b.cancelled)
    value = a.value + b.value
    return Real(value=value, negative=value < 0, cancelled=value == 0)


def negative(a):
    return Real(a.kind, -a.value, not a.negative, a.cancelled, a.wide)


def multiply(a, b):
    sign = a.negative != b.negative
    if a.is_nan() or b.is_nan():
        return Real("nan", wide=a.wide or b.wide)
    if "infinity" in (a.kind, b.kind):
        return NAN if a.is_zero() or b.is_zero() else Real("infinity", negative=sign)
    return Real(value=a.value * b.value, negative=sign)


def divide(a, b):
    sign = a.negative != b.negative
    if a.is_nan() or b.is_nan():
        return Real("nan", wide=a.wide or b.wide)
    if (a.kind == b.kind == "infinity") or (a.is_zero() and b.is_zero()):
        return NAN
    if a.kind == "infinity" or b.is_zero():
        return Real("infinity", negative=sign)
    return Real(value=Fraction(0) if b.kind == "infinity" else a.value / b.value, negative=sign)


def square_root(a):
    """Returns a square root that is exact enough for rounding: 200 bits, and whether there are more."""
    if a.is_nan() or a.is_zero():
        return a
    if a.negative:
        return NAN
    if a.kind == "infinity":
        return a
    from math import isqrt

    shift = 2 * (200 + a.value.denominator.bit_length())
    scaled = a.value.numerator * (1 << shift) // a.value.denominator
    root = isqrt(scaled)
    exact = root * root == scaled and (a.value.numerator << shift) % a.value.denominator == 0
    return Real(value=Fraction(2 * root + (not exact), 1 << shift // 2 + 1))


def order(a, b):
    """Compares two numbers. Returns None if one of them is a NaN. Infinities compare as numbers beyond all others."""
    if a.is_nan() or b.is_nan():
        return None
    rank = [(-1 if x.negative else 1) if x.kind == "infinity" else 0 for x in (a, b)]
    first, second = (rank[0], a.value), (rank[1], b.value)
    if rank[0] == rank[1] != 0:
        return 0
    return (first > second) - (first < second)


def extreme(a, b, greatest):
    if a.is_nan() or b.is_nan():
        return a if b.is_nan() else b
    result = order(a, b)
    first_less = result < 0 or (result == 0 and a.negative)
    return a if first_less != greatest else b
