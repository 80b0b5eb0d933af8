"""Tests the Python module with the library in its process, and with a separate process: test_python.py PTXRAY
[LIBRARY]. With PTXRAY_ARRAYS in the environment, it uses a Python with numpy and pyarrow."""

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
import tempfile
import threading

from common import BAD, GOOD, ROOT, python_with

has_arrays = "PTXRAY_ARRAYS" in os.environ
if len(sys.argv) == 3 and sys.argv[2] != "beside":
    python = python_with("numpy==2.4.6", "pyarrow==26.0.1", "pytest==9.2.0") if has_arrays else sys.executable
    for engine in (sys.argv[2], "beside"):
        subprocess.run([python, __file__, sys.argv[1], engine, "inside"], check=True)
    sys.exit()

program, engine = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "beside"
os.environ["PTXRAY_LIBRARY"] = str(pathlib.Path(engine).resolve()) if engine != "beside" else "/nonexistent"
sys.path.insert(0, str(ROOT / "tools" / "python"))
import ptxray  # noqa: E402

ptxray.program = lambda: program
assert type(ptxray._engine()).__name__ == ("Worker" if engine == "beside" else "Library")


def reductions():
    text = (ROOT / "docs" / "examples" / "product.ptx").read_text()
    if engine == "beside":
        try:
            ptxray.reduce(text)
        except RuntimeError:
            return
        raise AssertionError("a process reduces nothing")
    less = ptxray.reduce(text, lambda text: "mbarrier.init" in text)
    assert "mbarrier.init" in less and len(less.splitlines()) < 12, less
    assert not ptxray.check(less)
    faulty = ptxray.reduce(text.replace("bar.sync 0", "bar.sink 0"), rule="unknown-qualifier")
    assert "bar.sink 0;" in faulty and len(faulty.splitlines()) < 10, faulty
    try:
        ptxray.reduce(text, rule="vector-length")
    except ValueError as problem:
        assert str(problem) == "the file does not violate the rule `vector-length`"
    else:
        raise AssertionError("there is no such fault")


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
    counted = ptxray.emulate(text, [0.0, x, y, 64], grid=2, block=32, counters=True)
    assert counted.counters and counted.counters["counts"]["thread_inst_executed"] >= 64
    assert counted.fidelity and counted.fidelity["exact"] == counted.fidelity["executed"] > 0
    assert counted.certificate is None
    certified = ptxray.emulate(text, [0.0, x, y, 64], grid=2, block=32, certify=True)
    assert certified.certificate and certified.certificate["verdict"] == "all-contents"
    assert list(y) == [2.5 * i + 1 for i in range(64)]
    machine = ptxray.Machine(text, chip="sm_90a", path="saxpy.ptx")
    machine.launch([0, y, y, 64], block=64)  # both arguments are the same buffer
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


def findings():
    """Tests the findings of a launch as a value, with the source line that `.loc` names."""
    if engine == "beside":
        return
    lines = (ROOT / "test" / "emulate" / "saxpy.ptx").read_text().splitlines()
    lines.insert(lines.index("  ld.global.f32 %f2, [%d1];"), "  .loc 1 7 3")
    machine = ptxray.Machine("\n".join([*lines, '.file 1 "/source/saxpy.py"']))
    x, y = array.array("f", range(4)), array.array("f", range(8))
    launched = machine.launch([1, x, y, 8], block=8, raises=False)
    assert launched.diagnostics[0].origin == ("/source/saxpy.py", 7), launched
    assert launched.diagnostics.errors == 1 and launched.refusal
    assert machine.launch([1, x, y, 4], block=8, raises=False).refusal is None
    assert machine.launch([1, x], block=8, raises=False).refusal == "kernel `saxpy` has 4 parameters; given: 2"


