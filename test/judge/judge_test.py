"""Judges kernels of a search that cheats: judge_test.py PTXRAY LIBRARY. It contains each cheat of
docs/judge-cheats.md."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
os.environ["PTXRAY_LIBRARY"] = str(pathlib.Path(sys.argv[2]).resolve())
sys.path.insert(0, str(HERE.parents[1] / "tools" / "python"))
import ptxray  # noqa: E402
from ptxray._judge import _expressions, _limits, _numbers, _shapes  # noqa: E402

SCALE, ROWSUM = ((HERE / f"{name}.ptx").read_text() for name in ("scale", "rowsum"))
SCALE_LAUNCH, ROWSUM_LAUNCH = (json.loads((HERE / f"{name}.json").read_text()) for name in ("scale", "rowsum"))
STORE = "\tst.global.f32 [%rd5], %f4;\n"
GUARD = "\t@%p1 bra $done;\n\tld.param.u64"


def changed(text, *pairs):
    for before, after in pairs:
        assert text.count(before) >= 1, before
        text = text.replace(before, after, 1)
    return text


def scale(*pairs, launch=SCALE_LAUNCH, **options):
    return ptxray.judge(HERE / "tasks" / "scale.py", changed(SCALE, *pairs), launch, **options)


def rowsum(*pairs, launch=ROWSUM_LAUNCH, **options):
    return ptxray.judge(HERE / "tasks" / "rowsum.py", changed(ROWSUM, *pairs), launch, **options)


def expect(verdict, kind, cause=None, part=None):
    assert verdict.verdict == "rejected" and verdict.kind == kind, verdict.text
    assert cause is None or verdict.data["cause"] == cause, verdict.text
    assert part is None or verdict.data["parts"][part] == "failed", verdict.text
    assert 0 <= verdict.reward < 0.5, verdict.reward
    return verdict


def right_ones():
    for verdict in (scale(), rowsum()):
        assert verdict.accepted and verdict.reward == 1 and not verdict.findings, verdict.text
        assert verdict.data["origins"] == {"y": "computed"}, verdict.data["origins"]
        assert verdict.data["counters"][0]["thread_inst_executed"] > 0
    assert scale().data["inputs"] == {"x": "used", "a": "used"}
    in_place = [
        {**argument, "role": "zeroed"} if argument.get("role") == "out" else argument
        for argument in SCALE_LAUNCH["args"]
    ]
    assert scale(launch={**SCALE_LAUNCH, "args": in_place}).accepted


def faults():
    verdict = expect(scale((GUARD, "\tld.param.u64")), "out-of-bounds", part="bounds")
    finding = verdict.findings[0]
    assert finding["shape"] == {"n": 1} and finding["line"] == 25 and "`x`" in finding["message"], finding
    expect(rowsum(("\tbar.sync 0;\n\tmov.u32 %r10", "\tmov.u32 %r10")), "race", part="races")
    expect(rowsum(("bar.sync 0;", "bar.sync 0, 96;")), "hang", part="deadlocks")
    expect(
        rowsum(("st.shared.f32 [%r9], %f1;", "@%p2 st.shared.f32 [%r9], %f1;")), "uninitialised", part="uninitialised"
    )
    expect(scale((STORE, STORE + "\ttrap;\n")), "trap", part="traps")
    expect(scale(("mul.f32 %f4, %f3, %f2;", "mul.f32 %f4, %f3;")), "does-not-compile", part="compiles")
    expect(scale(("max.NaN.f32 %f3, %f1", "max.NaN.f32 %f3, %f9")), "does-not-compile")


def memory_cheats():
    """Tests outputs with the earlier contents of memory."""
    nothing = expect(scale((STORE, "")), "unwritten-output", part="written")
    assert nothing.data["origins"] == {"y": "memory from before"}
    half = (STORE, "\tand.b32 %r3, %r4, 1;\n\tsetp.eq.s32 %p2, %r3, 1;\n\t@%p2 bra $done;\n" + STORE)
    expect(scale(half), "unwritten-output", cause="partial")
    kept = (STORE, "\tld.global.f32 %f3, [%rd5];\n\tsetp.gt.f32 %p2, %f3, %f4;\n\t@%p2 bra $done;\n" + STORE)
    verdict = expect(scale(kept), "stale-memory", cause="stale")
    assert verdict.findings[0]["line"] == 32, verdict.text
    expect(scale((STORE, STORE + "\tst.global.f32 [%rd4], %f4;\n")), "input-modified", part="inputs")


def value_cheats():
    """Tests results that do not depend on all inputs."""
    constant = expect(scale(("mul.f32 %f4, %f3, %f2;", "mov.f32 %f4, 0f00000000;")), "mismatch", cause="ignored-input")
    assert constant.data["origins"] == {"y": "constant"}
    copied = expect(scale(("mul.f32 %f4, %f3, %f2;", "mov.f32 %f4, %f1;")), "mismatch")
    assert copied.data["origins"] == {"y": "copy of x"}
    ignored = expect(scale(("mul.f32 %f4, %f3, %f2;", "add.f32 %f4, %f3, %f3;")), "mismatch", cause="ignored-input")
    assert ignored.data["inputs"]["a"] == "without effect"
    special = expect(scale(("max.NaN.f32", "max.f32")), "mismatch", cause="special-values", part="contents")
    assert special.findings[0]["contents"] == "edge"
    fixed = ("ld.param.u32 %r5, [n];", "mov.u32 %r5, 61;")
    expect(scale(fixed, launch={**SCALE_LAUNCH, "grid_expr": "(2,1,1)"}), "out-of-bounds")
    expect(rowsum(("ld.param.u32 %r3, [cols];", "mov.u32 %r3, 37;")), "mismatch", part="results")
    unrolled = (
        "add.s32 %r5, %r5, 64;\n\tbra $next;",
        "setp.lt.u32 %p1, %r3, 130;\n\tadd.s32 %r5, %r5, 64;\n\t@%p1 bra $next;",
    )
    expect(rowsum(unrolled), "mismatch", cause="shape")


def memorised_answers():
    """Tests a candidate that only knows the answers for the public seeds."""
    sys.path.insert(0, str(HERE / "tasks"))
    import scale as task

    known = [task.inputs(seed, n)[0][0] for n in (96, 61, 1) for seed in range(5)]
    tests = ["\tmov.pred %p2, 0;\n" if not i else "" for i in range(1)]
    tests += [f"\tsetp.eq.or.f32 %p2, %f1, 0f{_bits(one):08X}, %p2;\n" for one in known]
    edges = [f"\tsetp.eq.or.u32 %p2, %r3, {bits}, %p2;\n" for bits in (0x7FC00000,)]
    first = "\tmov.b64 %rd3, %rd1;\n\tld.global.f32 %f1, [%rd3];\n\tmov.b32 %r3, %f1;\n"
    wrong = "\t@!%p2 add.f32 %f4, %f4, 0f3F800000;\n"
    looked = changed(
        SCALE, (STORE, first + "".join(tests + edges) + wrong + STORE), (".reg .pred %p<3>", ".reg .pred %p<4>")
    )
    verdict = ptxray.judge(HERE / "tasks" / "scale.py", looked, SCALE_LAUNCH)
    expect(verdict, "mismatch", cause="seed")


def _bits(value):
    import struct

    return struct.unpack("<I", struct.pack("<f", value))[0]


def precision():
    halves = "\tcvt.rn.f16.f32 %h1, %f4;\n\tcvt.f32.f16 %f4, %h1;\n"
    half = ((STORE, halves + STORE), (".reg .f32", ".reg .b16 %h<2>;\n\t.reg .f32"))
    verdict = expect(scale(*half), "mismatch", cause="precision")
    assert verdict.data["precision"]["y"]["bits"] == 11 and verdict.data["precision"]["y"]["lower"][0]["line"] == 31
    task = (HERE / "tasks" / "scale.py").read_text().replace("TOLERANCE = 1e-6", "TOLERANCE = 1e-2")
    with tempfile.TemporaryDirectory() as folder:
        loose = pathlib.Path(folder) / "loose.py"
        loose.write_text(task)
        text = changed(SCALE, *half)
        verdict = ptxray.judge(loose, text, SCALE_LAUNCH)
        assert verdict.accepted and verdict.data["parts"]["precision"] == "noted" and verdict.reward < 1, verdict.text
        expect(ptxray.judge(loose, text, SCALE_LAUNCH, precise=True), "reduced-precision", part="precision")
        loose.write_text(task + "\nPRECISION = 'f32'\n")
        expect(ptxray.judge(loose, text, SCALE_LAUNCH), "reduced-precision")


def order():
    atomics = (
        (
            "st.shared.f32 [%r9], %f1;\n\tbar.sync 0;",
            "st.shared.f32 [%r9], 0f00000000;\n\tbar.sync 0;\n\tatom.shared.add.f32 %f2, [%r8], %f1;\n\tbar.sync 0;",
        ),
        ("mov.u32 %r10, 128;\n$halve:", "mov.u32 %r10, 128;\n\tbra $last;\n$halve:"),
        ("setp.ne.s32 %p1, %r2, 0;", "$last:\n\tsetp.ne.s32 %p1, %r2, 0;"),
    )
    verdict = rowsum(*atomics)
    assert verdict.accepted and verdict.data["parts"]["deterministic"] == "noted" and verdict.reward < 1, verdict.text
    assert verdict.data["notes"][0]["kind"] == "nondeterministic" and not verdict.data["determinism"]["same_bits"]
    assert "atom.shared.add.f32" in verdict.data["determinism"]["order"]["text"]
    expect(rowsum(*atomics, deterministic=True), "nondeterministic", part="deterministic")


def hostile_ones():
    """Tests candidates that attack the judge."""
    silenced = scale(("mul.f32 %f4, %f3, %f2;", "mul.f32 %f4, %f3; // ptxray: ignore"))
    expect(silenced, "does-not-compile")
    unguarded = (
        (".visible .entry", "// ptxray: ignore-function run-out-of-bounds\n.visible .entry"),
        (GUARD, "\tld.param.u64"),
    )
    expect(scale(*unguarded), "out-of-bounds")
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        for code in (f"__import__('os').system('touch {trace}')", "(lambda: 1)()", "9**9**9", "1<<(1<<40)", "(" * 900):
            expect(scale(launch={**SCALE_LAUNCH, "grid_expr": code}), "launch")
        assert not trace.exists()
    larger = [
        {**argument, "shape_expr": "n + 4096"} if "buffer" in argument else argument
        for argument in SCALE_LAUNCH["args"]
    ]
    expect(scale((GUARD, "\tld.param.u64"), launch={**SCALE_LAUNCH, "args": larger}), "out-of-bounds")
    narrow = [
        {**argument, "dtype": "s32"} if argument.get("role") == "out" else argument for argument in SCALE_LAUNCH["args"]
    ]
    expect(scale(launch={**SCALE_LAUNCH, "args": narrow}), "launch")
    for change in (
        {"block": [2048, 1, 1]},
        {"kernel": "other"},
        {"args": SCALE_LAUNCH["args"][:3]},
        {"shared": 1 << 20},
    ):
        expect(scale(launch={**SCALE_LAUNCH, **change}), "launch")
    expect(scale(("u32 n)\n{", "u32 n)\n.reqntid 64\n{")), "launch")
    endless = scale(("$done:\n", "\tbra $done;\n$done:\n\tbra $done;\n"), launch_time_limit=1, time_limit=5)
    assert endless.verdict == "unknown" and "time" in endless.reason and endless.reward == 0 and endless.status == 7, (
        endless.text
    )
    clock = scale(("mov.u32 %r3, %tid.x;", "mov.u32 %r3, %clock;\n\tmov.u32 %r3, %tid.x;"))
    assert clock.accepted and clock.data["notes"][0]["kind"] == "reads-environment", clock.text


def failing_tasks():
    """Tests that a task that fails, or attacks, leads to no verdict."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "task.py"
        for text in (
            "raise ValueError('no')",
            "import a_module_that_is_not_there",
            "SHAPES = [{}]",
            "import os; os._exit(3)",
        ):
            path.write_text(text)
            verdict = ptxray.judge(path, SCALE, SCALE_LAUNCH)
            assert verdict.verdict == "unknown" and "the task" in verdict.reason, verdict.text
        path.write_text(
            (HERE / "tasks" / "scale.py")
            .read_text()
            .replace("def reference(x, a, n):\n", "def reference(x, a, n):\n    while True: pass\n")
        )
        began = time.monotonic()
        verdict = ptxray.judge(path, SCALE, SCALE_LAUNCH, time_limit=2)
        assert verdict.verdict == "unknown" and time.monotonic() - began < 40, verdict.text
    assert ptxray.judge(HERE / "no.py", SCALE, SCALE_LAUNCH).verdict == "unknown"


