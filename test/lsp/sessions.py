#!/usr/bin/env python3
"""Edits like people, and compares the findings of `ptxray lsp --verify` after every edit with `ptxray check`.

    sessions.py PTXRAY ROOT [TYPED RANDOM]

TYPED is the number of typed edits: lines letter by letter, completed words, pasted blocks, several changes in one
message, and undone steps. RANDOM is the number of edits at random positions. The files are those of this repository,
with letters of other scripts, all encodings of columns, and all line ends. The server also checks each text from
scratch, and aborts on a difference."""

import pathlib
import random
import re
import sys

from client import LATEST, Client, Failure
from texts import as_expected, change_of, expected_of, is_within_line_end

URI = "file:///typed/a.ptx"
ENCODINGS = ("utf-16", "utf-8", "utf-32")
LINE_ENDS = ("\n", "\n", "\r\n", "\r")
STEPS_A_SESSION = 50
MOST_LETTERS = 6000
REMARKS = ("größer als 𝄞", "→ größe", "日本語", "😀 ok", "plain")
PIECES = ("", "é", "𝄞", "\n", "\r\n", "\r", "\t", "add.s32 %r1, %r1, 1;", "}", "{", "//", "/*", "*/", '"', "%r9", ";")


def sources(root):
    """Returns the texts of files, which are the same in each run."""
    paths = sorted([*(root / "test/module").rglob("*.ptx"), *(root / "docs/examples").rglob("*.ptx")])
    texts = [path.read_text(encoding="latin-1") for path in paths]
    texts += [path.read_text(encoding="latin-1")[:MOST_LETTERS] for path in sorted((root / "test/speed").glob("*.ptx"))]
    texts = [text for text in texts if 400 < len(text) <= MOST_LETTERS and ".version" in text]
    return texts + [joined(texts[first::11]) for first in range(30)]


def joined(texts):
    """Joins texts to one with many functions: the whole first text, and the others without their headers."""
    rest = [
        re.sub(r"^\s*\.(version|target|address_size)\b.*$|^.*ptxray:.*$", "", text, flags=re.M) for text in texts[1:5]
    ]
    return "\n".join([texts[0], *(rename(text, f"_{n}") for n, text in enumerate(rest))])


def rename(text, suffix):
    """Renames the names of the module."""
    names = re.findall(r"^\.[^\n(]*?([A-Za-z_]\w*)(?=\s*[\[(;=]|$)", text, re.M)
    return re.sub(r"(?<![.%\w])(" + "|".join(map(re.escape, {*names, "_"})) + r")(?!\w)", rf"\1{suffix}", text)


