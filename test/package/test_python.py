"""The Python module, over the library in its process and over a process beside it: test_python.py PTXRAY [LIBRARY].
With PTXRAY_ARRAYS in the environment, in a Python that has numpy and pyarrow."""

import array
import concurrent.futures
import gc
import json
import os
import pathlib
import pickle
import random
import resource
import subprocess
import sys
import threading

from common import BAD, GOOD, ROOT, python_with

has_arrays = "PTXRAY_ARRAYS" in os.environ
if len(sys.argv) == 3 and sys.argv[2] != "beside":
    python = python_with("numpy==2.4.6", "pyarrow==26.0.1") if has_arrays else sys.executable
    for engine in (sys.argv[2], "beside"):
        subprocess.run([python, __file__, sys.argv[1], engine, "inside"], check=True)
    sys.exit()

program, engine = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "beside"
os.environ["PTXRAY_LIBRARY"] = str(pathlib.Path(engine).resolve()) if engine != "beside" else "/nonexistent"
sys.path.insert(0, str(ROOT / "tools" / "python"))
import ptxray  # noqa: E402

ptxray.program = lambda: program
assert type(ptxray._engine()).__name__ == ("Worker" if engine == "beside" else "Library")


def kernels():
    text = (ROOT / "test" / "emulate" / "saxpy.ptx").read_text()
    if engine == "beside":
        try:
            ptxray.Machine(text)
        except ptxray.EmulationError:
            return
        raise AssertionError("a process emulates nothing")
    x, y = array.array("f", range(64)), array.array("f", [1] * 64)
    assert ptxray.emulate(text, [2.5, x, y, 64], grid=2, block=32).printed == ""
    assert list(y) == [2.5 * i + 1 for i in range(64)]
    machine = ptxray.Machine(text, chip="sm_90a", path="saxpy.ptx")
    machine.launch([0, y, y, 64], block=64)  # one buffer twice
    assert y[63] == 2.5 * 63 + 1
    for problem, arguments in (
        (ptxray.PtxError, [1, x, y, 70]),
        (ptxray.EmulationError, [1, x, y]),
        (TypeError, [1, x, memoryview(b"1234"), 1]),
        (OverflowError, [1, x, y, 1 << 40]),
    ):
        try:
            machine.launch(arguments, block=128)
        except problem as raised:
            assert problem is not ptxray.PtxError or str(raised).startswith("saxpy.ptx:38:3: error: thread (64, 0, 0)")
        else:
            raise AssertionError(arguments)
    machine = ptxray.Machine((ROOT / "test" / "emulate" / "atomics.ptx").read_text())
    counts = bytearray(16)
    machine.launch([machine.address(counts)], grid=4, block=32)
    most = machine.variable("most").cast("I")
    assert counts == bytes([32, 0, 0, 0]) * 4 and most[0] == 127
    most[0] = 1000
    machine.launch([counts], block=32)
    assert most[0] == 1000 and counts[0] == 40
    printed = (ROOT / "test" / "emulate" / "printed.ptx").read_text()
    assert ptxray.emulate(printed, [5]).printed == "thread 0 of block 0 has 5 and 0.500000\n"
    for problem, what in (
        (ptxray.PtxError, lambda: ptxray.emulate(BAD)),
        (ValueError, lambda: ptxray.emulate(text, chip="sm_1")),
        (KeyError, lambda: machine.variable("none")),
    ):
        try:
            what()
        except problem:
            continue
        raise AssertionError(problem)


def values():
    found = ptxray.check(BAD, target="sm_90a")
    assert (len(found), found.errors, found.ptx, found.target) == (2, 2, "8.0", "sm_90a")
    assert [d.rule for d in found] == ["undefined-symbol", "expected-semicolon"] == [found[0].rule, found[-1].rule]
    assert (len(found), found.errors, found.ptx, found.target) == (2, 2, "8.0", "sm_90a")  # once they are made
    assert found[1].fix.safe and found[1].fix.edits[0].text == ";" and found[0].begin.line == 7
    assert ptxray.check(GOOD) == [] and not ptxray.check(GOOD) and found == list(found) == ptxray.check(BAD.encode())
    again = pickle.loads(pickle.dumps(ptxray.check(BAD)))
    assert again == found and again.target == "sm_80"
    assert ptxray.check(BAD, warning=["undefined-symbol"])[0].severity == "warning"
    assert ptxray.check(BAD, path="k.ptx", off=("undefined-symbol", "expected-semicolon")) == []
    assert str(ptxray.check(BAD, path="k.ptx")[1]).startswith("k.ptx:8:18: error: ")
    assert ptxray.check(GOOD + "\0\0") == [] and ptxray.check(b"\xff").errors > 0
    cuda = '__device__ void f(int &a) { asm("add.s33 %0, %0, 1;" : "+r"(a)); }'
    assert ptxray.check(cuda, language="cuda")[0].rule == "unknown-qualifier"
    for wrong in ({"target": "sm_1"}, {"off": ["no-such-rule"]}, {"language": "cobol"}):
        try:
            ptxray.Checker(**wrong)
        except ValueError as problem:
            assert "unknown" in str(problem) or "no rule" in str(problem), problem
        else:
            raise AssertionError(wrong)
    for wrong in (None, 5, ["ret;"]):
        try:
            ptxray.check(wrong)
        except TypeError as problem:
            assert str(problem).startswith("a text of PTX is str or bytes, not "), problem
        else:
            raise AssertionError(wrong)
    assert ptxray.check(bytearray(GOOD.encode())) == []
    try:
        ptxray.require(BAD)
    except ptxray.PtxError as problem:
        assert problem.diagnostics == ptxray.check(BAD)
    else:
        raise AssertionError("nothing is raised")


