"""Judges single instructions with only the JSON of `ptxray isa`, which shows that it contains everything that a
reader needs. A module's declarations define the types of names. Named checks and rare properties of ptxas are not
supported."""

import re
from dataclasses import dataclass

from written import OPAQUE, NotPtx, Operands

PAIR_OF_HALVES = "pair of halves"  # .f16x2, the only packed type that a register may have
INTEGERS = ("unsigned", "signed", PAIR_OF_HALVES)


@dataclass
class Type:
    kind: str = ""
    bits: int = 0
    narrow: bool = False
    takes_halves: bool = False

    def __bool__(self):
        return bool(self.kind)


def in_ranges(ranges, value):
    return any(r["from"] <= value <= r["to"] and (value - r["from"]) % r.get("step", 1) == 0 for r in ranges)


class Match:
    """Represents one way to match a text with a form."""

    def __init__(self, reader, form, opcode, slots):
        self.reader, self.form, self.opcode, self.slots = reader, form, opcode, slots
        self.bound, self.bracketed = {}, set()

    def word(self, slot):
        return self.slots.get(slot) or self.form.defaults.get(slot)

    def number(self, term):
        if isinstance(term, int):
            return term
        word = self.word(term["slot"])
        if not word:
            return 1
        if "behind" in term:
            found = re.search(term["behind"] + r"(\d+)", word)
            number = int(found[1]) if found else 0
        else:
            number = self.reader.words[word].get("number", -1)
        return number * term.get("times", 1) // term.get("divided", 1) + term.get("plus", 0)

    def holds(self, condition):
        if condition is True:
            return True
        ((question, what), *more) = condition.items()
        more = dict(more)
        if question == "all":
            return all(self.holds(part) for part in what)
        if question == "any":
            return any(self.holds(part) for part in what)
        if question == "not":
            return not self.holds(what)
        if question == "slot":
            word = self.word(what)
            return (
                word in more["is"]
                if "is" in more
                else word == self.word(more["equals"])
                if "equals" in more
                else bool(word)
            )
        if question == "words":
            return any(word in what for word in self.opcode) or any(word in what for word in self.slots.values())
        if question == "operand":
            return self.holds_of_operand(self.bound.get(what), self.form.operands[what], more)
        if question == "gate" and more:
            return self.holds(more["means"])
        return self.reader.module_holds(condition)

    def holds_of_operand(self, written, declared, more):
        if "in" in more:
            return not written or written.kind != "integer" or in_ranges(more["in"], written.value)
        if not written:
            return False
        if more["is"] == "immediate":
            return (written.parts[0] if written.kind == "vector" else written).is_constant()
        if more["is"] == "symbol":
            return written.kind in ("variable", "function", "label") or (
                written.kind == "special" and declared["role"] == "address"
            )
        return more["is"] == "written" or more["is"] in written.flags

    # Tables

    def length_fits(self, operand, terms):
        written = self.bound[operand]
        if (
            written.kind != "vector"
            and not written.components
            and "vec" in self.form.operands[operand].get("flags", [])
        ):
            return False
        length = len(written.parts) if written.kind == "vector" else written.components or 1
        return any(self.number(term) == length for term in terms)

    def cell_fits(self, column, cell):
        kind, members = column["kind"], column.get("of", [])
        if cell == "*":
            return True
        if kind == "requires":
            return self.holds(cell)
        if kind == "slot":
            word = self.word(members[0])
            if cell in ("-", "+"):
                return bool(word) == (cell == "+")
            return (word or "-") in cell
        written = [name for name in members if name in self.bound]
        if kind == "operand":
            return bool(written) == (cell == "+")
        if kind == "length":
            if cell == "-":
                return all(self.bound[name].kind != "vector" for name in written)
            return all(self.length_fits(name, cell) for name in written)
        return all(self.bound[name].kind != "integer" or in_ranges(cell, self.bound[name].value) for name in written)

    def fits_table(self, table):
        for row in table["rows"]:
            if all(self.cell_fits(*pair) for pair in zip(table["columns"], row["cells"], strict=True)):
                for column, cell in zip(table["columns"], row["cells"], strict=True):
                    if column["kind"] in ("length", "values") and isinstance(cell, list):
                        self.cells.update({(column["kind"], name): cell for name in column["of"]})
                return True
        return False

    # The whole

    def is_accepted(self):
        self.cells = {}
        form, ungated = self.form, self.reader.isa["mnemonics"][self.form.mnemonic].get("ungated", [])
        if not all(self.fits_table(table) for table in form.json.get("tables", [])):
            return False
        for rule in form.json.get("rules", []):
            if self.holds(rule.get("when", True)) and not self.holds(rule["require"]):
                return False
        for slot, word in self.slots.items():
            if not self.holds(form.values[slot].get(word, True)):
                return False
            if word not in ungated and not self.holds(self.reader.words[word].get("requires", True)):
                return False
        for name, declared in form.operands.items():
            if "with" in declared and self.holds(declared["with"]) != (name in self.bound):
                return False
        return all(self.fits_operand(name, written) for name, written in self.bound.items())

    # Operands

    def type_of(self, declared):
        reference = declared.get("type")
        if not reference:
            return Type()
        word = reference.get("word") or self.word(reference["slot"])
        type = self.reader.type_of(word)
        if type and "frag" in declared.get("flags", []):
            type = fragment(type)
        return Type(
            type.kind,
            type.bits * reference.get("times", 1) // reference.get("divided", 1),
            type.narrow,
            type.takes_halves,
        )

    def fits_operand(self, name, written):
        declared = self.form.operands[name]
        return Operand(self, name, declared).fits(written)


