#!/usr/bin/env python3
"""Measures the memory of `ptxray lsp` for a text of some megabytes: after it is opened, after 1,000 edits that restore
it, and after it is closed.

    memory.py PTXRAY"""

import pathlib
import sys
import time

from client import Client, Failure

URI = "file:///kernels/large.ptx"
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry kernel{number}(.param .u64 p) {{
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
{lines}    ret;
}}
"""
LINES = "    ld.global.u32 %r1, [%rd1+16];\n    add.s32 %r2, %r1, 7;\n    st.global.u32 [%rd1], %r2;\n" * 40


def own_memory(client):
    """Returns the private memory in megabytes, without the mapped program."""
    for line in pathlib.Path(f"/proc/{client.process.pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0


def settled(client):
    client.error("textDocument/hover", {})
    time.sleep(0.3)
    return own_memory(client)


def type_and_take_back(client, line):
    """Types a letter that makes an opcode wrong, and deletes it. The text is checked with and without it."""
    begin, end = {"line": line, "character": 5}, {"line": line, "character": 6}
    client.change(URI, [{"range": {"start": begin, "end": begin}, "text": "q"}])
    wrong = len(client.diagnostics(URI))
    client.change(URI, [{"range": {"start": begin, "end": end}, "text": ""}])
    if (wrong, len(client.diagnostics(URI))) != (1, 0):
        raise Failure("the letter is not what is wrong")


def main():
    text = HEADER + "".join(KERNEL.format(number=number, lines=LINES) for number in range(1000))
    size = len(text) / 1e6
    client = Client(sys.argv[1], timeout=120)
    client.open(URI, text)
    client.diagnostics(URI)
    opened = settled(client)
    client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})
    height = KERNEL.count("\n") - 1 + LINES.count("\n")  # lines in a kernel
    for number in range(500):
        type_and_take_back(client, HEADER.count("\n") + 4 + 2 * number * height)
    edited = settled(client)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    closed = settled(client)
    client.finish()
    print(f"{size:.1f} MB of text: {opened:.1f} MB, after 1,000 edits {edited:.1f}, closed {closed:.1f}")
    return 0 if opened < 30 + 2 * size and edited < opened + 0.5 and closed < 6 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as problem:
        print(problem)
        sys.exit(1)
