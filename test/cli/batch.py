"""Tests `ptxray check --batch`: batch.py PTXRAY ROOT. Answers are lines in the order of the requests, and each
arrives at once. They equal those of `check`. A bad line gets an answer, and memory does not grow."""

import contextlib
import json
import pathlib
import random
import resource
import subprocess
import sys

ptxray, root = sys.argv[1], pathlib.Path(sys.argv[2])
GOOD = ".version 8.0\n.target sm_80\n.visible .entry k()\n{\n\t.reg .b32 %r<4>;\n\tmov.b32 %r0, %r1;\n\tret;\n}\n"


def start(*options):
    command = [ptxray, "check", "--batch", "--no-config", *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def answers(requests, *options):
    """Returns the answers to lines, which are bytes or requests."""
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in requests]
    process = start(*options)
    output, _ = process.communicate(b"\n".join(lines))
    assert process.returncode == 0, process.returncode
    return [json.loads(line) for line in output.splitlines()]


def equals(found, wanted):
    assert found == wanted, f"{found} instead of {wanted}"


def bad_lines():
    bad = {
        b"{": "this is not JSON",
        b"\xff": "this is not JSON",
        b'{"text": "\xff"}': "this is not JSON",
        b"[" * 100_000: "this is not JSON",
        b"[]": "a JSON object is expected",
        b"{}": "there is no `text`",
        b'{"text": 1}': "`text` is not a string",
        b'{"text": "", "target": "sm_1"}': "unknown target `sm_1`; did you mean `sm_10`?",
        b'{"text": "", "language": "cobol"}': "unknown language `cobol`",
        b'{"text": "", "taget": "sm_90"}': "unknown option `taget`; did you mean `target`?",
        b'{"text": "", "id": [1]}': "`id` is not a string or a number",
    }
    found = answers([line for one in bad for line in (one, {"name": "good", "text": GOOD, "id": 7})])
    equals([answer["problem"] for answer in found[::2]], list(bad.values()))
    equals(found[2]["path"], "<line 3>")
    good = {"path": "good", "ptx": "8.0", "target": "sm_80", "diagnostics": [], "id": 7}
    assert all(answer == good for answer in found[1::2]), found[1]
    equals(answers([b"", b" ", {"text": GOOD}, b""])[0]["path"], "<line 3>")
    equals(answers([]), [])


def options():
    stray = GOOD.replace("%r1;", "%x;")
    cuda = '__device__ void f(int &a) { asm("add.s33 %0, %0, 1;" : "+r"(a)); }'
    requests = [
        {"text": GOOD, "target": "sm_90a", "ptx": None},
        {"text": stray, "off": "undefined-symbol"},
        {"text": stray},
        {"text": cuda, "language": "cuda"},
        {"text": cuda, "name": "k.cu"},
        {"text": "ld.global.u32 $0, [$2];", "constraints": "=r,l", "target": "sm_90a"},
    ]
    found = answers(requests, "--warning=undefined-symbol")
    equals(found[0]["target"], "sm_90a")
    rules = [[f"{d['severity']} {d['rule']}" for d in answer["diagnostics"]] for answer in found]
    wrong = ["error unknown-qualifier"]
    equals(rules, [[], [], ["warning undefined-symbol"], wrong, wrong, ["error inline-operand-index"]])


def as_check():
    """Compares the answers for the test files, in any order, with one call of `check` for all of them."""
    files = [path for path in sorted(root.glob("test/*/**/*.ptx")) if path.stat().st_size < 60_000]
    random.Random(1).shuffle(files)
    texts = {}
    for path in files:
        with contextlib.suppress(UnicodeDecodeError):
            texts[str(path)] = path.read_bytes().decode()
    found = answers([{"name": name, "text": text} for name, text in texts.items()])
    command = [ptxray, "check", "--no-config", "--format=json", *texts]
    wanted = json.loads(subprocess.run(command, capture_output=True).stdout)["files"]
    assert len(found) == len(wanted) > 300
    for one, other in zip(found, wanted, strict=True):
        equals(one, other)


def at_once():
    process = start()
    for number in range(3):
        process.stdin.write(json.dumps({"name": str(number), "text": GOOD}).encode() + b"\n")
        process.stdin.flush()
        equals(json.loads(process.stdout.readline())["path"], str(number))
    process.stdout.close()  # the reader is gone
    process.stdin.write(json.dumps({"text": GOOD}).encode() + b"\n")
    process.stdin.close()
    assert process.wait(60) != 0


def memory():
    """Returns the peak memory in KiB for few and for many texts that have nothing in common."""

    def peak(count):
        process = start()
        for i in range(count):
            text = GOOD.replace("mov.b32", "".join(f"add.x{i * 100 + k} %r0, %r0;\n" for k in range(100)) + "mov.b32")
            process.stdin.write(json.dumps({"text": text}).encode() + b"\n")
            process.stdin.flush()
            assert len(json.loads(process.stdout.readline())["diagnostics"]) == 100
        process.communicate()
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    few, many = peak(200), peak(700)
    assert many < 1.3 * few, f"{few} KiB after 200 texts, {many} after 700"


for test in (bad_lines, options, at_once, as_check, memory):
    test()
print("ptxray check --batch answers in order")