def fragment(element):
    if (element.kind == "float" and element.bits >= 32) or (element.kind, element.bits) == ("signed", 32):
        return element
    if (element.kind, element.bits) == ("float", 16):
        return Type(PAIR_OF_HALVES, 32)
    if element.kind == "packed" and element.bits >= 16:
        return Type("packed", 32)
    return Type("bits", 32)


def agree(type, register, wide, as_bits):
    if "predicate" in (type.kind, register.kind):
        return type.kind == register.kind
    is_bits = register.kind == "bits"
    fits = register.bits == type.bits or (wide and register.bits > type.bits)
    if type.kind == PAIR_OF_HALVES:
        return register.kind == PAIR_OF_HALVES or (is_bits and fits)
    if type.kind == "packed":
        return register.bits == type.bits and (is_bits or (type.takes_halves and register.kind == PAIR_OF_HALVES))
    if type.kind == "bits":
        return fits
    if type.kind in ("unsigned", "signed"):
        return fits and (is_bits or register.kind in INTEGERS)
    if as_bits and register.kind in ("unsigned", "signed") and register.bits == type.bits:
        return True
    return fits and ((register.kind, register.bits) == (type.kind, type.bits) or is_bits)


class Operand:
    """Represents an operand of a form, and the texts that it accepts."""

    def __init__(self, match, name, declared):
        self.match, self.name, self.declared = match, name, declared
        self.flags = {*declared.get("flags", []), *declared.get("ptxasFlags", [])}
        self.type, self.role = match.type_of(declared), declared["role"]
        self.out = bool({"out", "inout"} & self.flags)
        self.exact_words = any(match.reader.words.get(word, {}).get("unrelaxed") for word in match.opcode)
        self.wide = "wide" in self.flags and not self.exact_words
        self.by_word = "word" in declared.get("type", {})

    def is_predicate(self):
        return self.role == "predicate" or self.type.kind == "predicate"

    def fits(self, written):
        if written.kind == "list":
            return True
        if self.name in self.match.form.elements:
            return self.in_range(written) and self.fits_scalar(written, True)
        if self.role == "address":
            return self.fits_address(written)
        if self.role in OPAQUE:
            handle = written.kind == "register" and not written.flags and not written.suffix
            type = self.match.reader.type_of(written.word) if handle else Type()
            named = written.kind == "variable" and "offset" not in written.flags
            return (type.bits == 64 and type.kind != "float") or (named and written.word == OPAQUE[self.role])
        if self.role in ("label", "function"):
            return written.kind == self.role and not written.flags
        if self.role == "symbol":
            targets = "symbol" in self.flags and written.kind == "variable" and "array" in written.flags
            return targets or written.kind in ("function", "prototype")
        return self.fits_value(written)

    def fits_value(self, written):
        lengths = self.match.cells.get(("length", self.name), self.declared.get("lengths", []))
        if written.kind == "vector":
            if not lengths and "vec" not in self.flags:
                return False
            return (not lengths or self.match.length_fits(self.name, lengths)) and self.fits_elements(written)
        if written.kind == "sink" and "discard" in self.flags and self.out:
            return True
        if "vec" in self.flags and not written.components:
            return False
        if lengths and not self.match.length_fits(self.name, lengths):
            return False
        if written.components and not lengths and "vec" not in self.flags:
            return False
        return self.fits_scalar(written, False)

    def fits_elements(self, vector):
        types, alone = [], "each" in self.flags or {"index 1", "index 2"} & self.flags
        for element in vector.parts:
            plain = element.kind == "register" and not element.flags and not element.suffix and not element.components
            if plain and not alone and self.role != "immediate":
                types.append(self.match.reader.type_of(element.word))
            elif not self.fits_scalar(element, True):
                return False
        if self.out and all(element.kind == "sink" for element in vector.parts):
            return False
        sizes = {32 if type.kind == "predicate" else type.bits for type in types}
        if len(sizes) > 1 or not all(goes_with(*pair) for pair in zip(types, types[1:], strict=False)):
            return False
        if not types:
            return True
        same = all(type == types[0] for type in types)
        return self.fits_type(types[0] if same else Type("bits", sizes.pop()), True)

    def in_range(self, written):
        ranges = self.match.cells.get(("values", self.name), self.declared.get("ranges", []))
        return written.kind != "integer" or not ranges or in_ranges(ranges, written.value)

    def fits_scalar(self, written, in_vector):
        if written.suffix and written.suffix not in self.match.slots.values():
            return False
        if "not" in written.flags and (
            not (self.is_predicate() or "bits" in self.flags)
            or self.out
            or not (written.kind == "integer" or self.kind_of(written) == "predicate")
        ):
            return False
        if "subscript" in written.flags and not ("symbol" in self.flags and written.kind == "variable"):
            return False
        if written.kind == "sink":
            allowed = "discard" in self.flags and (self.out or in_vector)
            return (
                not written.flags
                and not (in_vector and "no-discard" in self.flags)
                and (allowed or (self.out and in_vector))
            )
        if written.kind in ("register", "special"):
            return self.fits_register(written, in_vector)
        if written.is_constant():
            return self.fits_constant(written, in_vector)
        if written.kind in ("variable", "function"):
            if self.out or written.flags & {"negated", "not"}:
                return False
            if "symbol" in self.flags and has_address(written):
                return True
            if in_vector:
                return "sreg" in self.flags
            if "offset" in written.flags and written.kind == "variable":
                return self.type.kind in ("bits", "unsigned", "signed") and (not self.by_word or self.type.bits == 32)
            return written.kind == "function" and self.role == "value" and "slot" in self.declared.get("type", {})
        return False

    def kind_of(self, written):
        return self.match.reader.type_of(written.word).kind

    def fits_register(self, written, in_vector):
        register = self.match.reader.type_of(written.word)
        special = written.kind == "special"
        if special and (self.out or "negated" in written.flags):
            return False
        if special and "sreg" not in self.flags and "offset" not in written.flags and not in_vector:
            return False
        if special and register.kind != "predicate":
            register = Type("bits", register.bits)
        if "offset" in written.flags:
            if self.out or in_vector or self.role == "immediate" or written.flags & {"negated", "not"}:
                return False
            if "slot" in self.declared.get("type", {}) and register.kind != "predicate":
                register = Type(register.kind, self.type.bits)
        if self.is_predicate():
            halves = self.type and register.kind == PAIR_OF_HALVES
            return (register.kind == "predicate" or halves) and "negated" not in written.flags
        if "negated" in written.flags and self.name not in self.match.form.minus:
            return False
        if "bits" in self.flags and register.kind == "predicate":
            return True
        return self.fits_type(register, in_vector)

    def fits_type(self, register, in_vector):
        if self.is_predicate():
            return register.kind == "predicate"
        if self.role == "immediate" or (not self.type and self.out):
            return False
        if not self.type:
            return register.kind != "predicate"
        if "exact" in self.flags and "each" not in self.flags:
            same = (register.kind, register.bits) == (self.type.kind, self.type.bits)
            return same or (in_vector and (register.kind, register.bits) == ("bits", self.type.bits))
        if in_vector and "each" in self.flags:
            return register.kind != "predicate" and register.bits >= self.type.bits
        if register.kind == PAIR_OF_HALVES and self.type.kind in ("unsigned", "signed") and self.by_word:
            return False
        as_bits = in_vector and not ("frag" in self.flags and self.type.bits == 32)
        return agree(self.type, register, self.wide, as_bits)

    def fits_constant(self, written, in_vector):
        single = "single" in written.flags
        is_float = written.kind == "float"
        if self.out:
            return False
        if "bits" in self.flags and single:
            return True
        if self.role == "register":
            return False
        if self.is_predicate() and is_float:
            return False
        if not self.type:
            return self.in_range(written)
        kind, bits = self.type.kind, self.type.bits
        if not is_float:
            number = kind in ("bits", "unsigned", "signed", "predicate")
            return (number or (in_vector and (kind, bits) == ("float", 64))) and self.in_range(written)
        return (kind == "float" and bits >= 32) or (kind == "bits" and bits == (32 if single else 64))

    def fits_address(self, written):
        reader, kind = self.match.reader, written.kind
        bare = self.name not in self.match.bracketed
        anything = "any" in self.flags
        spaces = [
            reference.get("word") or self.match.word(reference["slot"]) for reference in self.declared.get("spaces", [])
        ]
        named = [space.split("::")[0] for space in spaces if space]
        if kind == "register":
            register = reader.type_of(written.word)
            if written.suffix or written.flags & {"negated", "not"}:
                return False
            if bare and "bare" in self.flags and not self.type:
                return True
            integer = register.kind in ("bits", "unsigned", "signed")
            agrees = self.type and agree(self.type, register, False, False)
            if not anything and not integer:
                return False
            return register.bits <= 64 and (not self.type or bool(agrees))
        if kind == "special":
            return not self.type
        if kind == "variable":
            if self.out and "parameter" in written.flags:
                return False
            if "opaque" in written.flags:
                return anything
            if not spaces or written.space in named:
                return written.space != ".param" or has_address(written) or written.space in named
            return None in spaces and written.space in (".global", ".shared", ".local")
        if kind == "integer":
            return anything or spaces == [".local"]
        if kind == "sink":
            return "discard" in self.flags and bare
        return anything


