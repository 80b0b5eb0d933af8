"""Builds the Python package, checks it with auditwheel, and uses it in a fresh virtual environment: test_wheel.py
PTXRAY."""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from common import BAD, GOOD, ROOT, python_with, run, wheel

package = wheel(sys.argv[1])
shown = run(python_with("auditwheel==6.8.2"), "-m", "auditwheel", "show", package)
oldest = re.search(r'platform tag: "manylinux_2_(\d+)_x86_64"', " ".join(shown.split()))
assert "manylinux_2_28_x86_64" in package.name and oldest and int(oldest[1]) <= 28, shown

# pip requests the metadata first. Without that hook, it would build everything for the metadata, and again for the
# wheel.
hooks = "import build_wheel, sys; print(build_wheel.prepare_metadata_for_build_wheel(sys.argv[1]))"
with tempfile.TemporaryDirectory() as name:
    environment = {"PYTHONPATH": str(ROOT / "tools/python"), "PTXRAY_BINARY": "/no/such/program"}
    info = run(sys.executable, "-c", hooks, name, env=environment).strip()
    with zipfile.ZipFile(package) as archive:
        for part in ("METADATA", "WHEEL"):
            assert (pathlib.Path(name) / info / part).read_bytes() == archive.read(f"{info}/{part}"), part

use = f"""
import ptxray, concurrent.futures
BAD, GOOD = {BAD!r}, {GOOD!r}
assert ptxray.check(GOOD) == []
found = ptxray.check(BAD, target="sm_90a")
assert [d.rule for d in found] == ["undefined-symbol", "expected-semicolon"], found
d = found[1]
assert (d.severity, d.begin.line, d.begin.column) == ("error", 8, 18) and d.fix.safe and d.fix.edits[0].text == ";"
fixed = bytearray(BAD.encode())
for edit in d.fix.edits:
    fixed[edit.offset:edit.offset + edit.length] = edit.text.encode()
assert len(ptxray.check(bytes(fixed))) == 1
assert str(d).startswith("<ptx>:8:18: error: ")
assert ptxray.check(BAD, off=["undefined-symbol", "expected-semicolon"]) == []
assert all(d.severity == "warning" for d in ptxray.check(BAD, warning=["undefined-symbol", "expected-semicolon"]))
for wrong in (dict(target="sm_1"), dict(off=["no-such-rule"]), dict(ptx="1.x")):
    try:
        ptxray.check(GOOD, **wrong)
    except ValueError as e:
        assert "unknown" in str(e) or "no rule" in str(e), e
    else:
        raise SystemExit(f"{{wrong}} is taken")
try:
    ptxray.require(BAD)
except ptxray.PtxError as e:
    assert len(e.diagnostics) == 2 and "[undefined-symbol]" in str(e)
ptxray.require(GOOD)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    assert all(len(f) == 2 for f in pool.map(ptxray.check, [BAD] * 64))
"""
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", package)
    run(python, "-c", use, cwd=folder)
    version = run(python, "-c", "import ptxray; print(ptxray.version())").strip()
    for command in ([folder / "venv/bin/ptxray"], [python, "-m", "ptxray"]):
        assert f"ptxray {version}\n" in run(*command, "version")
        # The package contains the emulated driver.
        client = (
            "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0), ctypes.CDLL('libcudart.so.13').cudaFree(0))"
        )
        assert run(*command, "emulate", "--", python, "-c", client) == "0 0\n"
    (folder / "bad.ptx").write_text(BAD)
    run(folder / "venv/bin/ptxray", "check", folder / "bad.ptx", status=1)
    # Build systems install into a folder in this way.
    run(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--disable-pip-version-check",
        "--target",
        folder / "lib",
        package,
    )
    run(sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(folder / 'lib')!r})\n" + use, cwd=folder)
print(package.name, "works, installed and by auditwheel:", oldest[0])
