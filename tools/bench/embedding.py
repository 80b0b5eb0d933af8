"""Measures checks of many small texts with the C interface, with Python, and with `ptxray check --batch`. The texts
are Triton kernels, which tools/bench/kernels.py makes once."""

import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "package"))

TINY = (
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n"
    ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 7;\nret;\n}\n"
)
# Another Python runs this code. It prints the shortest time of several rounds in seconds.
IN_PYTHON = """
import json, pathlib, sys, time
sys.path.insert(0, sys.argv[1])
import ptxray
if sys.argv[2] != "library":
    ptxray.program = lambda: sys.argv[2]
    ptxray._library.load = lambda: None
tiny, *texts = [pathlib.Path(path).read_text() for path in sys.argv[3:]]
checker = ptxray.Checker()
def least(act, count):
    best = 1e9
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(count):
            act()
        best = min(best, (time.perf_counter() - begin) / count)
    return best
print(json.dumps({
    "tiny": least(lambda: ptxray.check(tiny), 300),
    "one": least(lambda: [checker.check(text) for text in texts], 1),
    "many": least(lambda: checker.check_many(texts * 10), 1) / 10,
}))
"""


def kernels(inputs):
    folder = inputs / "triton"
    if not (folder / "complete").exists():
        from common import python_with

        python = python_with("triton==3.9.0", "numpy==2.4.6")
        print("compiling kernels of Triton", file=sys.stderr)
        subprocess.run([python, ROOT / "tools/bench/kernels.py", folder], check=True, stderr=subprocess.DEVNULL)
    return [path for path in sorted(folder.glob("*.ptx")) if 4_000 <= path.stat().st_size <= 40_000]


def said(*command, **options):
    return json.loads(
        subprocess.run([str(word) for word in command], check=True, capture_output=True, **options).stdout
    )


def batch(program, files):
    """Returns the seconds for the texts in one process."""
    requests = b"".join(json.dumps({"text": path.read_text()}).encode() + b"\n" for path in files) * 5
    best = 1e9
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([program, "check", "--batch"], input=requests, stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - begin)
    return best / 5


def all_of(report, release, inputs):
    program, measure = release / "tools" / "ptxray" / "ptxray", release / "tools" / "bench" / "embedding"
    tiny = inputs / "tiny.ptx"
    tiny.write_text(TINY)
    files = kernels(inputs)
    small, large = said(measure, "rates", tiny), said(measure, "rates", *files)
    rate = large["bytes"] / large["warm"] / 1e6
    report.note(
        f"{large['files']} kernels of Triton, {large['bytes'] / 1e6:.1f} MB; each anew "
        f"{large['bytes'] / large['fresh'] / 1e6:.0f} MB/s, a tiny module {small['fresh'] * 1e6:.1f} us"
    )
    report.line("C: a tiny module by a checker, us", small["warm"] * 1e6, 4, False)
    report.line("C: kernels of Triton by a checker, MB/s", rate, 200, True)
    grown = said(measure, "growth", 1_000_000)
    report.line(
        "C: memory of a million different texts over that of the first tenth",
        grown["peak"] / grown["early"],
        1.1,
        False,
        "x",
    )
    report.note(f"at most {grown['peak'] / 1024:.0f} MB")
    environment = {**os.environ, "PTXRAY_LIBRARY": str(release / "lib" / "libptxray.so")}
    for engine in ("library", str(program)):
        python = said(sys.executable, "-c", IN_PYTHON, ROOT / "tools" / "python", engine, tiny, *files, env=environment)
        name = "in its process" if engine == "library" else "through a process"
        one, many = (large["bytes"] / python[key] / 1e6 for key in ("one", "many"))
        if engine == "library":
            report.line("Python: a tiny module, us", python["tiny"] * 1e6, 60, False)
            report.line("Python: kernels of Triton, time over C", python["one"] / large["warm"], 1.5, False, "x")
        report.note(
            f"Python, {name}: tiny {python['tiny'] * 1e6:.1f} us, kernels {one:.0f} MB/s, check_many {many:.0f}"
        )
    report.note(f"check --batch: {large['bytes'] / batch(program, files) / 1e6:.0f} MB/s, JSON and start counted in")