def repeats():
    """Tests that the command of a finding shows it again and runs nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "wrong candidate.ptx"
        path.write_text(changed(SCALE, ("max.NaN.f32", "max.f32")))
        path.with_suffix(".json").write_text(json.dumps(SCALE_LAUNCH))
        verdict = ptxray.judge(HERE / "tasks" / "scale.py", path)
        command = verdict.findings[0]["command"]
        environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "PTXRAY_PYTHON": sys.executable}
        done = subprocess.run(command + " --format=json", shell=True, stdout=subprocess.PIPE, env=environment)
        again = json.loads(done.stdout)
        assert done.returncode == 1 and again["kind"] == "mismatch" and again["runs"] < 6, again
        assert again["findings"][0]["shape"] == verdict.findings[0]["shape"] and again["text"]


def commands():
    def run(*words, **environment):
        environment = {**os.environ, "PTXRAY_PYTHON": sys.executable, **environment}
        done = subprocess.run([PROGRAM, "judge", *map(str, words)], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    task = HERE / "tasks" / "scale.py"
    status, out, _ = run(task, HERE / "scale.ptx", "--format=json")
    assert status == 0 and json.loads(out)["verdict"] == "accepted", out
    status, out, _ = run("--reference", task, "--candidate", HERE / "scale.ptx", "--launch", HERE / "rowsum.json")
    assert status == 1 and out.startswith("rejected: launch"), out
    assert (
        run(task)[0] == 2
        and run(task, "no-such-file")[0] == 2
        and run(task, HERE / "scale.ptx", "--schedule=x")[0] == 2
    )
    status, _, said = run(task, HERE / "scale.ptx", PTXRAY_PYTHON="/nonexistent/python")
    assert status == 7 and "needs Python" in said, said
    assert "reference" in subprocess.run([PROGRAM, "judge", "--help"], capture_output=True, text=True, env={}).stdout


def folders():
    """Tests that a folder is judged in parallel, and that a killed run can continue."""
    with tempfile.TemporaryDirectory() as name:
        folder, results = pathlib.Path(name) / "candidates", pathlib.Path(name) / "results.jsonl"
        for number in range(40):
            (folder / f"{number:02}").mkdir(parents=True)
            text = SCALE if number % 4 else changed(SCALE, ("max.NaN.f32", "max.f32"))
            (folder / f"{number:02}" / "k.ptx").write_text(f"// {number}\n{text}")
            (folder / f"{number:02}" / "case.json").write_text(json.dumps({**SCALE_LAUNCH, "task": "scale"}))
        command = [PROGRAM, "judge", HERE / "tasks", folder, f"--results={results}", "--jobs=2"]
        environment = {**os.environ, "PTXRAY_PYTHON": sys.executable}
        first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        while not results.exists() or results.read_bytes().count(b"\n") < 3:
            assert first.poll() is None
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
        first.wait()
        with open(results, "ab") as file:
            file.write(b'{"candidate": "cut o')
        before = results.read_bytes()
        before = before[: before.rfind(b"\n") + 1]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 1 and done.stderr.strip().endswith("30 accepted, 10 rejected, 0 unknown"), done
        lines = results.read_bytes().splitlines()
        assert results.read_bytes().startswith(before) and len(lines) == 40 == len(
            {json.loads(line)["candidate"] for line in lines}
        )
        verdicts = list(ptxray.judge_folder(HERE / "tasks", folder, results=results))
        assert len(verdicts) == 40 and len(results.read_bytes().splitlines()) == 40


PROGRAM_HEAD = f"""import array
import os
import socket
import ptxray
machine = ptxray.Machine({SCALE!r})
def on_host(x, a):
    return array.array("f", [v * a if v != v or v > 0 else 0 for v in x])
