#!/usr/bin/env python3
"""Steps through kernels: movements.py PTXRAY REPOSITORY [COUNT]

Each kernel must leave the same memory when the debugger executes it to its end as with `ptxray run --emulate`. Some
steps forwards and as many back must lead to the same state, and repeating them must as well."""

import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

from client import Client

FIRST_BUFFER = 0x700000000000  # address of the first buffer


def generated(ptxray, folder, count):
    """Returns programs of `ptxray generate`, which contain their launch arguments."""
    for seed in range(1, count + 1):
        text = subprocess.run([ptxray, "generate", f"--seed={seed}"], capture_output=True, text=True, check=True).stdout
        path = folder / f"generated{seed}.ptx"
        path.write_text(text)
        yield path, shlex.split(re.search(r"^// run: (.*)$", text, re.M)[1])


def written(repository):
    """Returns the kernels of test/emulate that end without a fault, with the arguments of their first run."""
    for path in sorted((repository / "test" / "emulate").glob("*.ptx")):
        run = re.search(r"^// run: (.*)$((?:\n// (?!run).*)*)", path.read_text(), re.M)
        words = [
            word
            for word in shlex.split(run[1])
            if not re.match("--(out|repeat|fresh|format|schedules|cores|fidelity)", word)
        ]
        if "// status" not in run[2] and not any(word.startswith(("--trace", "--time-limit")) for word in words):
            yield path, words


def state(client, thread):
    registers = [(one["name"], one["value"]) for one in client.variables("Registers")]
    return client.top(thread)["line"], registers, client.variables("Thread"), client.variables("Barriers")


def check(ptxray, path, words, folder):
    left = folder / "left.bin"
    values = [word for word in words if not word.startswith("-")]
    buffers = [i for i, word in enumerate(values) if re.match("zeros|iota|random|fill|edges", word)]
    if not buffers or "--buffer" in words:
        return 0
    subprocess.run(
        [ptxray, "run", "--emulate", path, "--out", f"{buffers[0]}=file:{left}", *words],
        check=True,
        capture_output=True,
    )
    wanted = left.read_bytes()
    client = Client(ptxray)
    client.launch(path, *words)
    thread = client.wait("stopped")["threadId"]
    pick = random.Random(path.name)
    states = [state(client, thread)]
    steps = pick.randrange(5, 15)
    for _ in range(steps):
        if client.move("stepIn", thread) is None:  # after the end, the first step back leads to it
            states.append(None)
            break
        states.append(state(client, thread))
    for expected in reversed(states[:-1]):
        client.move("stepBack", thread)
        assert state(client, thread) == expected, f"{path}: another state after a step back"
    for expected in states[1:]:
        there = state(client, thread) if client.move("stepIn", thread) else None
        assert there == expected, f"{path}: another state after a step again"
    assert states[-1] is None or client.move("continue", thread) is None, f"{path} does not end"
    piece = 1 << 20  # one request reads at most this number of bytes
    found = b"".join(client.memory(hex(FIRST_BUFFER + at), piece) for at in range(0, len(wanted), piece))[: len(wanted)]
    assert found == wanted, f"{path}: other memory at the end"
    assert client.close() == 0
    client.end()
    return 2 * (len(states) - 1)


def main():
    ptxray, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 35
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kernels = [*written(repository), *generated(ptxray, folder, count)]
        steps = [check(ptxray, path, words, folder) for path, words in kernels]
    kernels = sum(count != 0 for count in steps)
    assert kernels >= count + 15, f"only {kernels} kernels"
    print(f"{kernels} kernels, {sum(steps)} steps")


if __name__ == "__main__":
    main()