def many():
    checker = ptxray.Checker(target="sm_90a")
    texts = [BAD if i % 3 == 0 else GOOD for i in range(200)]
    for jobs in (None, 1, 4):
        found = checker.check_many(iter(texts), jobs=jobs)
        assert [one.errors for one in found] == [2 if i % 3 == 0 else 0 for i in range(200)]
    assert checker.check_many([]) == [] and checker.check_many([None, GOOD]) == [None, []]
    assert pickle.loads(pickle.dumps(checker)).check(BAD).target == "sm_90a"
    try:
        checker.check_many([GOOD, "\ud800"])
    except UnicodeEncodeError:
        pass
    else:
        raise AssertionError("text that is no Unicode is taken")


def arrays():
    wanted = [[], None, ptxray.check(BAD), []]
    texts = [GOOD, None, BAD, GOOD]
    try:
        import numpy
    except ImportError:
        assert not has_arrays
        print("numpy is not here")
    else:
        assert ptxray.check_many(numpy.array(texts, dtype=object)) == wanted
        assert ptxray.check_many(numpy.array([GOOD, BAD])) == [[], wanted[2]]
        assert ptxray.check_many([GOOD, numpy.nan]) == [[], None]
    try:
        import pyarrow
    except ImportError:
        assert not has_arrays
        return print("pyarrow is not here")
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.binary()):
        array = pyarrow.array(texts, kind)
        assert ptxray.check_many(array) == wanted and ptxray.check_many(array[1:3]) == wanted[1:3]
        assert ptxray.check_many(pyarrow.chunked_array([array, array.slice(2), array[:0]])) == wanted + wanted[2:]
    assert ptxray.check_many(pyarrow.array([], pyarrow.string())) == []


def as_the_program():
    """All texts of the tests, in a random order with changes of target, as the program says."""
    files = [path for path in sorted(ROOT.glob("test/*/**/*.ptx")) if path.stat().st_size < 20_000]
    for target in (None, "sm_100a"):
        random.Random(1).shuffle(files)
        command = [
            program,
            "check",
            "--no-config",
            "--format=jsonl",
            *([f"--target={target}"] if target else []),
            *files,
        ]
        wanted = {str(path): [] for path in files}
        for line in subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines():
            entry = json.loads(line.replace("\\u0000", "\ufffd"))  # C strings end at a NUL
            wanted[entry["path"]].append(ptxray._diagnostic(entry, "<ptx>"))
        found = ptxray.check_many([path.read_bytes() for path in files], target=target)
        for path, one in zip(files, found):
            if path.read_bytes().isascii():
                assert str(one).replace("\\x00", "\ufffd") == str(wanted[str(path)]), (
                    path,
                    list(one),
                    wanted[str(path)],
                )


def threads():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(len(found) == 2 for found in pool.map(ptxray.check, [BAD] * 400))


def forks():
    """While other threads check."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            assert ptxray.check(BAD).errors == 2

    busy = [threading.Thread(target=work) for _ in range(3)]
    for thread in busy:
        thread.start()
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0 if ptxray.check(BAD).errors == 2 and len(ptxray.check_many([GOOD] * 9, jobs=3)) == 9 else 1)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    for thread in busy:
        thread.join()
    assert ptxray.check(BAD).errors == 2


def subinterpreters():
    if sys.version_info >= (3, 12) or engine == "beside" or has_arrays:
        return  # later Pythons have others; no process starts there, and numpy is not made for it
    import _xxsubinterpreters as interpreters

    code = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools" / "python")!r})
import ptxray
ptxray.program = lambda: {program!r}
assert ptxray.check({BAD!r}).errors == 2
assert [len(one) for one in ptxray.check_many([{GOOD!r}] * 3, jobs=1)] == [0, 0, 0]
"""
    for _ in range(3):
        one = interpreters.create()
        interpreters.run_string(one, code)
        interpreters.destroy(one)
    assert ptxray.check(BAD).errors == 2


def memory():
    """Many texts, and options that are not kept."""
    for i in range(3000):
        ptxray.check(BAD.replace("%r9", f"%x{i}"))
        if i % 10 == 0:
            ptxray.Checker(off=["undefined-symbol"], path=str(i)).check(GOOD)
        if i == 1000:
            gc.collect()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 2000


for test in (values, kernels, many, arrays, as_the_program, threads, forks, subinterpreters, memory):
    test()
print(f"ptxray works over {type(ptxray._engine()).__name__}")
