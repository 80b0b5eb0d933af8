#!/usr/bin/env python3
"""Sends all requests to `ptxray lsp` in damaged files of this folder, mostly at the damage. The server must answer each
request and keep running.

    damaged.py PTXRAY ROOT TEXTS [SEED]

The damage resembles half-typed lines: words are missing, and pieces of others are inserted."""

import pathlib
import random
import sys

from client import Client, Failure

URI = "file:///damaged.ptx"
LARGEST = 30_000
REQUESTS = 25  # number of requests per text
SIGNS = '; { } [ ] ( ) < @ | , - \n \r é " /* //'
WORDS = "ret %r1 %tid @%p1 .reg .b32 .entry .func membar call 0f3F80 tcgen05.mma ld.shared"
PIECES = (*SIGNS.split(" "), *WORDS.split(" "), "bra L", ".loc 1 2 3")
ASKED = """hover completion signatureHelp definition references documentHighlight prepareRename rename codeAction
    selectionRange formatting rangeFormatting foldingRange documentSymbol semanticTokens/full semanticTokens/range
    inlayHint"""
METHODS = ASKED.split()


def damaged(text, chance):
    """Returns the text, and the line of the last damage."""
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(text))
        end = at + chance.randint(1, 9)
        text = text[:at] + (text[end:] if chance.random() < 0.5 else chance.choice(PIECES) + text[at:])
    return text, text.count("\n", 0, at)


def ask(client, text, line, chance):
    if chance.random() < 0.3:
        line = chance.randint(0, text.count("\n") + text.count("\r") + 1)
    place = {"line": line, "character": chance.randint(0, 40)}
    end = {"line": place["line"] + chance.randint(0, 30), "character": 5}
    params = {
        "textDocument": {"uri": URI},
        "position": place,
        "positions": [place],
        "range": {"start": place, "end": end},
        "newName": chance.choice(("%x", "L9", "foo")),
        "context": {"includeDeclaration": True, "diagnostics": []},
    }
    method = chance.choice(METHODS)
    return f"{method} at {place}", client.start_request(f"textDocument/{method}", params)


def main():
    program, root, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    files = [path for path in sorted((root / "test").rglob("*.ptx")) if path.stat().st_size < LARGEST]
    client = Client(program)
    for number in range(count):
        chance = random.Random(seed * 1_000_000 + number)
        path = chance.choice(files)
        text, line = damaged(path.read_bytes().decode("utf-8", "replace"), chance)
        client.open(URI, text)
        asked = [ask(client, text, line, chance) for _ in range(REQUESTS)]
        for what, id in asked:
            try:
                client.wait(id)
            except Failure as problem:
                print(f"{path.relative_to(root)}, text {number} of seed {seed}: {what}: {problem}\n{text}")
                return 1
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.finish()
    print(f"{count} texts, {count * REQUESTS} requests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
