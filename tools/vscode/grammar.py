#!/usr/bin/env python3
"""Makes syntaxes/ptx.tmLanguage.json, the colours of PTX, from ptxray's data: grammar.py PTXRAY [--check]

Opcodes, qualifiers, types, special registers and targets come from `ptxray isa --format=json`, directives from
grammar/PtxLexer.g4. With --check the file is compared and not written."""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LEXER = HERE.parent.parent / "grammar" / "PtxLexer.g4"
OUTPUT = HERE / "syntaxes" / "ptx.tmLanguage.json"

NAME = r"[%$_A-Za-z][\w$]*"
LINKAGE = {".extern", ".visible", ".weak", ".common"}
END_OF_WORD = r"(?![\w$])"


def pattern(words):
    """Returns a regular expression of exactly these words. Its alternatives share their beginnings and ends."""
    tree = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return expression(tree)


def expression(node):
    by_rest = {}  # from the rest to the letters before it
    for letter, rest in sorted(node.items()):
        if letter:
            by_rest.setdefault(expression(rest), []).append(letter)
    parts = [letters_pattern(letters) + rest for rest, letters in by_rest.items()]
    if not parts:
        return ""
    if len(parts) == 1 and "" not in node:
        return parts[0]
    return "(?:" + "|".join(parts) + ")" + ("?" if "" in node else "")


def letters_pattern(letters):
    if len(letters) == 1:
        return re.escape(letters[0])
    runs, text = "".join(letters), ""
    while runs:
        count = 1
        while count < len(runs) and ord(runs[count]) == ord(runs[0]) + count:
            count += 1
        text += f"{runs[0]}-{runs[count - 1]}" if count > 2 else runs[:count].replace("-", r"\-")
        runs = runs[count:]
    return f"[{text}]"


def words_of(isa):
    """Returns dotted words by class. A word of several classes belongs to the first."""
    kinds = {"type": [], "space": [], "qualifier": []}
    for word, what in isa["words"].items():
        kinds[what["class"] if what["class"] in kinds else "qualifier"].append(word)
    return kinds


