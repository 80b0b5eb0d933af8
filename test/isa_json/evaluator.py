"""Computes single instructions with only the formulas in the JSON of `ptxray isa`. It computes all lanes of a warp
at once, and every value of a step is a list of elements. Approximations and named functions are not supported."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from exact import (
    FORMATS,
    NAN,
    Real,
    add,
    divide,
    extreme,
    multiply,
    negative,
    order,
    read,
    real,
    square_root,
    store,
    whole,
)

ROUNDINGS = {"nearest": "nearest", "away": "away", "toward-zero": "zero", "down": "down", "up": "up"}
TO_INTEGERS = {"nearest-integer": "nearest", "truncated": "zero", "floor": "down", "ceiling": "up"}


class Unsaid(Exception):
    """Reports a result that no exact formula defines."""


@dataclass(frozen=True)
class Type:
    kind: str = "unsigned"  # or `signed`, `float`, `truth`
    bits: int = 32
    count: int = 1
    format: object = None

    @staticmethod
    def named(word, bits):
        if word == ".pred":
            return Type("truth", 1)
        name, count = re.fullmatch(r"\.([a-z0-9]+?)(?:x(\d+))?", word).groups()
        count = int(count or 1)
        name = name.removesuffix("p4") if name == "e2m1p4" else name
        if name in FORMATS:
            return Type("float", bits // count, count, FORMATS[name])
        if not re.fullmatch(r"[bus]\d+", name):
            raise Unsaid(word)
        return Type("signed" if name[0] == "s" else "unsigned", bits // count, count)


def ones(bits):
    return (1 << bits) - 1


def is_true(value):
    return value != 0


def bits_of(value):
    if isinstance(value, Real):
        if not value.code:
            raise Unsaid("bits of a number that has none")
        return value.code[0]
    return int(value)


def decoded(bits, type):
    bits &= ones(type.bits)
    if type.kind == "float":
        return read(bits, type.format)
    if type.kind == "truth":
        return bool(bits)
    return bits - (1 << type.bits) if type.kind == "signed" and bits >> type.bits - 1 else bits


def encoded(value, type):
    if type.kind == "truth":
        return int(is_true(value))
    if type.kind == "float":
        if isinstance(value, Real) and value.code and value.code[1] == type.format:
            return value.code[0] if not value.is_nan() else store(value, type.format)
        return store(real(value), type.format)
    if not isinstance(value, Real):
        return int(value) & ones(type.bits)
    if value.is_nan():
        return 1 << type.bits - 1 if type.bits == 64 or value.wide else 0
    low, high = limits(type)
    if value.kind == "infinity":
        return (low if value.negative else high) & ones(type.bits)
    number = whole(value.value, "zero") * (-1 if value.value < 0 else 1)
    return min(max(number, low), high) & ones(type.bits)


def limits(type):
    half = 1 << type.bits - 1
    return (-half, half - 1) if type.kind == "signed" else (0, ones(type.bits))


def compared(op, a, b):
    result = order(real(a), real(b)) if isinstance(a, Real) or isinstance(b, Real) else (a > b) - (a < b)
    if result is None:
        return op == "!="
    signs = {"<": result < 0, "<=": result <= 0, ">": result > 0, ">=": result >= 0, "==": result == 0}
    return signs.get(op, result != 0)


def arithmetic(op, a, b):
    if isinstance(a, Real) or isinstance(b, Real):
        a, b = real(a), real(b)
        return {"+": add, "*": multiply, "/": divide}[op](a, b) if op != "-" else add(a, negative(b))
    if op in "+-*":
        return a + b if op == "+" else a - b if op == "-" else a * b
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
    return quotient if op == "/" else a - quotient * b if b else 0


def shifted(op, a, b):
    b = min(b, 1 << 10)
    return a << b if op == "<<" else a >> b


def field(a, at, length, type):
    if not length:
        return 0
    a &= ones(type.bits)
    signed = type.kind == "signed"
    if signed and a >> type.bits - 1:
        a -= 1 << type.bits
    top = min(at + length - 1, type.bits - 1)
    part = (a >> at) & ones(length)
    return part | -1 << length if signed and a >> top & 1 else part


def nth_one(mask, start, n):
    n = n - (1 << 32) if n >> 31 else n
    if n == 0:
        return start if start < 32 and mask >> start & 1 else -1
    left, at = abs(n), start
    while 0 <= at < 32:
        left -= mask >> at & 1
        if left == 0:
            return at
        at += 1 if n > 0 else -1
    return -1


def permuted(a, b, digits):
    source, result = a & ones(32) | (b & ones(32)) << 32, 0
    for i in range(4):
        digit = digits >> 4 * i & 15
        byte = source >> 8 * (digit & 7) & 255
        result |= (byte if digit < 8 else 255 * (byte >> 7)) << 8 * i
    return result


def lookup(table, a, b, c):
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))


def carryless(a, b):
    product = 0
    for i in range(64):
        product ^= (a & ones(64)) << i if b >> i & 1 else 0
    return product


def insert(a, into, at, length, width):
    mask = ones(length) << at & ones(width)
    return into & ones(width) & ~mask | a << at & mask


def with_sign(x, sign, type):
    if x.code:
        return read(x.code[0] & ones(type.bits - 1) | int(sign) << type.bits - 1, type.format)
    value = -abs(x.value) if sign else abs(x.value)
    return Real(x.kind, value, bool(sign), wide=x.wide)


class Instruction:
    """Represents an instruction that matches a form. `registers` maps names to bits for each lane."""

    def __init__(self, match, lanes, carries):
        self.match, self.isa, self.lanes, self.carries = match, match.reader.isa, lanes, carries
        self.declared = match.form.operands
        words = set(match.opcode) | set(match.slots.values())
        numbers = match.form.json.get("conversions", [])
        self.conversions = [self.isa["conversions"][i] for i in numbers]
        self.conversions = [one for one in self.conversions if one["word"] in words]

    def type_of(self, name):
        declared = self.declared[name]
        if declared["role"] == "predicate":
            return Type("truth", 1)
        reference = declared.get("type")
        if not reference:
            raise Unsaid(name)
        word = reference.get("word") or self.match.word(reference["slot"])
        type = Type.named(word, self.match.reader.type_of(word).bits)
        return replace(type, bits=type.bits * reference.get("times", 1) // reference.get("divided", 1))

    def converted(self, when, type, values):
        for one in self.conversions:
            kind = "float" if type.kind == "float" else "integer"
            if one["when"] == when and one.get("of", kind) == kind and type.kind != "truth":
                _, values = self.run(one["steps"], [(type, values)], type if when == "storing" else None)[-1]
        return values

    def concerns(self, when, type):
        kind = "float" if type.kind == "float" else "integer"
        return any(one["when"] == when and one.get("of", kind) == kind for one in self.conversions)

    def operand(self, name):
        """Returns the type of an operand, and its stored and converted elements by lane."""
        type, written = self.type_of(name), self.match.bound.get(name)
        parts = (written.parts if written.kind == "vector" else [written]) if written else []
        raw = {}
        for lane, registers in self.lanes.items():
            raw[lane] = []
            for part in parts:
                bits = self.bits_of_part(part, registers, type)
                for i in range(type.count):
                    raw[lane].append(decoded(bits >> type.bits * i, type))
        return type, raw

    def bits_of_part(self, part, registers, type):
        if part.kind == "integer":
            return int(part.value != 0) if type.kind == "truth" else part.value
        if part.kind == "float":
            if part.value is None:
                raise Unsaid("a constant")
            bits, single = part.value
            if single and type.bits == 64:
                raise Unsaid("a constant of another type")
            return bits if single else bits if type.bits == 64 else store(read(bits, FORMATS["f64"]), type.format)
        name = part.name + part.suffix if part.name + part.suffix in registers else part.name
        if name not in registers:
            raise Unsaid(part.name)
        bits = registers[name]
        return 1 - bits if "not" in part.flags else bits

    def run(self, steps, parameters, target):
        rows = []
        for step in steps:
            rows.append(self.row(step, rows, parameters, target))
        return rows

    def row(self, step, rows, parameters, target):
        args = [rows[i] for i in step.get("args", [])]
        if "parameter" in step:
            return parameters[step["parameter"]]
        if "operand" in step:
            type, raw = self.operand(step["operand"])
            if self.concerns("reading", type):
                return type, self.converted("reading", type, raw)
            return type, raw
        if "number" in step:
            return Type("unsigned", 64), {lane: [step["number"]] for lane in self.lanes}
        if "fold" in step:
            return self.folded(step, args[0], target)
        if "operators" in step:
            word = self.match.word(step["word"])
            definition = self.isa["operators"][str(step["operators"])].get(word)
            return self.run(definition, args, target)[-1] if definition else args[0]
        if "word" in step or "type" in step:
            word = step.get("type") or self.match.word(step["word"])
            return Type("word"), word
        if "slot" in step:
            return Type("word"), self.match.word(self.match.form.json["slots"][step["slot"]]["name"])
        if "memory" in step or "named" in step:
            raise Unsaid("memory, or a named function")
        return self.applied(step["op"], args, target)

    def folded(self, step, source, target):
        type, values = source
        word = self.match.word(step["fold"])
        definition = self.isa["operators"][str(step["operators"])][word]
        group, total = self.everyone(), None
        for lane in group:
            each = type, dict.fromkeys(self.lanes, values[lane])
            total = each if total is None else self.run(definition, [total, each], target)[-1]
        return total

    def everyone(self):
        return sorted(self.lanes)

    def applied(self, op, args, target):
        if op == "@":
            return self.at(args)
        special = getattr(self, "of_" + op.replace("-", "_"), None)
        if special:
            return special(args, target)
        type = args[1 if op in ("?", "insert") else 0][0] if args else (target or Type())
        words = [values if t.kind == "word" else None for t, values in args]
        out = {}
        for lane in self.lanes:
            lists = [[word] if word is not None else values[lane] for word, (_, values) in zip(words, args)]
            count = max([len(one) for one in lists], default=1) if all(lists) else 0
            out[lane] = [
                self.element(op, [one[i if len(one) > 1 else 0] for one in lists], type, target, lane)
                for i in range(count)
            ]
        return type, out

    def element(self, op, a, type, target, lane):
        if len(a) == 1 and op in "-~!":
            return (
                (negative(a[0]) if isinstance(a[0], Real) else -a[0]) if op == "-" else ~a[0] if op == "~" else not a[0]
            )
        if op in ("<", "<=", ">", ">=", "==", "!="):
            return compared(op, *a)
        if op in ("+", "-", "*", "/", "%"):
            return arithmetic(op, *a)
        if op in ("&", "|", "^"):
            return {"&": a[0] & a[1], "|": a[0] | a[1], "^": a[0] ^ a[1]}[op]
        if op in ("<<", ">>"):
            return shifted(op, *a)
        if op == "?":
            return a[1] if is_true(a[0]) else a[2]
        return self.of_integers(op, a, type, target) if op in INTEGER else self.of_numbers(op, a, type, target)

    def of_integers(self, op, a, type, target):
        width = type.bits
        if op == "high":
            return a[0] >> target.bits
        if op == "carry":
            return sum([x & ones(target.bits) for x in a[:2]], a[2] if len(a) > 2 else 0) >> target.bits & 1
        return INTEGER[op](a, type, width)

    def of_numbers(self, op, a, type, target):
        if op in ("min", "max"):
            if any(isinstance(x, Real) for x in a):
                return replace(extreme(real(a[0]), real(a[1]), op == "max"), code=())
            return min(a) if op == "min" else max(a)
        if op == "abs":
            if not isinstance(a[0], Real):
                return abs(a[0])
            return a[0] if a[0].is_nan() else Real(a[0].kind, abs(a[0].value), False)
        if op == "undefined":
            return a[0]
        if op in ("least", "greatest"):
            return limits(target)[op == "greatest"]
        if op == "largest-finite":
            return replace(read(target.format.greatest << target.format.unused, target.format), code=())
        if op == "truth":
            return real(int(is_true(a[0]))) if target.kind == "float" else ones(target.bits) * is_true(a[0])
        if op == "saturated":
            low, high = limits(self.part_type(*a[1:]))
            return min(max(a[0], low), high)
        return self.of_floats(op, a, type, target)

    def part_type(self, word, part=None):
        type = Type.named(word, self.match.reader.type_of(word).bits or self.isa["words"][word].get("number", 0))
        bits = self.isa["words"][word].get("number", type.bits)
        if part:
            bits = 8 if re.fullmatch(r"\.b\d{1,4}", part) else 16 if part.startswith(".h") else type.bits
        return replace(type, bits=bits)

    def of_floats(self, op, a, type, target):
        x = real(a[0]) if a else NAN
        if op == "nan":
            return NAN
        if op == "square-root":
            return square_root(x)
        if op == "reciprocal":
            return divide(real(1), x)
        if op.startswith("is-"):
            subnormal = type.format and x.value and abs(x.value) < Fraction(2) ** (1 - type.format.bias)
            signed = x.code[0] >> type.bits - 1 & 1 if x.code else x.negative
            answers = {"nan": x.is_nan(), "infinite": x.kind == "infinity", "subnormal": bool(subnormal)}
            return {**answers, "negative": bool(signed), "out-of-bounds": False}[op.removeprefix("is-")]
        if op == "with-sign":
            return with_sign(x, is_true(a[1]), type)
        if op == "flushed":
            format = type.format or (target or Type()).format
            if format and x.value and abs(x.value) < Fraction(2) ** (1 - format.bias):
                return Real(negative=x.negative)
            return x if isinstance(a[0], Real) else a[0]
        if op in TO_INTEGERS:
            if x.kind != "number":
                return x
            value = Fraction(whole(x.value, TO_INTEGERS[op]))
            return Real(value=-value if x.negative else value, negative=x.negative)
        mode = ROUNDINGS.get(op.removeprefix("round-"))
        if mode:
            return read(store(x, target.format, mode), target.format) if target.format and not x.is_nan() else x
        raise Unsaid(op)

    def each(self, function, type):
        return type, {lane: function(lane) for lane in self.lanes}

    def at(self, args):
        """Returns the value of another lane."""
        type, values = args[0]
        lanes = {lane: int(number[0]) for lane, number in args[1][1].items()}
        if not set(lanes.values()) <= set(values):
            raise Unsaid("a lane that is not there")
        return type, {lane: values[other] for lane, other in lanes.items()}

    def of_lane(self, args, target):
        return self.each(lambda lane: [lane], Type())

    def of_cc(self, args, target):
        return self.each(lambda lane: [self.carries[lane]], Type())

    def of_everyone(self, args, target):
        return self.each(lambda lane: [sum(1 << other for other in self.everyone())], Type())

    of_active = of_everyone

    def of_leader(self, args, target):
        return self.each(lambda lane: [self.everyone()[0]], Type())

    def of_width(self, args, target):
        return self.each(lambda lane: [args[0][0].bits], Type())

    def of_number(self, args, target):
        return self.each(lambda lane: [self.isa["words"][args[0][1]]["number"]], Type())

    def of_bits(self, args, target):
        type, values = args[0]

        def joined(lane):
            return [sum((bits_of(x) & ones(type.bits)) << type.bits * i for i, x in enumerate(values[lane]))]

        return self.each(joined, type)

    def of_pieces(self, args, target):
        type, values = args[0]
        size = self.number(args[1])
        first = self.number(args[2]) if len(args) > 2 else 0
        count = self.number(args[3]) if len(args) > 3 else type.bits // size
        part = Type("unsigned" if type.kind == "float" else type.kind, size)
        return self.each(
            lambda lane: [decoded(bits_of(values[lane][0]) >> size * (first + i), part) for i in range(count)], part
        )

    def number(self, argument):
        return argument[1][min(self.lanes)][0]

    def of_joined(self, args, target):
        return self.each(lambda lane: [x for _, values in args for x in values[lane]], args[0][0])

    def of_element(self, args, target):
        return self.each(lambda lane: [args[0][1][lane][args[1][1][lane][0]]], args[0][0])

    def of_sum(self, args, target):
        type, values = args[0]

        def total(lane):
            result = values[lane][0]
            for one in values[lane][1:]:
                result = arithmetic("+", result, one)
            return [result]

        return self.each(total, type)

    def of_decoded(self, args, target):
        part = self.part_type(args[1][1])
        return self.each(lambda lane: [decoded(bits_of(x), part) for x in args[0][1][lane]], part)

    def of_encoded(self, args, target):
        part = self.part_type(args[1][1])
        return self.each(lambda lane: [decoded(encoded(x, part), part) for x in args[0][1][lane]], part)

    def of_masked(self, args, target):
        digits = (args[1][1] or "")[2:]
        return self.each(
            lambda lane: [x if str(i) in digits else 0 for i, x in enumerate(args[0][1][lane])], args[0][0]
        )

    def of_merged(self, args, target):
        word = args[2][1]
        if not word:
            return self.each(lambda lane: args[0][1][lane][:1], args[0][0])
        width = 16 if word[1] == "h" else 8

        def merged(lane):
            values, bits = args[0][1][lane], args[1][1][lane][0] & ones(32)
            for i in range(32 // width):
                if str(i) in word[2:]:
                    value = values[0 if len(values) == 1 else i]
                    bits = bits & ~(ones(width) << width * i) | (value & ones(width)) << width * i
            return [bits]

        return self.each(merged, args[0][0])

    def of_picked(self, args, target):
        word, of_word = args[2][1], self.part_type(args[3][1])
        count = 2 if word[1] == "h" else 4
        part = Type(of_word.kind, 32 // count)

        def picked(lane):
            source = bits_of(args[0][1][lane][0]) & ones(32) | (bits_of(args[1][1][lane][0]) & ones(32)) << 32
            return [decoded(source >> part.bits * int(word[-1 - i]), part) for i in range(count)]

        return self.each(picked, part)

    def of_lanes(self, args, target):
        mask = sum(1 << lane for lane in self.everyone() if is_true(args[0][1][lane][0]))
        return self.each(lambda lane: [mask], Type())

    def of_alike(self, args, target):
        values = args[0][1]
        return self.each(
            lambda lane: [sum(1 << o for o in self.everyone() if bits_of(values[o][0]) == bits_of(values[lane][0]))],
            Type(),
        )

    def of_powers(self, args, target):
        raise Unsaid("powers")

    def results(self):
        """Returns the values for each operand by lane: the elements as bits, their width, and whether zeros are
        above them."""
        done, results = set(), {}
        for formula in self.match.form.json.get("formulas", []):
            name = formula.get("operand")
            key = name or ("carry" if formula.get("carry") else "memory")
            if key in done or ("when" in formula and not self.match.holds(formula["when"])):
                continue
            if name and not self.match.bound.get(name):
                continue
            done.add(key)
            if key == "memory":
                raise Unsaid("memory")
            if key == "carry":  # with as many bits as the added numbers
                rows = self.run(formula["steps"], [], self.type_of("d"))
                results["cc"] = Type(), {lane: values[0] for lane, values in rows[-1][1].items()}
                continue
            if "within" in formula:
                raise Unsaid("an approximation")
            results[name] = self.result(formula, self.type_of(name))
        return results

    def result(self, formula, target):
        rows = self.run(formula["steps"], [], target)
        root = formula["steps"][-1]
        values = rows[-1][1]
        if root.get("op") in ("bits", "merged"):
            return Type("unsigned", target.bits, target.count), {k: v[0] for k, v in values.items()}
        if root.get("op") == "pieces":
            target = Type("unsigned", target.bits, target.count)
        if root.get("op") != "encoded" and self.concerns("storing", target):
            values = self.converted("storing", target, values)
        elif root.get("op") != "encoded":
            values = self.copied(formula["steps"], rows, len(rows) - 1)
        out = {}
        for lane, elements in values.items():
            codes = [self.stored(x, target, root) for x in elements]
            out[lane] = sum(code << target.bits * i for i, code in enumerate(codes))
        return target, out

    def copied(self, steps, rows, at):
        """Returns the operand unconverted, since a copy ignores the words of the instruction."""
        step = steps[at]
        if "operand" in step:
            return self.operand(step["operand"])[1]
        if step.get("op") != "?":
            return rows[at][1]
        test, arms = rows[step["args"][0]][1], [self.copied(steps, rows, i) for i in step["args"][1:]]
        out = {}
        for lane in self.lanes:
            count = max(len(test[lane]), *(len(arm[lane]) for arm in arms))
            pick = [
                values if len(values) > 1 else values * count for values in (test[lane], *(arm[lane] for arm in arms))
            ]
            out[lane] = [yes if is_true(one) else no for one, yes, no in zip(*pick)]
        return out

    @staticmethod
    def stored(value, target, root):
        if isinstance(value, Real) and value.code and value.code[1] == target.format:
            return value.code[0]
        if root.get("op") == "encoded":
            return bits_of(value)
        return encoded(value, target)


INTEGER = {
    "high": None,
    "carry": None,
    "ones": lambda a, type, width: (a[0] & ones(width)).bit_count(),
    "leading-zeros": lambda a, type, width: width - (a[0] & ones(width)).bit_length(),
    "reversed": lambda a, type, width: int(f"{a[0] & ones(width):0{width}b}"[::-1], 2),
    "top-bit": lambda a, type, width: (~a[0] if a[0] < 0 else a[0]).bit_length() - 1,
    "field": lambda a, type, width: field(a[0], a[1], a[2], type),
    "insert": lambda a, type, width: insert(a[0], a[1], a[2], a[3], width),
    "carryless": lambda a, type, width: carryless(a[0], a[1]),
    "permuted": lambda a, type, width: permuted(*a),
    "lookup": lambda a, type, width: lookup(*a),
    "nth-one": lambda a, type, width: nth_one(*a),
}
