"""Tests that ptxray does its work in its own thread if no other can be started: threads.py PTXRAY."""

import json
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
program = sys.argv[1]
# Each new thread needs a stack of this size, for which there are not enough addresses. `ulimit -u` does not limit root.
STACK = 1 << 47


def refuse_threads():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, resource.RLIM_INFINITY))


def ran(*words, given="", without_threads=True):
    done = subprocess.run(
        [program, *map(str, words)],
        input=given,
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=refuse_threads if without_threads else None,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def framed(*messages):
    bodies = [json.dumps(message) for message in messages]
    return "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies)


START = "import threading; thread = threading.Thread(target=print); thread.start()"
refused = subprocess.run([sys.executable, "-c", START], preexec_fn=refuse_threads, capture_output=True, check=False)
assert refused.returncode, "threads start in spite of the limit, so that this test shows nothing"

files = sorted((ROOT / "test/emulate").glob("*.ptx"))
saxpy = ["run", "--emulate", "test/emulate/saxpy.ptx", "--block=8", "2.5", "iota:f32:12", "fill:f32:12:1", "12"]
many_cores = ["run", "--emulate", "--grid=4000", "--block=64", "--cores=4"]
initialise = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
shutdown = {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}
attach = {"type": "request", "seq": 1, "command": "initialize", "arguments": {}}
for words, given in (
    (["check", "--threads=4", *files], ""),
    ([*many_cores, "test/emulate/cores.ptx", "zeros:16000", "4000"], ""),
    ([*saxpy, "--grid=2", "--out=2=f32", "--schedules=3"], ""),
    (["lsp"], framed(initialise, shutdown, {"jsonrpc": "2.0", "method": "exit"})),
    (["dap"], framed(attach, {"type": "request", "seq": 2, "command": "disconnect"})),
):  # fmt: skip
    alone, helped = ran(*words, given=given), ran(*words, given=given, without_threads=False)
    assert alone == helped, (words, alone, helped)
    assert "terminate called" not in alone[2], alone
print("without threads the same is found and computed")
