#!/usr/bin/env python3
"""Tests that statements of messages about an instruction are true: no line of test/isa and test/samples that ptxray
accepts may contradict a message about another line.

    claims.py PTXRAY SOURCE-FOLDER
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = re.compile(r"\s*(?:@!?[\w%$]+\s+)?([a-z][\w.:]*)")
WORD = re.compile(r"\.[\w:]+")
QUOTED = re.compile(r"`([^`]*)`")


def modules(source):
    """Yields (text, opcode by line number) of each section."""
    sys.path.insert(0, str(source / "test"))
    import sections

    for path in sorted([*source.glob("test/isa/*/*.ptx"), *source.glob("test/samples/*.lines")]):
        for ptx, targets, lines in sections.sections(path):
            before, after = sections.prelude(ptx, targets)
            header = [f".version {ptx // 100}.{ptx % 100}", f".target {', '.join(targets)}", ".address_size 64"]
            opcodes, text = {}, header + before
            for _, line in lines:
                text.append(line)
                if found := HEAD.match(line):
                    opcodes[len(text)] = found[1]
            yield (ptx, tuple(targets)), "\n".join(text + after) + "\n", opcodes


def holds(opcode, words):
    """Returns whether the opcode contains the words in this order."""
    own = iter(WORD.findall(opcode))
    return all(word in own for word in words)


def claims(message):
    """Yields (words, others): an instruction with the words has one of the others. Without others, there is no such
    instruction."""
    if found := re.match(r"`(\.[^`]*)` (?:does not fit|is not a qualifier of) `([^`]*)`", message):
        yield [found[1]], []
    elif found := re.match(r"`(\.[^`]*)` is not allowed with ((?:`\.[^`]*`(?: with )?)+)", message):
        others = [word for part in QUOTED.findall(found[2]) for word in WORD.findall(part)]
        yield [found[1], *others], []
        yield [*others, found[1]], []
    elif found := re.match(r"((?:`[^`]*`(?: with )?)+) requires ((?:`\.[^`]*`[, or]*)+)$", message):
        subject = [word for part in QUOTED.findall(found[1]) if part.startswith(".") for word in WORD.findall(part)]
        if subject:
            yield subject, QUOTED.findall(found[2])


def main():
    ptxray, source = sys.argv[1], pathlib.Path(sys.argv[2])
    names = json.loads(subprocess.run([ptxray, "isa", "--format=json"], capture_output=True, check=True).stdout)
    mnemonics = set(names["mnemonics"])

    def mnemonic(opcode):
        parts = opcode.split(".")
        return next((n for i in range(len(parts), 0, -1) if (n := ".".join(parts[:i])) in mnemonics), "")

    accepted, stated = collections.defaultdict(set), collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        texts = {}
        for i, (_, text, opcodes) in enumerate(modules(source)):
            path = pathlib.Path(folder, f"{i}.ptx")
            path.write_text(text)
            texts[str(path)] = opcodes
        done = subprocess.run([ptxray, "check", "--no-config", "--format=json", folder], capture_output=True, text=True)
        for file in json.loads(done.stdout)["files"]:
            opcodes = dict(texts[file["path"]])
            for found in file["diagnostics"]:
                line = found["range"]["start"]["line"]
                if found["rule"] == "ignored-qualifier":  # the message makes no such statement
                    opcodes.pop(line, None)
                if found["severity"] != "error" or line not in texts[file["path"]]:
                    continue
                opcode = texts[file["path"]][line]
                opcodes.pop(line, None)
                for words, others in claims(found["message"]):
                    stated[mnemonic(opcode)].add((tuple(words), tuple(others), found["message"], opcode))
            for opcode in opcodes.values():
                accepted[mnemonic(opcode)].add(opcode)

    count, wrong = 0, []
    for name, ones in stated.items():
        for words, others, message, opcode in sorted(ones):
            count += 1
            against = [
                other
                for other in accepted[name]
                if holds(other, words) and not any(word in WORD.findall(other) for word in others)
            ]
            if against:
                wrong.append(f"{opcode}: {message}\n    but {min(against, key=len)} is right")
    print("\n".join(wrong))
    print(f"{count} statements, {len(wrong)} false")
    return bool(wrong) or count < 300


if __name__ == "__main__":
    sys.exit(main())