def goes_with(left, right):
    if "bits" in (left.kind, right.kind):
        return True
    if "predicate" in (left.kind, right.kind) or PAIR_OF_HALVES in (left.kind, right.kind):
        return left.kind == right.kind
    return (left.kind in INTEGERS) == (right.kind in INTEGERS)


def has_address(written):
    if written.kind == "variable":
        return "opaque" not in written.flags and (written.space != ".param" or "parameter" in written.flags)
    return written.kind == "function"


class Form:
    def __init__(self, json, mnemonic):
        self.json, self.mnemonic = json, mnemonic
        self.slots = json["slots"]
        self.values = {
            slot["name"]: {value["word"]: value.get("requires", True) for value in slot["values"]}
            for slot in self.slots
        }
        self.defaults = {slot["name"]: slot["default"] for slot in self.slots if "default" in slot}
        self.optional = {slot["name"] for slot in self.slots if slot.get("optional")}
        self.operands = {operand["name"]: operand for operand in json["operands"]}
        self.minus, self.elements = set(), set()
        self.survey(json["pattern"], None)

    def survey(self, patterns, group):
        for pattern in patterns:
            if pattern["kind"] != "operand":
                self.survey(pattern["parts"], pattern["kind"] if pattern["kind"] != "pair" else group)
                continue
            if pattern.get("minus"):
                self.minus.add(pattern["operand"])
            if group == "vector":
                self.elements.add(pattern["operand"])


