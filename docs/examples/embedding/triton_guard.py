"""Checks every kernel that Triton (3.4 or later) compiles in this process:

    import triton_guard
    triton_guard.install()                    warns
    triton_guard.install(raise_errors=True)   raises ptxray.PtxError when the kernel is compiled

A kernel that comes from Triton's cache is not checked again. `triton_guard.cost()` returns the share of the checks
in the time that Triton needed for compiling."""

import pathlib
import time
import warnings

import ptxray
import triton

_checker = ptxray.Checker()
_spent = {"compiling": 0.0, "checking": 0.0}


def _compiled(raise_errors, *, src, metadata_group, times, cache_hit, **_):
    if cache_hit:
        return
    begin = time.perf_counter()
    _spent["compiling"] += times.total / 1e6  # times are in microseconds
    for name, path in metadata_group.items():
        if name.endswith(".ptx"):
            found = _checker.check(pathlib.Path(path).read_bytes())
            for d in found:
                if d.severity != "pedantic" and not (raise_errors and found.errors):
                    warnings.warn(f"{src.name}: {d}", stacklevel=3)
            if raise_errors and found.errors:
                raise ptxray.PtxError(found)
    _spent["checking"] += time.perf_counter() - begin


def install(raise_errors=False):
    before = triton.knobs.compilation.listener

    def listener(**compiled):
        if before is not None:
            before(**compiled)
        _compiled(raise_errors, **compiled)

    triton.knobs.compilation.listener = listener


def cost():
    return _spent["checking"] / _spent["compiling"] if _spent["compiling"] else 0.0