def grammar(isa, directives):
    kinds = words_of(isa)
    spaces = sorted({*kinds["space"], ".reg", ".tex", ".const", ".param"})
    types = sorted(kinds["type"])
    others = sorted({*directives} - {*spaces} - LINKAGE)
    opcodes = sorted({name.split(".")[0] for name in isa["mnemonics"]})
    special = sorted(register["name"][1:] for register in isa["specialRegisters"])
    targets = sorted(target["name"] for target in isa["targets"])

    def match(scope, regex):
        return {"name": f"{scope}.ptx", "match": regex}

    def captures(*scopes):
        return {str(i + 1): {"name": f"{scope}.ptx"} for i, scope in enumerate(scopes) if scope}

    bank = r"(?:\[\d+\])?"
    dotted = [
        match("storage.type", pattern(types) + END_OF_WORD),
        match("storage.modifier.space", pattern(spaces) + bank + r"(?![\w$]|::)"),
        match("storage.modifier.linkage", pattern(sorted(LINKAGE)) + END_OF_WORD),
        match("keyword.control.directive", pattern(others) + END_OF_WORD),
        match("keyword.control.directive", r"\.debug_\w+"),
        match("entity.other.attribute-name.component", rf"\.[xyzwrgba]{END_OF_WORD}"),
        match("entity.other.attribute-name.qualifier", pattern(kinds["qualifier"]) + END_OF_WORD),
        match("entity.other.attribute-name.qualifier", pattern(w for w in spaces if "::" in w) + END_OF_WORD),
    ]
    repository = {
        "comment": {
            "patterns": [
                match("comment.line.double-slash", "//.*$"),
                {"name": "comment.block.ptx", "begin": r"/\*", "end": r"\*/"},
                match("meta.preprocessor.line", r'^\s*#\s*(?:line\s*)?\d+\s*"[^"]*"[\d\s]*'),
            ]
        },
        "string": {"patterns": [{"name": "string.quoted.double.ptx", "begin": '"', "end": '"'}]},
        "dotted": {"patterns": dotted},
        "number": {
            "patterns": [
                match("constant.numeric.float.hex", r"\b0[fF][0-9a-fA-F]{8}\b|\b0[dD][0-9a-fA-F]{16}\b"),
                match("constant.numeric.float", r"(?<![\w$.])\d*\.\d+(?:[eE][+-]?\d+)?\b|\b\d+(?:\.|[eE][+-]?\d+)"),
                match("constant.numeric.integer", r"\b(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?\b"),
                match("constant.language", r"\bWARP_SZ\b"),
            ]
        },
        "register": {
            "patterns": [
                match("variable.language.register", f"%{pattern(special)}{END_OF_WORD}"),
                match("variable.other.register", r"%[\w$]+"),
            ]
        },
        "name": {"patterns": [match("variable.other", rf"(?<![\w$.%]){NAME}")]},
        "punctuation": {
            "patterns": [
                match("keyword.operator", r"[-+*/^~?<>=!|&@]"),
                match("punctuation.separator", "[,:]"),
                match("punctuation.terminator", ";"),
            ]
        },
        "target": {
            "begin": r"\.target(?![\w$])",
            "beginCaptures": {"0": {"name": "keyword.control.directive.ptx"}},
            "end": r"$",
            "patterns": [
                {"include": "#comment"},
                match("constant.language.target", rf"\b{pattern(targets)}{END_OF_WORD}"),
                {"include": "#name"},
                match("punctuation.separator", ","),
            ],
        },
        "function": {
            "match": rf"(\.(?:entry|func|callprototype))(?![\w$])\s*(?=\(?)({NAME})?",
            "captures": captures("keyword.control.directive", "entity.name.function"),
        },
        "functionName": {
            "match": rf"(?<=\))\s*({NAME})\s*(?=\(|$|;)",
            "captures": captures("entity.name.function"),
        },
        "label": {
            "match": rf"(?:^|(?<=[;{{}}]))\s*({NAME})\s*(:)(?!:)",
            "captures": captures("entity.name.label", "punctuation.separator"),
        },
        "declared": {
            "match": rf"({pattern(types)})\s+({NAME})",
            "captures": {
                "1": {"name": "storage.type.ptx"},
                "2": {"patterns": [{"include": "#register"}, {"include": "#name"}]},
            },
        },
        "instruction": {
            "begin": rf"(?<![\w$.%])({pattern(opcodes)})(?=[.;]|\s|$)(?!\s*:)",
            "beginCaptures": captures("keyword.mnemonic"),
            "end": "(?=;)",
            "patterns": [{"include": "#operands"}],
        },
        "operands": {
            "patterns": [
                {"include": f"#{rule}"}
                for rule in ("comment", "string", "dotted", "number", "register", "name", "punctuation")
            ]
        },
    }
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "information_for_contributors": ["tools/vscode/grammar.py makes this file of what ptxray knows"],
        "name": "PTX",
        "scopeName": "source.ptx",
        "fileTypes": ["ptx"],
        "patterns": [
            {"include": f"#{rule}"}
            for rule in (
                "comment",
                "target",
                "function",
                "functionName",
                "label",
                "declared",
                "instruction",
                "operands",
            )
        ],
        "repository": repository,
    }


def main():
    tool = sys.argv[1]
    isa = json.loads(subprocess.check_output([tool, "isa", "--format=json"]))
    directives = set(re.findall(r"'(\.[a-z_]+)'", LEXER.read_text()))
    text = json.dumps(grammar(isa, directives), indent=2) + "\n"
    if "--check" not in sys.argv:
        OUTPUT.write_text(text)
    elif OUTPUT.read_text() != text:
        print(f"{OUTPUT} is not what the tables say now: `tools/vscode/grammar.py PTXRAY` makes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
