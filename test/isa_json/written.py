"""Splits the text of operands, using the module's declarations of their names."""

import re
import struct
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"\s*(0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+"
    r"|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?"
    r"|[a-zA-Z_$%][\w$%]*|\.[a-zA-Z_][\w:]*|[-+!~\[\]{}(),|<>*/])"
)
OPAQUE = {"texture": ".texref", "sampler": ".samplerref", "surface": ".surfref"}


class NotPtx(Exception):
    pass


@dataclass
class Written:
    """Represents an operand in the source, or a group of them."""

    kind: str
    parts: list = field(default_factory=list)
    flags: set = field(default_factory=set)
    word: str = ""  # type of the operand
    components: int = 0
    space: str = ""
    suffix: str = ""
    value: object = None
    name: str = ""

    def is_constant(self):
        return self.kind in ("integer", "float")


class Declarations:
    """Holds the names that a module declares."""

    def __init__(self, text, isa):
        self.names, self.numbered = {}, {}
        self.special = {register["name"]: register for register in isa["specialRegisters"]}
        text = re.sub(r"//.*", "", text)
        for vector, word, list_of in re.findall(r"\.reg\s+(?:\.(v[24])\s+)?(\.\w+)\s+([^;]*);", text):
            for name, count in re.findall(r"([%\w$]+)(?:<(\d+)>)?", list_of):
                register = Written("register", word=word, components=int(vector[1:]) if vector else 0)
                if count:
                    self.numbered[name] = (int(count), register)
                else:
                    self.names[name] = register
        variable = r"(\.global|\.shared|\.const|\.local|\.param)\s+(?:\.align\s+\d+\s+)?(\.\w+)\s+([\w$%]+)(\s*\[)?"
        entry = re.search(r"\.entry\s+\w+\s*\(([^)]*)\)", text)
        for space, word, name, array in re.findall(variable, text):
            flags = {"opaque"} if word in OPAQUE.values() else {"array"} if array else set()
            if entry and re.search(rf"\b{re.escape(name)}\b", entry[1]):
                flags |= {"parameter"}
            self.names[name] = Written("variable", word=word, space=space, flags=flags)
        for name in re.findall(r"\.func\s*(?:\([^)]*\))?\s*(\w+)", text):
            self.names[name] = Written("function")
        for name in re.findall(r"^\s*(\w+):", text, re.M):
            self.names[name] = Written("label")
        for name in re.findall(r"(\w+):\s*\.(?:callprototype|branchtargets|calltargets)", text):
            self.names[name] = Written("prototype")

    def find(self, name):
        found = self.names.get(name)
        numbered = re.fullmatch(r"(.*?\D)(0|[1-9]\d*)", name)
        if not found and numbered and numbered[1] in self.numbered:
            count, register = self.numbered[numbered[1]]
            found = register if int(numbered[2]) < count else None
        if not found and name in self.special:
            register = self.special[name]
            found = Written("special", word=register["type"], components=register.get("components", 0))
        if not found:
            raise NotPtx(name)
        return Written(found.kind, [], set(found.flags), found.word, found.components, found.space, name=name)


class Operands:
    """Splits the text of the operands."""

    def __init__(self, text, declarations):
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            token = TOKEN.match(text, at)
            if not token:
                raise NotPtx(text[at:])
            self.tokens.append(token[1])
            at = token.end()
        self.at, self.declarations = 0, declarations

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected):
        token = self.peek()
        if not token or (expected and token not in expected):
            raise NotPtx(token)
        self.at += 1
        return token

    def all(self, end=""):
        parts = []
        while self.peek() != end:
            if parts:
                self.take(",")
            parts.append(self.one())
        if end:
            self.take(end)
        return parts

    def one(self):
        first = self.single()
        if self.peek() == "|":
            self.take()
            return Written("pair", [first, self.single()])
        return first

    def single(self):
        closing = {"[": ("]", "address"), "{": ("}", "vector"), "(": (")", "list")}
        if self.peek() in closing:
            end, kind = closing[self.take()]
            group = Written(kind, self.all(end))
            if self.peek().startswith("."):
                group.suffix = self.take()
            return group
        flags = set()
        while self.peek() in ("-", "!", "+"):
            flags.add({"-": "negated", "!": "not", "+": ""}[self.take()])
        token = self.take()
        if token[0].isdigit():
            written = self.number(token)
            if "negated" in flags and written.kind == "integer":
                written.value = -written.value
            flags.discard("negated")
        elif token == "_":
            written = Written("sink")
        else:
            written = self.name(token)
        written.flags |= flags - {""}
        return written

    def number(self, token):
        token = token.rstrip("U")
        if token[:2].lower() in ("0f", "0d"):
            single = token[1] in "fF"
            return Written("float", flags={"single"} if single else set(), value=(int(token[2:], 16), single))
        if "." in token or (token[:2].lower() not in ("0x", "0b") and "e" in token.lower()):
            return Written("float", value=(struct.unpack("<Q", struct.pack("<d", float(token)))[0], False))
        octal = len(token) > 1 and token.isdigit() and token[0] == "0"
        try:
            return Written("integer", value=int(token, 8) if octal else int(token, 0))
        except ValueError:
            raise NotPtx(token) from None

    def name(self, token):
        written = self.declarations.find(token)
        while self.peek().startswith("."):
            suffix = self.take()
            if written.components and suffix in (".x", ".y", ".z", ".w", ".r", ".g", ".b", ".a"):
                written.components = 0
                written.flags.add("component")
            else:
                written.suffix = suffix
        if self.peek() == "[":
            self.take()
            self.take()
            self.take("]")
            written.flags.add("subscript")
        elif self.peek() in ("+", "-"):
            while self.peek() not in (",", "]", "}", ")", "|", ""):
                if "." in self.take():
                    raise NotPtx(token)
            written.flags.add("offset")
        return written
