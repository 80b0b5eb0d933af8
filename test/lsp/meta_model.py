#!/usr/bin/env python3
"""Compares each message of `ptxray lsp` with the types of the protocol in Microsoft's package lsprotocol.

    meta_model.py PTXRAY ROOT

Exit status 77: PyPI is not available."""

import os
import pathlib
import sys

from client import LATEST, Client, Failure

try:
    from lsprotocol import converters, types
except ImportError:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
    from common import python_with

    python = python_with("lsprotocol==2025.0.0")
    os.execv(python, [python, *sys.argv])

CONVERTER = converters.get_converter()
URI = "file:///kernels/a.ptx"
FEWEST = 60


def requests(text, place, whole):
    document = {"textDocument": {"uri": URI}}
    at = {**document, "position": place}
    yield from ((f"textDocument/{method}", at) for method in ("hover", "completion", "signatureHelp", "definition"))
    yield from ((f"textDocument/{method}", at) for method in ("declaration", "documentHighlight", "prepareRename"))
    yield "textDocument/references", {**at, "context": {"includeDeclaration": True}}
    yield "textDocument/rename", {**at, "newName": "%renamed"}
    for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "diagnostic"):
        yield f"textDocument/{method}", document
    yield "textDocument/selectionRange", {**document, "positions": [place]}
    options = {"tabSize": 4, "insertSpaces": True}
    yield "textDocument/formatting", {**document, "options": options}
    for method in ("rangeFormatting", "semanticTokens/range", "inlayHint"):
        yield f"textDocument/{method}", {**document, "range": whole, "options": options}
    for only in (None, ["quickfix"], ["source.fixAll"]):
        context = {"diagnostics": []} | ({"only": only} if only else {})
        yield "textDocument/codeAction", {**document, "range": whole, "context": context}


def lacks(given, wanted, path="result"):
    """Returns the members that only the reply or only its type has."""
    if isinstance(given, dict) and isinstance(wanted, dict):
        for key, value in given.items():
            if key not in wanted:
                yield f"{path}.{key} is not of the protocol"
            else:
                yield from lacks(value, wanted[key], f"{path}.{key}")
    elif isinstance(given, list) and isinstance(wanted, list) and len(given) == len(wanted):
        for number, (one, other) in enumerate(zip(given, wanted, strict=True)):
            yield from lacks(one, other, f"{path}[{number}]")
    elif given != wanted:
        yield f"{path}: {given!r} is read as {wanted!r}"


def problems_of(kind, message, key):
    try:
        read = CONVERTER.unstructure(CONVERTER.structure(message, kind))
    except Exception as problem:  # cattrs raises many kinds of exceptions
        return [f"{kind.__name__}: {problem!r}: {str(message)[:300]}"]
    return [f"{kind.__name__}: {problem}" for problem in lacks(message[key], read[key], key)]


def check(program, text, capabilities):
    client = Client(program, capabilities=capabilities, start=False)
    initialize = {"processId": None, "rootUri": None, "capabilities": capabilities}
    answers = [("initialize", client.wait(client.start_request("initialize", initialize)))]
    client.notify("initialized", {})
    client.open(URI, text)
    lines = text.split("\n")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for line in range(0, len(lines), max(1, len(lines) // 12)):
        place = {"line": line, "character": len(lines[line]) * 2 // 3}
        for method, params in requests(text, place, whole):
            answers.append((method, client.wait(client.start_request(method, params))))
    answers.append(("shutdown", client.wait(client.start_request("shutdown", None))))
    client.notify("exit", None)
    client.wait_for_end(0)
    problems, count = [], 0
    for method, answer in answers:
        if "result" in answer:
            count += 1
            problems += problems_of(types.METHOD_TO_TYPES[method][1], answer, "result")
    for message in client.notifications:
        count += 1
        problems += problems_of(types.METHOD_TO_TYPES[message["method"]][0], message, "params")
    return problems, count


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    found, total = [], 0
    for path in (root / "docs/examples/mistakes.ptx", root / "test/module/functions/calls.ptx"):
        for capabilities in (LATEST, {}):
            problems, count = check(program, path.read_text(), capabilities)
            found += [f"{path.name}: {problem}" for problem in problems]
            total += count
    for problem in sorted(set(found))[:40]:
        print(problem)
    print(f"{total} messages")
    return 1 if found or total < FEWEST else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as problem:
        print(problem)
        sys.exit(1)
