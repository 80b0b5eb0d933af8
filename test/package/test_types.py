"""Tests the Python package with the type checkers mypy and pyright: test_types.py. They must accept correct code and
report wrong code. The exported names must be those in __all__."""

import pathlib
import re
import sys
import tempfile

from common import ROOT, python_with, run

USE = """
import ptxray
found: ptxray.Diagnostics = ptxray.check("text", target="sm_90a", off=["a-rule"], werror=True)
several: list[ptxray.Diagnostic] = found[1:]
many = ptxray.Checker(ptx="9.0").check_many(["text", None], jobs=2)
errors: list[int] = [one.errors for one in many if one]
line: int = found[0].begin.line
origin = found[0].origin
path: str = origin[0] if origin else ""
ptxray.require(b"text", path="a.ptx")
version: str = ptxray.__version__
machine = ptxray.Machine("text", chip="sm_90a")
printed: str = machine.launch([1, 2.5, bytearray(4), None], grid=(2, 2), block=32).printed
warnings: ptxray.Diagnostics = ptxray.emulate("text", [1], kernel="k").diagnostics
tile = ptxray.TensorMap(bytearray(4), (8, 16), swizzle=128)
refusal = machine.launch([tile], raises=False).refusal or "none"
try:
    pass
except ptxray.PtxError as error:
    titles: list[str] = [d.fix.title for d in error.diagnostics if d.fix]
"""
WRONG = """
import ptxray
ptxray.check(1)
ptxray.check("text", targets="sm_90a")
ptxray.check("text", "sm_90a")
number: int = ptxray.check("text")[0].message
"""

package = ROOT / "tools" / "python"
python = python_with("mypy==2.4.1", "pyright==1.1.414")
checkers = {
    "mypy": [python, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null"],
    "pyright": [python, "-m", "pyright", "--pythonversion=3.9"],
}
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "ptxray").symlink_to(package / "ptxray")
    (folder / "use.py").write_text(USE)
    (folder / "wrong.py").write_text(WRONG)
    for checker, command in checkers.items():
        run(*command, "use.py", "ptxray/__init__.py", "ptxray/__main__.py", cwd=folder)
        said = run(*command, "wrong.py", status=1, cwd=folder)
        lines = {int(line) for line in re.findall(r"wrong\.py:(\d+)(?::\d+)?[ :-]+error", said)}
        assert lines == {3, 4, 5, 6}, (checker, said)
names = """
import ptxray
missing = [word for word in ptxray.__all__ if word != "__version__" and not hasattr(ptxray, word)]
module_of = lambda value: str(getattr(value, "__module__", "")).split(".")[0]
own = {word for word, value in vars(ptxray).items() if module_of(value) == "ptxray" and word[0] != "_"}
assert not missing and own == set(ptxray.__all__) - {"__version__"}, (missing, own)
"""
run(sys.executable, "-c", names, cwd=package)
print("mypy and pyright agree with the package")