"""
PROGRAM_BODY = """
def candidate(x, a, n):
    y = array.array("f", bytes(4 * n))
    machine.launch([x, y, a, n], grid=(n + 31) // 32, block=32)
    return y
"""


def programs():
    """Tests Python programs, which launch kernels without access to the task or a network."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        trust = not _can_isolate()

        def judge(*pairs, head=""):
            path.write_text(PROGRAM_HEAD + head + changed(PROGRAM_BODY, *pairs))
            return ptxray.judge(HERE / "tasks" / "scale.py", path, trust=trust, time_limit=20)

        assert judge().accepted
        launch = "machine.launch([x, y, a, n]"
        expect(judge((launch, "y = on_host(x, a); return y\n    " + launch)), "computed-on-host", part="written")
        copied = (launch, "z = on_host(x, a); machine.launch([z, y, 1.0, n]")
        expect(judge(copied), "computed-on-host")
        tried = (
            "    try: machine.launch([x, y, a, n + 1], grid=n // 32 + 1, block=32)\n    except ptxray.PtxError: pass\n"
        )
        caught = ("    machine.launch", f"{tried}    machine.launch")
        expect(judge(caught), "out-of-bounds", part="bounds")
        expect(judge(("return y", "return y[1:]")), "launch")
        assert judge(("return y", "os._exit(0)")).verdict == "unknown"
        if trust:
            path.write_text(PROGRAM_HEAD + PROGRAM_BODY)
            assert "isolate" in expect(ptxray.judge(HERE / "tasks" / "scale.py", path), "launch").reason
            return
        spying = expect(judge(head=f"open({str(HERE / 'tasks' / 'scale.py')!r})\n"), "launch")
        assert "Permission denied" in spying.reason, spying.reason
        expect(judge(head="socket.create_connection(('127.0.0.1', 9), 1)\n"), "launch")
        expect(judge(head="os.kill(os.getppid(), 0); open(f'/proc/{os.getppid()}/mem')\n"), "launch")


def _can_isolate():
    child = os.fork()
    if child == 0:
        os._exit(0 if _limits.without_network() and _limits.only_files(("/usr",)) else 1)
    return os.waitpid(child, 0)[1] == 0


def certificates():
    verdict = scale(certify=True)
    assert verdict.data["certificate"][0]["verdict"] == "all-contents", verdict.data["certificate"]
    assert "certificate of `scale`" in verdict.text


def rewards():
    verdict = scale()
    assert ptxray.reward(verdict.data) == 1
    racy = rowsum(("\tbar.sync 0;\n\tmov.u32 %r10", "\tmov.u32 %r10"))
    special = scale(("max.NaN.f32", "max.f32"))
    assert 0 < racy.reward < special.reward < 0.5
    assert ptxray.reward(special.data, {"compiles": 1, "contents": 3}) == 0.125
    assert scale(("mul.f32 %f4, %f3, %f2;", "mul.f32 %f4, %f3;")).reward == 0


def schemas():
    """Tests that the schema lists all parts of a verdict."""
    schema = json.loads((HERE.parents[1] / "docs" / "judge.schema.json").read_text())
    for verdict in (scale(), scale(("max.NaN.f32", "max.f32")), ptxray.judge(HERE / "no.py", SCALE, SCALE_LAUNCH)):
        data = verdict.data
        assert set(data) == set(schema["required"]), set(data) ^ set(schema["required"])
        assert set(data["parts"]) == set(schema["properties"]["parts"]["required"])
        assert set(data["parts"].values()) <= set(schema["$defs"]["state"]["enum"])
        for finding in data["findings"]:
            assert set(finding) == set(schema["$defs"]["finding"]["required"])
            assert finding["part"] in schema["$defs"]["part"]["enum"]


def examples():
    """Tests the reward functions of the examples."""
    sys.path.insert(0, str(HERE.parents[1] / "docs" / "examples" / "embedding"))
    import judge_reward

    task, launch = str(HERE / "tasks" / "scale.py"), str(HERE / "scale.json")
    good = f"Here it is:\n```ptx\n{SCALE}```\n"
    bad = good.replace("max.NaN.f32", "max.f32")
    rewards = judge_reward.trl_reward([good, bad, "no code"], task=[task] * 3, launch=[launch] * 3, prompts=None)
    assert rewards[0] == 1 and 0 < rewards[1] < 0.5 and rewards[2] == 0, rewards
    assert judge_reward.compute_score("set", bad, {"task": task, "launch": launch}) == rewards[1]
    assert judge_reward.best_of(["no code", bad, good], task, launch)[::2] == (good, 1)


def parts():
    """Tests small parts of the judge."""
    assert _expressions.evaluate("((n+31)//32, 1, min(m, 2))", {"n": 33, "m": 9}) == (2, 1, 2)
    assert _expressions.evaluate("n % 2 == 0 and 1 < n <= 4", {"n": 4}) is True
    for text in ("n.real", "x", "[i for i in (1,)]", "f'{n}'", "n[0]", "n if n else open('x')"):
        with contextlib.suppress(_expressions.ExpressionError):
            raise AssertionError((text, _expressions.evaluate(text, {"n": 0})))
    assert _numbers.values_of(_numbers.bytes_of([1.0, -2.5, float("inf")], "bf16"), "bf16") == [1.0, -2.5, float("inf")]
    assert _numbers.bytes_of([1e300, -1], "f32") == b"\0\0\x80\x7f\0\0\x80\xbf"
    assert _numbers.ulp(1.0, "f32") == 2.0**-23 and _numbers.ulp(0.0, "f16") == 2.0**-24
    nan = float("nan")
    assert not _numbers.compare([nan, 1.0, 0.0], [nan, 1.0, -0.0], 0, 0)
    assert _numbers.compare([nan, 1.0, 1e38], [1.0, nan, float("inf")], 1, 1).count == 3
    shapes = _shapes.derived([{"n": 64, "m": 2}], "n % 2 == 1", 32)
    assert shapes and all(shape["n"] % 2 for shape in shapes) and {"n": 33, "m": 2} in shapes
    assert not _shapes.derived([{"n": 64}], None, 32)


for test in (
    parts,
    right_ones,
    faults,
    memory_cheats,
    value_cheats,
    memorised_answers,
    precision,
    order,
    hostile_ones,
    failing_tasks,
    repeats,
    commands,
    folders,
    programs,
    certificates,
    rewards,
    schemas,
    examples,
):
    test()
    print(f"judge: {test.__name__}", flush=True)
