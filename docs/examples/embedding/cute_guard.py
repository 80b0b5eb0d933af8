"""Checks every kernel that the CuTe DSL (nvidia-cutlass-dsl 4.8) compiles in this process:

    import cute_guard
    cute_guard.install()                    warns; before the first import of cutlass
    cute_guard.install(raise_errors=True)   compiling raises CuTe's DSLRuntimeError, whose cause is a ptxray.PtxError

The compiler translates MLIR to machine code in one step, and only writes PTX to files. This module makes it keep
these files, in the folder that CUTE_DSL_DUMP_DIR names or in one that is deleted when the process ends. If PTX is
kept, CuTe compiles a kernel again that it has compiled before. `cute_guard.cost()` returns the share of the checks
in the CPU time that CuTe needed for compiling."""

import os
import pathlib
import sys
import tempfile
import time
import warnings

import ptxray

_checker = ptxray.Checker()
_spent = {"compiling": 0.0, "checking": 0.0}
_seen = {}


def _check(folder, raise_errors):
    written = {one.path: one.stat().st_mtime_ns for one in os.scandir(folder) if one.name.endswith(".ptx")}
    for path in sorted(path for path in written if _seen.get(path) != written[path]):
        _seen[path] = written[path]
        found = _checker.check(pathlib.Path(path).read_bytes().rstrip(b"\0"))
        if raise_errors and found.errors:
            raise ptxray.PtxError(found)
        for d in found:
            if d.severity != "pedantic":
                warnings.warn(f"{pathlib.Path(path).stem}: {d}", stacklevel=4)


def install(raise_errors=False):
    if "cutlass" in sys.modules:
        raise RuntimeError("cute_guard.install() comes before the import of cutlass, which reads what to keep")
    folder = tempfile.TemporaryDirectory(prefix="ptxray-cute-")
    os.environ.setdefault("CUTE_DSL_DUMP_DIR", folder.name)
    os.environ["CUTE_DSL_KEEP"] = ",".join(filter(None, {*os.environ.get("CUTE_DSL_KEEP", "").split(","), "ptx"}))
    from cutlass.base_dsl.compiler import Compiler

    compile = Compiler.compile

    def checked(*arguments, **options):
        begin = time.process_time()
        module = compile(*arguments, **options)
        compiled = time.process_time()
        _spent["compiling"] += compiled - begin
        try:
            _check(os.environ["CUTE_DSL_DUMP_DIR"], raise_errors)
        finally:
            _spent["checking"] += time.process_time() - compiled
        return module

    _checker.check("")  # this loads the library
    Compiler.compile = checked
    checked.folder = folder  # the folder exists until the process ends


def cost():
    return _spent["checking"] / _spent["compiling"] if _spent["compiling"] else 0.0