def tensor_maps():
    """Tests that a tile that TMA copies equals the slice of the array in numpy."""
    if engine == "beside" or not has_arrays:
        return
    import numpy

    tile = numpy.zeros((8, 16), "f4")
    matrix = numpy.arange(32 * 64, dtype="f4").reshape(32, 64)
    machine = ptxray.Machine(TILE)
    machine.launch([ptxray.TensorMap(matrix, (8, 16)), tile], block=32)
    assert (tile == matrix[4:12, 16:32]).all(), tile
    swizzled = ptxray.TensorMap(matrix, (8, 16), swizzle=64)
    machine.launch([swizzled, tile], block=32)
    rows, groups = numpy.ogrid[:8, :4]  # 16 bytes each
    expected = matrix[4:12, 16:32].reshape(8, 4, 4)[rows, groups ^ (rows // 2 % 4)].reshape(8, 16)
    assert (tile == expected).all(), tile
    for wrong in ({"box": (8, 300)}, {"box": (8,)}, {"box": (8, 16), "swizzle": 48}, {"box": (8, 16), "type": "int4"}):
        try:
            machine.launch([ptxray.TensorMap(matrix, **wrong), tile], block=32)
        except ValueError:
            continue
        raise AssertionError(wrong)


def images():
    """Tests a surface that is also read as a texture, between its texels."""
    if engine == "beside" or not has_arrays:
        return
    import numpy

    texels = numpy.arange(8, dtype="f4").reshape(2, 4)
    drawn = numpy.zeros((4, 2), "u4")
    machine = ptxray.Machine(DRAWN)
    machine.launch([ptxray.Texture(texels, linear=True), ptxray.Surface(drawn)], block=(2, 4))
    # Thread (x, y) reads at (y + 1, x + 0.5), between two texels of a row.
    expected = [[y + 0.5 + 4 * x if y < 3 else 3 + 4 * x for x in range(2)] for y in range(4)]
    assert (drawn.view("f4") == expected).all(), drawn
    machine.launch([ptxray.Texture(texels, mode="border", border=[7]), ptxray.Surface(drawn)], block=(2, 4))
    assert (drawn.view("f4")[3] == 7).all(), drawn
    for wrong in ({"mode": "repeat"}, {"channels": 3}, {"cube": True}, {"buffer": True}, {"fraction": True}):
        try:
            machine.launch([ptxray.Texture(texels, **wrong), ptxray.Surface(drawn)], block=1)
        except ValueError:
            continue
        raise AssertionError(wrong)


def equality():
    """Two kernels that leave the same numbers, for all contents of the arrays."""
    if engine == "beside":
        return
    text = (ROOT / "test" / "emulate" / "saxpy.ptx").read_text()
    x, y = array.array("f", range(8)), array.array("f", [1] * 8)
    launch = {"block": 8, "time_limit": 20}
    assert ptxray.equal(text, text, [2.5, x, y, 8], **launch) == ptxray.Equality("bits")
    rounded = text.replace("fma.rn.f32 %f4, %f1, %f2, %f3;", "mul.rn.f32 %f2, %f2, %f1; add.rn.f32 %f4, %f2, %f3;")
    assert rounded != text
    assert ptxray.equal(text, rounded, [2.5, x, y, 8], **launch).verdict == "real"
    found = ptxray.equal(text, text, [2.5, x, y, 8], **launch, b_launch={"block": 4})
    assert found.verdict == "different" and found.difference["element"] == 4, found
    assert (list(x), list(y)) == ([*range(8)], [1] * 8)
    for wrong, error in (({"threads": 3}, TypeError), ({"kernel": "none"}, ptxray.EmulationError)):
        try:
            ptxray.equal(text, text, [2.5, x, y, 8], **wrong)
        except error:
            continue
        raise AssertionError(wrong)


def plugin():
    """Tests that `pytest --ptxray` fails a test whose kernel has a fault, even if the test caught it."""
    if engine == "beside" or not has_arrays:
        return
    test = f"""
import array, ptxray
def launched(count):
    text = open({str(ROOT / "test" / "emulate" / "saxpy.ptx")!r}).read()
    x = array.array("f", range(8))
    return ptxray.emulate(text, [1, x, x, count], block=16, raises=False)
def test_right(): assert launched(8).refusal is None
def test_wrong(): assert launched(9)
"""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "test_it.py").write_text(test)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "ptxray.pytest_plugin", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python")}
        for words, expected in (([], "2 passed"), (["--ptxray"], "1 failed, 1 passed")):
            ran = subprocess.run(
                [*command, *words], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False
            )
            assert expected in ran.stdout, ran.stdout
        assert "   38 |   ld.global.f32 %f2, [%d1];" in ran.stdout, ran.stdout
        ran = subprocess.run(
            [*command, "--ptxray-certify"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        assert "1 saxpy: holds for all contents" in ran.stdout, ran.stdout


DRAWN = """.version 8.0
.target sm_90
.address_size 64
.visible .entry drawn(.param .u64 texture, .param .u64 surface) {
  .reg .b32 %r<4>;
  .reg .f32 %f<8>;
  .reg .b64 %d<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  cvt.rn.f32.u32 %f1, %r2;
  add.f32 %f1, %f1, 0f3F800000;
  cvt.rn.f32.u32 %f2, %r1;
  add.f32 %f2, %f2, 0f3F000000;
  ld.param.u64 %d1, [texture];
  ld.param.u64 %d2, [surface];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
  shl.b32 %r1, %r1, 2;
  sust.b.2d.b32.trap [%d2, {%r1, %r2}], %f3;
  ret;
}
"""
TILE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 to)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %d<6>;
  .shared .align 128 .b8 bytes[512];
  .shared .align 8 .b64 arrived;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, bytes;
  mov.u32 %r3, arrived;
  setp.ne.u32 %p, %r1, 0;
  @%p bra wait;
  mbarrier.init.shared.b64 [%r3], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 %d1, [%r3], 512;
  mov.b64 %d2, map;
  cvta.param.u64 %d2, %d2;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%d2, {16, 4}], [%r3];
wait:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared.b64 %p, [%r3], 0;
  @!%p bra again;
  ld.param.u64 %d3, [to];
  shl.b32 %r4, %r1, 4;
  add.u32 %r5, %r2, %r4;
  cvt.u64.u32 %d4, %r4;
  add.u64 %d3, %d3, %d4;
  .reg .b32 %q<4>;
  ld.shared.v4.b32 {%q0, %q1, %q2, %q3}, [%r5];
  st.global.v4.b32 [%d3], {%q0, %q1, %q2, %q3};
  ret;
}
"""


def values():
    found = ptxray.check(BAD, target="sm_90a")
    assert (len(found), found.errors, found.ptx, found.target) == (2, 2, "8.0", "sm_90a")
    assert [d.rule for d in found] == ["undefined-symbol", "expected-semicolon"] == [found[0].rule, found[-1].rule]
    assert (len(found), found.errors, found.ptx, found.target) == (2, 2, "8.0", "sm_90a")  # after both were created
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
    """Checks all texts of the tests in a random order with changes of target, and compares the results with those of
    the program."""
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
    """Tests forks while other threads check."""
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
        return  # later Pythons have other errors; no process starts there, and numpy does not support it
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
    """Tests that memory does not grow with many texts and with unused options."""
    for i in range(3000):
        ptxray.check(BAD.replace("%r9", f"%x{i}"))
        if i % 10 == 0:
            ptxray.Checker(off=["undefined-symbol"], path=str(i)).check(GOOD)
        if i == 1000:
            gc.collect()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 2000


TESTS = (values, kernels, reductions, findings, tensor_maps, images, equality, plugin, many, arrays, as_the_program)
for test in (*TESTS, threads, forks, subinterpreters, memory):
    test()
print(f"ptxray works over {type(ptxray._engine()).__name__}")
