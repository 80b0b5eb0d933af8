#!/usr/bin/env python3
"""Sends mutated requests to `ptxray check --batch` and `ptxray dap`: processes.py PTXRAY [--seconds N] [--seed N]

libFuzzer cannot drive these readers, which read standard input. Each process must end by itself with a status of
ptxray. Requests that end it otherwise are written to `faults/` next to the program."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

SANITIZER = 99  # exit status of a process in which a sanitizer finds a fault
TEXT = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n%s\n  ret;\n}\n"
BODY = """  .reg .b64 %d<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d2, %d2, %d1;
  st.global.u32 [%d2], %r1;"""
BATCH = [
    {"id": 1, "name": "a.ptx", "text": TEXT % BODY},
    {"id": "x", "name": "b.cu", "text": '__global__ void f() { asm("mov.u32 %0, 1;" :: "r"(1)); }'},
    {"text": "ld.global", "constraints": "=r,r", "target": "sm_90a", "off": "hazards", "pedantic": "yes"},
    {"text": "tl.inline_asm('add.s32 $0, $1, $1;')", "language": "python", "ptx": "8.0"},
]


def requests_of_debugger(program):
    launch = {"program": str(program), "arguments": ["zeros:u32:64"], "block": "32", "stopOnEntry": True}
    source = {"path": str(program)}
    return [
        ("initialize", {"adapterID": "ptxray", "linesStartAt1": True}),
        ("launch", launch),
        ("setBreakpoints", {"source": source, "breakpoints": [{"line": 9, "condition": "%r1 == 3"}, {"line": -1}]}),
        ("setDataBreakpoints", {"breakpoints": [{"dataId": "0x700000000000", "accessType": "write"}]}),
        ("configurationDone", {}),
        ("threads", {}),
        ("stackTrace", {"threadId": 1, "levels": 20}),
        ("scopes", {"frameId": 0}),
        ("variables", {"variablesReference": 1, "start": 0, "count": 100}),
        ("evaluate", {"expression": "%r1 + [0x700000000000]", "frameId": 0}),
        ("readMemory", {"memoryReference": "0x700000000000", "offset": 0, "count": 64}),
        ("disassemble", {"memoryReference": "0", "instructionCount": 5}),
        ("next", {"threadId": 1}),
        ("stepBack", {"threadId": 1}),
        ("continue", {"threadId": 1}),
        ("reverseContinue", {"threadId": 1}),
        ("restart", {}),
        ("disconnect", {}),
    ]


def odd(some):
    """Returns a value that a client should not send."""
    numbers = [-1, 0, 1 << 31, 1 << 63, -(1 << 63), 1e308]
    texts = ["", "x" * 3000, "\0", "%r1", "0x7fffffffffff"]
    return some.choice([*numbers, *texts, None, True, [], {}, [[[[[]]]]], {"a": {"b": []}}])


def mutated(value, some):
    """Returns the value, in which some parts are odd, missing or duplicated."""
    if some.random() < 0.04:
        return odd(some)
    if isinstance(value, dict):
        return {key: mutated(one, some) for key, one in value.items() if some.random() > 0.02}
    if isinstance(value, list):
        return [mutated(one, some) for one in value for _ in range(some.choice([1] * 20 + [0, 2]))]
    if isinstance(value, str) and some.random() < 0.1:
        at = some.randrange(len(value) + 1)
        piece = some.choice(["", "\n", "{", "%", "[", ";", "€", value[:at]])
        return value[:at] + piece + value[at + some.randrange(3) :]
    return value


def batch(some, _):
    lines = [json.dumps(mutated(some.choice(BATCH), some)) for _ in range(some.randrange(1, 8))]
    if some.random() < 0.3:
        lines[some.randrange(len(lines))] = lines[0][: some.randrange(len(lines[0]) + 1)]
    return ["check", "--no-config", "--batch"], ("\n".join(lines) + "\n").encode()


def debugger(some, program):
    asked = requests_of_debugger(program)
    chosen = [*asked[:5], *(some.choice(asked[2:]) for _ in range(some.randrange(20))), asked[-1]]
    stream = b""
    for number, (command, arguments) in enumerate(chosen):
        message = {"seq": number + 1, "type": "request", "command": command, "arguments": mutated(arguments, some)}
        body = json.dumps(message if some.random() < 0.9 else mutated(message, some)).encode()
        length = len(body) if some.random() < 0.99 else some.randrange(2 * len(body))
        stream += b"Content-Length: %d\r\n\r\n%s" % (length, body)
    return ["dap"], stream


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptxray", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    options = parser.parse_args()
    seed = options.seed or time.time_ns()
    some = random.Random(seed)
    environment = {**os.environ, "ASAN_OPTIONS": f"exitcode={SANITIZER}:detect_leaks=0"}
    faults, tried, end = 0, 0, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "k.ptx"
        program.write_text(TEXT % BODY)
        while time.monotonic() < end:
            words, sent = some.choice([batch, debugger])(some, program)
            tried += 1
            try:
                command = [options.ptxray, *words]
                done = subprocess.run(command, input=sent, capture_output=True, timeout=60, env=environment)
                status, said = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                status, said = "none after 60 s", b""
            if status in range(8):
                continue
            faults += 1
            place = options.ptxray.resolve().parent / "faults"
            place.mkdir(exist_ok=True)
            (place / f"{words[0]}-{seed}-{tried}").write_bytes(sent)
            print(f"{' '.join(words)}: status {status}: {said[-500:].decode(errors='replace')}", flush=True)
    print(f"{tried} dialogues, {faults} faults")
    return 1 if faults or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
