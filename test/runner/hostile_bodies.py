#!/usr/bin/env python3
"""Valid modules that no compiler makes (test/hostile.py), on a stack of 256 KB: every command must answer with an
ordinary exit status, in time proportional to the text.

    hostile_bodies.py PTXRAY [LIBRARY] [--only FAMILY...]

LIBRARY is the shared library: its C functions are called from a thread with such a stack."""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import hostile

STACK = 256 * 1024
LINES = 4_000  # number of lines in the smaller text; the larger one has twice as many
MOST_GROWTH = 2.8  # maximum growth of the time for twice the text
SLACK_SECONDS = 0.15  # shorter times are not measured
MOST_SECONDS = 60
TRIES = 3  # the shortest time counts, since other programs may run

FILE_COMMANDS = (
    ["check", "--jobs=1", "--no-config", "--pedantic", "--format=json"],
    ["graph", "--format=json"],
    ["hazards"],
    ["fmt"],
    ["targets"],
    ["dump", "--format=json"],
)
STATUSES = (0, 1)
# This code runs in a separate process whose threads have small stacks.
CALLER = f"""
import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1])
for name in ("new", "check", "free"):
    getattr(library, "ptxray_checker_" + name).restype = ctypes.c_void_p
library.ptxray_result_count.restype = ctypes.c_size_t
text = open(sys.argv[2], "rb").read()
def check():
    checker = ctypes.c_void_p(library.ptxray_checker_new())
    result = library.ptxray_checker_check(checker, text, ctypes.c_size_t(len(text)), None)
    print(library.ptxray_result_count(ctypes.c_void_p(result)))
    library.ptxray_result_free(ctypes.c_void_p(result))
    library.ptxray_checker_free(checker)
threading.stack_size({STACK})
thread = threading.Thread(target=check)
thread.start()
thread.join()
"""


def dialogue(text):
    """Returns an editor's requests for a document: it is opened, queried in its middle, changed there, and closed."""
    uri = "file:///hostile.ptx"
    document, line = {"uri": uri}, text.count("\n") // 2
    place = {"line": line, "character": 2}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": line, "character": 0}}
    at = {"textDocument": document, "position": place}
    insertion = {"range": {"start": place, "end": place}, "text": " "}
    opened = {"textDocument": {**document, "languageId": "ptx", "version": 1, "text": text}}
    changed = {"textDocument": {**document, "version": 2}, "contentChanges": [insertion]}
    messages = [
        ("initialize", {"capabilities": {}}, True),
        ("initialized", {}, False),
        ("textDocument/didOpen", opened, False),
        ("textDocument/hover", at, True),
        ("textDocument/completion", at, True),
        ("textDocument/references", {**at, "context": {"includeDeclaration": True}}, True),
        ("textDocument/semanticTokens/full", {"textDocument": document}, True),
        ("textDocument/inlayHint", {"textDocument": document, "range": whole}, True),
        ("textDocument/documentSymbol", {"textDocument": document}, True),
        ("textDocument/foldingRange", {"textDocument": document}, True),
        ("textDocument/formatting", {"textDocument": document, "options": {"tabSize": 2, "insertSpaces": True}}, True),
        ("textDocument/didChange", changed, False),
        ("textDocument/diagnostic", {"textDocument": document}, True),
        ("shutdown", None, True),
        ("exit", None, False),
    ]
    stream = b""
    for number, (method, params, is_request) in enumerate(messages):
        body = {"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})}
        data = json.dumps({**body, "id": number} if is_request else body).encode()
        stream += b"Content-Length: %d\r\n\r\n%s" % (len(data), data)
    return stream


def with_small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, input_file):
    """Returns the exit status (negative: a signal), and the CPU time in seconds."""
    with open(input_file, "rb") if input_file else open(os.devnull, "rb") as source:
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=with_small_stack,  # noqa: PLW1509 - there are no threads here
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def texts(family):
    """Returns a text of about LINES lines, and one of about twice as many."""
    per_turn = (family(400).count("\n") - family(200).count("\n")) / 200
    n = max(1, int(LINES / per_turn))
    return [family(n), family(2 * n)]


def commands(options, folder):
    """Yields the name, the command for a file, and whether the file is its standard input."""
    for words in FILE_COMMANDS:
        yield words[0], lambda path, words=words: [options.ptxray, *words, path], False
    yield "lsp", lambda path: [options.ptxray, "lsp"], True
    if options.library:
        yield "library", lambda path: [sys.executable, "-c", CALLER, options.library, path], False


def faults(options, folder, family, sizes):
    paths = []
    for size, text in zip(("small", "large"), sizes):
        paths.append(folder / f"{family}-{size}.ptx")
        paths[-1].write_text(text)
        paths[-1].with_suffix(".lsp").write_bytes(dialogue(text))
    for name, command, is_input in commands(options, folder):
        for _ in range(TRIES):
            seconds = []
            for path in paths:
                status, used = run(command(path), path.with_suffix(".lsp") if is_input else None)
                seconds.append(used)
                if status not in STATUSES:
                    yield f"{name}: status {status} for {path.name}"
                    break
            if len(seconds) < 2 or status not in STATUSES or seconds[1] <= MOST_GROWTH * seconds[0] + SLACK_SECONDS:
                break
        else:
            yield f"{name}: {seconds[0] * 1e3:.0f} ms, {seconds[1] * 1e3:.0f} ms for twice the text"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptxray")
    parser.add_argument("library", nargs="?")
    parser.add_argument("--only", nargs="+", default=list(hostile.FAMILIES))
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        for family in options.only:
            sizes = texts(hostile.FAMILIES[family])
            found = list(faults(options, pathlib.Path(name), family, sizes))
            print(f"{family:22} {sizes[1].count(chr(10)):6} lines  " + ("; ".join(found) or "ok"), flush=True)
            failed |= bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
