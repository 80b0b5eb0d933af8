"""Provides a pytest plugin: `--ptxray` fails each test in which a kernel on the emulated GPU has a fault, even a
caught one. It reports the PTX line, and the source line if the PTX names it. `--ptxray=sm_90` also makes an emulated
GPU of that kind the device of Triton."""

import collections.abc
import itertools
import linecache
import typing

import pytest

from . import _emulation

if typing.TYPE_CHECKING:
    import ptxray


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("ptxray").addoption(
        "--ptxray",
        nargs="?",
        const="",
        metavar="CHIP",
        help="fail tests whose kernels make faults on the emulated GPU; with a chip, sm_90, Triton launches on it",
    )
    parser.getgroup("ptxray").addoption(
        "--ptxray-certify",
        action="store_true",
        help="print for each kernel on the emulated GPU for which contents of its buffers the verdict holds",
    )


def pytest_configure(config: pytest.Config) -> None:
    _emulation.certifying = config.getoption("--ptxray-certify")
    chip = config.getoption("--ptxray")
    if chip:
        from . import triton

        triton.install(target=chip)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _emulation.certificates:
        terminalreporter.section("certificates of ptxray")
    for certificate, count in sorted(_emulation.certificates.items()):
        terminalreporter.write_line(f"{count} {certificate}")


def _places(machine: _emulation.Machine, diagnostic: "ptxray.Diagnostic") -> collections.abc.Iterator[str]:
    """Returns a diagnostic with its lines."""
    if diagnostic.origin:
        path, line = diagnostic.origin
        yield f"{path}:{line}: {linecache.getline(path, line).strip()}"
    yield str(diagnostic)
    text = next(itertools.islice(machine.text.splitlines(), diagnostic.begin.line - 1, None), "")
    yield f"{diagnostic.begin.line:5} | {text}"
    for note in diagnostic.notes:
        yield f"      note: {note.message}" + (f" (line {note.begin.line})" if note.begin else "")


def _described(finding: _emulation.Finding) -> str:
    lines = [line for diagnostic in finding.diagnostics for line in _places(finding.machine, diagnostic)]
    return "\n".join(lines if lines else [f"ptxray: {finding.refusal}"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> collections.abc.Generator[None, typing.Any, typing.Any]:
    if item.config.getoption("--ptxray") is None:
        return (yield)
    found: list[_emulation.Finding] = []
    _emulation.watching.append(found.append)
    try:
        result = yield
    except BaseException:
        if found:
            item.add_report_section("call", "ptxray", "\n".join(map(_described, found)))
        raise
    finally:
        _emulation.watching.remove(found.append)
    if found:
        pytest.fail("\n".join(map(_described, found)), pytrace=False)
    return result