class Reader:
    def __init__(self, isa):
        self.isa, self.words = isa, isa["words"]
        self.forms, self.types, self.gates = {}, {}, {}
        for entry in isa["entries"]:
            for json in entry["forms"]:
                for mnemonic in json["mnemonics"]:
                    self.forms.setdefault(mnemonic, []).append(Form(json, mnemonic))
        self.known = {
            mnemonic: {
                word
                for form in forms
                for slot in form.slots
                if not slot.get("suffix")
                for word in form.values[slot["name"]]
            }
            for mnemonic, forms in self.forms.items()
        }

    def enter(self, version, target, independent, declarations):
        major, minor = version.split(".")
        self.module = (int(major), int(minor)), target, independent
        self.declarations, self.gates = declarations, {}

    def module_holds(self, condition):
        ((question, what),) = condition.items()
        version, target, independent = self.module
        if question == "ptx":
            return version >= tuple(int(part) for part in what.split("."))
        if question == "target":
            return target in self.isa["targetSets"][what]
        if question == "gate":
            if what not in self.gates:
                self.gates[what] = Match(self, None, [], {}).holds(self.isa["gates"][what])
            return self.gates[what]
        return independent if question == "module" else question in ("warn", "ptxas")

    def type_of(self, word):
        if word not in self.types:
            known = self.words.get(word, {})
            kind, narrow = known.get("type", ""), known.get("narrow", False)
            halves = kind == "packed" and not narrow and word[2].isdigit()
            self.types[word] = Type(
                PAIR_OF_HALVES if word == ".f16x2" else kind, known.get("bits", 0), narrow, halves and word != ".f16x2"
            )
        return self.types[word]

    def read_words(self, opcode):
        """Returns the mnemonic, and the following words."""
        words = ["." + word for word in opcode.split(".")]
        words[0] = words[0][1:]
        for count in range(len(words), 0, -1):
            mnemonic = "".join(words[:count])
            if mnemonic in self.forms:
                break
        else:
            raise NotPtx(opcode)
        own, read, dropped = self.isa["mnemonics"][mnemonic], [], []
        for k, word in enumerate(words[count:], count):
            known = self.words.get(word)
            if known is None:
                raise NotPtx(word)
            skipped = known.get("skipped") and word not in self.known[mnemonic]
            conflicts = "kind" in known and not known.get("repeatable")
            conflicts = conflicts and any(self.words[other].get("kind") == known["kind"] for other in dropped)
            if word in words[1:k]:
                drop = known.get("repeatable") and (skipped or not known.get("skipped"))
            else:
                drop = word in own.get("skipped", []) or (skipped and not conflicts)
            (dropped if drop else read).append(word)
        return mnemonic, words[1:count], read, words

    def fill_slots(self, form, spelling, read):
        slots = {slot["name"]: word for slot, word in zip(form.slots, spelling, strict=False)}
        first = {}
        for word in read:
            word_class = self.words[word]["class"]
            for j in range(first.get(word_class, 0) if word_class != "free" else 0, len(form.slots)):
                name = form.slots[j]["name"]
                if name not in slots and not form.slots[j].get("suffix") and word in form.values[name]:
                    slots[name] = word
                    first[word_class] = j + 1
                    break
            else:
                return None
        missing = (s for s in form.slots if not s.get("optional") and not s.get("suffix") and s["name"] not in slots)
        return None if any(missing) else slots

    def bind(self, match, patterns, written, bracketed=False):
        """Yields once for each way to match the operands with the patterns. `match` then contains it."""
        if not patterns:
            if not written:
                yield
            return
        pattern, rest = patterns[0], patterns[1:]
        if written:
            for _ in self.bind_one(match, pattern, written[0], bracketed):
                yield from self.bind(match, rest, written[1:], bracketed)
        if pattern.get("optional") and pattern["kind"] != "pair":
            yield from self.bind(match, rest, written, bracketed)

    def bind_one(self, match, pattern, written, bracketed):
        suffix, added = pattern.get("suffix"), None
        if written.suffix and suffix:
            if written.suffix not in match.form.values[suffix]:
                return
            added = suffix
            match.slots[suffix] = written.suffix
        elif (written.suffix and written.kind == "address") or (suffix and suffix not in match.form.optional):
            return
        yield from self.bind_inner(match, pattern, written, bracketed)
        if added:
            del match.slots[added]

    def bind_inner(self, match, pattern, written, bracketed):
        kind = pattern["kind"]
        if kind == "operand":
            name = pattern["operand"]
            declared = match.form.operands[name]
            out = "out" in declared.get("flags", [])
            if (
                written.kind == "pair"
                and out
                and written.parts[1].kind == "sink"
                and written.parts[0].kind == "register"
            ):
                written = written.parts[0]
            if written.kind in ("address", "pair") or (written.kind == "list" and declared["role"] != "list"):
                return
            is_predicate = written.kind == "register" and self.type_of(written.word).kind == "predicate"
            if is_predicate and "vec" in declared.get("flags", []):
                return
            match.bound[name] = written
            if bracketed:
                match.bracketed.add(name)
            yield
            match.bound.pop(name)
            match.bracketed.discard(name)
        elif kind == written.kind == "pair":
            for _ in self.bind_one(match, pattern["parts"][0], written.parts[0], bracketed):
                yield from self.bind_one(match, pattern["parts"][1], written.parts[1], bracketed)
        elif kind == "pair" and pattern.get("optional"):
            yield from self.bind_one(match, pattern["parts"][0], written, bracketed)
        elif kind == written.kind:
            if kind == "list" and len(pattern["parts"]) == 1:
                match.bound[pattern["parts"][0]["operand"]] = written
                yield
            else:
                yield from self.bind(match, pattern["parts"], written.parts, bracketed or kind == "address")
        elif kind == "address" and len(pattern["parts"]) == 1:
            declared = match.form.operands[pattern["parts"][0]["operand"]]
            flags = {*declared.get("flags", []), *declared.get("ptxasFlags", [])}
            named = written.kind in ("register", "variable")
            if ("bare" in flags and named) or ("discard" in flags and written.kind == "sink"):
                yield from self.bind_one(match, pattern["parts"][0], written, False)

    def has_specials(self, written):
        """Returns whether the module may use the special registers of the operand."""
        register = self.declarations.special.get(written.name, {})
        gate = Match(self, None, [], {}).holds(register.get("requires", True))
        return gate and all(self.has_specials(part) for part in written.parts)

    def accepts(self, text):
        return any(True for _ in self.matches(text))

    def matches(self, text):
        """Yields the ways in which a text is valid."""
        guard, text, end = re.fullmatch(r"\s*(?:@!?\s*([%\w$]+)\s*)?(.*?)(;?)\s*", re.sub(r"//.*", "", text)).groups()
        opcode, operands = re.fullmatch(r"(\w*(?:\s*\.[\w:]+)*)(.*)", text).groups()
        opcode = re.sub(r"\s", "", opcode)
        try:
            if not end or (guard and self.type_of(self.declarations.find(guard).word).kind != "predicate"):
                return
            written = Operands(operands, self.declarations).all()
            mnemonic, spelling, read, words = self.read_words(opcode)
            if not all(self.has_specials(one) for one in written):
                return
        except NotPtx:
            return
        for form in self.forms[mnemonic]:
            slots = self.fill_slots(form, spelling, read)
            if slots is None:
                continue
            match = Match(self, form, words, slots)
            for _ in self.bind(match, form.json["pattern"], written):
                if match.is_accepted():
                    yield match