class Typist:
    """Yields steps: lists of edits `(begin, end, text)`, each for the text after the previous edit."""

    def __init__(self, seed, texts):
        self.random = random.Random(seed)
        self.other = self.random.choice(texts).split("\n")
        self.newline = self.random.choice(LINE_ENDS)
        lines = self.random.choice(texts).split("\n")
        for _ in range(3):
            lines.insert(self.random.randrange(len(lines) + 1), f"// {self.random.choice(REMARKS)}")
        self.text = self.newline.join(lines)
        self.done = []

    def apply(self, edits):
        undo = []
        for begin, end, new in edits:
            undo.insert(0, (begin, begin + len(new), self.text[begin:end]))
            self.text = self.text[:begin] + new + self.text[end:]
        self.done.append(undo)

    def steps(self):
        while True:
            action = self.random.choice(
                [self.type_line] * 4
                + [self.complete] * 2
                + [self.paste, self.undo, self.rename, self.comment, self.quote, self.delete, self.move, self.block]
            )
            yield from action()

    # ---- where

    def line_begin(self):
        begins = [0, *(match.end() for match in re.finditer(re.escape(self.newline), self.text))]
        return self.random.choice(begins)

    def line(self):
        begin = self.line_begin()
        end = self.text.find(self.newline, begin)
        return begin, len(self.text) if end < 0 else end

    # ---- what

    def typed(self, at, text):
        """Types letter by letter. The editor sometimes sends several letters at once."""
        while text:
            count = self.random.choice([1, 1, 1, 2, 3])
            yield [(at, at, text[:count])]
            at += count
            text = text[count:]

    def type_line(self):
        at = self.line_begin()
        line = self.random.choice(self.other)[:40]
        yield [(at, at, self.newline)]
        yield from self.typed(at, line)

    def complete(self):
        """Begins a word, and replaces it by the complete word."""
        words = [word for line in self.other for word in re.findall(r"[\w.%$]{4,}", line)]
        if not words:
            return
        word, at = self.random.choice(words), self.line_begin()
        begun = word[: self.random.randrange(1, len(word))]
        yield from self.typed(at, begun)
        yield [(at, at + len(begun), word)]

    def paste(self):
        first = self.random.randrange(len(self.other))
        at = self.line_begin()
        yield [(at, at, self.newline.join(self.other[first : first + 12]) + self.newline)]

    def undo(self):
        for _ in range(self.random.randrange(1, 4)):
            if self.done:
                yield self.done.pop()
                self.done.pop()  # removes the undo step itself

    def rename(self):
        """Changes every mention in one message, from the last to the first."""
        names = re.findall(r"%[a-z]+\d", self.text)
        if not names:
            return
        name = self.random.choice(names)
        places = [match.start() for match in re.finditer(re.escape(name) + r"\b", self.text)]
        yield [(at, at + len(name), "%ö" if self.random.random() < 0.2 else "%r7") for at in reversed(places)]

    def comment(self):
        begin, end = self.line()
        yield [(begin, begin, "// ")]
        yield from self.typed(end + 3, " " + self.random.choice(REMARKS))
        yield [(begin, begin + 3, "")]

    def quote(self):
        begin, end = self.line()
        opened, closed = self.random.choice([("/*", "*/"), ('"', '"'), ("(", ")"), ("[", "]")])
        yield [(begin, begin, opened)]
        yield [(end + len(opened), end + len(opened), closed)]

    def delete(self):
        begin, end = self.line()
        yield [(begin, min(end + len(self.newline), len(self.text)), "")]

    def move(self):
        """Removes text and inserts it at another position, in one message."""
        begin, end = self.line()
        end = min(end + len(self.newline), len(self.text))
        moved, rest = self.text[begin:end], self.text[:begin] + self.text[end:]
        at = rest.find(self.newline, begin)
        at = len(rest) if at < 0 else at + len(self.newline)
        yield [(begin, end, ""), (at, at, moved)]

    def block(self):
        begin, end = self.line()
        yield [(begin, begin, "{" + self.newline)]
        at = end + 1 + len(self.newline)
        yield [(at, at, self.newline + "}")]


class Scatterer(Typist):
    """Makes random edits at random positions."""

    def steps(self):
        while True:
            text, edits = self.text, []
            for _ in range(self.random.choice([1, 1, 4])):
                begin = self.random.randrange(len(text) + 1)
                end = min(len(text), begin + self.random.choice([0, 0, 1, 5, 40]))
                if is_within_line_end(text, begin) or is_within_line_end(text, end):
                    continue
                new = self.random.choice(PIECES)
                edits.append((begin, end, new))
                text = text[:begin] + new + text[end:]
            yield edits


def as_changes(text, edits, encoding):
    changes = []
    for begin, end, new in edits:
        changes.append(change_of(text, begin, end, new, encoding))
        text = text[:begin] + new + text[end:]
    return changes


def act(program, typist, encoding, count):
    client = Client(program, capabilities={**LATEST, "general": {"positionEncodings": [encoding]}}, words=["--verify"])
    client.open(URI, typist.text)
    steps = typist.steps()
    for number in range(count):
        edits = next(steps)
        before = typist.text
        client.change(URI, as_changes(before, edits, encoding))
        typist.apply(edits)
        given = as_expected(client.diagnostics(URI))
        wanted = expected_of(program, typist.text, encoding)
        if given != wanted[:1000]:
            raise Failure(
                f"edit {number} in {encoding}: {edits!r} of\n{before!r}\n"
                f"gone {[d for d in wanted if d not in given]}\nnew {[d for d in given if d not in wanted]}"
            )
    client.finish()


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    counts = [int(word) for word in sys.argv[3:5]] or [100, 50]
    texts = sources(root)
    made = []
    for kind, total in zip((Typist, Scatterer), counts, strict=True):
        for seed, begin in enumerate(range(0, total, STEPS_A_SESSION)):
            count = min(STEPS_A_SESSION, total - begin)
            try:
                act(program, kind(seed, texts), ENCODINGS[seed % 3], count)
            except Failure as problem:
                print(f"{kind.__name__} {seed}: {problem}")
                return 1
            made.append(count)
    print(f"{sum(made)} edits in {len(made)} sessions over {len(texts)} texts")
    return 0 if len(texts) > 50 else 1


if __name__ == "__main__":
    sys.exit(main())
