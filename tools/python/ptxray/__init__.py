"""Checks PTX, the assembly language of NVIDIA GPUs.

import ptxray
for d in ptxray.check(text, target="sm_90a"):
    print(d)
"""

import dataclasses
import functools
import importlib.metadata
import json
import pathlib
import subprocess
import typing

__all__ = [
    "Diagnostic",
    "Edit",
    "Fix",
    "Note",
    "Place",
    "PtxError",
    "__version__",
    "check",
    "program",
    "require",
    "version",
]

__version__: str  # read when it is asked for


@dataclasses.dataclass(frozen=True)
class Place:
    """Lines and columns count from 1, columns and offsets in bytes."""

    line: int
    column: int
    offset: int


@dataclasses.dataclass(frozen=True)
class Note:
    message: str
    begin: typing.Optional[Place] = None
    end: typing.Optional[Place] = None


@dataclasses.dataclass(frozen=True)
class Edit:
    """Replaces `length` bytes at `offset`."""

    offset: int
    length: int
    text: str


@dataclasses.dataclass(frozen=True)
class Fix:
    title: str
    safe: bool
    edits: tuple[Edit, ...]


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    rule: str  # `vector-length`
    severity: str  # error, warning or pedantic
    message: str
    begin: Place
    end: Place
    notes: tuple[Note, ...] = ()
    fix: typing.Optional[Fix] = None
    origin: typing.Optional[tuple[str, int]] = None  # path and line that this PTX was made from
    manual: typing.Optional[str] = None  # section of the PTX manual
    path: str = "<ptx>"
    kind: typing.Optional[str] = None  # of a rule that has kinds: `rounding` of `missing-qualifier`

    def __str__(self) -> str:
        return f"{self.path}:{self.begin.line}:{self.begin.column}: {self.severity}: {self.message} [{self.rule}]"


class PtxError(ValueError):
    """Raised by `require`; `diagnostics` holds what was found."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


@functools.cache
def program() -> str:
    """The path of the program that came with this package."""
    names = ("ptxray", "ptxray.exe")
    candidates = [pathlib.Path(__file__).parent.parent / "bin" / name for name in names]
    try:
        distribution = importlib.metadata.distribution("ptxray")
        candidates[:0] = [
            pathlib.Path(str(distribution.locate_file(file)))
            for file in distribution.files or ()
            if file.name in names and file.parent.name in ("bin", "Scripts")
        ]
    except importlib.metadata.PackageNotFoundError:
        pass
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate.resolve())
    raise FileNotFoundError("the program ptxray is not where the package put it; please install it anew")


def version() -> str:
    return importlib.metadata.version("ptxray")


def __getattr__(name: str) -> str:
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def check(
    text: typing.Union[str, bytes],
    *,
    target: typing.Optional[str] = None,
    ptx: typing.Optional[str] = None,
    arch: typing.Optional[str] = None,
    pedantic: bool = False,
    werror: bool = False,
    on: typing.Iterable[str] = (),
    off: typing.Iterable[str] = (),
    warning: typing.Iterable[str] = (),
    error: typing.Iterable[str] = (),
    path: str = "<ptx>",
    language: typing.Optional[str] = None,
    constraints: typing.Optional[str] = None,
) -> list[Diagnostic]:
    """Checks a PTX text and gives what was found, in the order of the text.

    With `language` (cuda, python, llvm) the assembly in a text of that language is checked; with `constraints` the text
    is the template of one statement of assembly, with LLVM's constraints: `=r,r,~{memory}`.

    `target` and `ptx` check as if `.target` and `.version` said this; `arch` asks also whether the module may be
    compiled for that GPU. `on`, `off`, `warning` and `error` name rules. `path` is how the diagnostics name the text.
    What ends a C string (NVRTC and Warp give it) is no part of the text.
    Raises ValueError when an option is wrong."""
    command = [program(), "check", "--format=jsonl", "--no-config", f"--stdin-filename={path}"]
    for name, value in (
        ("target", target),
        ("ptx", ptx),
        ("arch", arch),
        ("language", language),
        ("constraints", constraints),
    ):
        if value is not None:
            command.append(f"--{name}={value}")
    for name, rules in (("on", on), ("off", off), ("warning", warning), ("error", error)):
        if rules:
            command.append(f"--{name}={','.join(rules)}")
    command += [name for name, wanted in (("--pedantic", pedantic), ("--werror", werror)) if wanted]
    data = (text.encode() if isinstance(text, str) else bytes(text)).rstrip(b"\0")
    run = subprocess.run([*command, "-"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode not in (0, 1):
        raise ValueError(run.stderr.decode(errors="replace").strip() or f"ptxray ended with {run.returncode}")
    return [_diagnostic(json.loads(line)) for line in run.stdout.splitlines()]


def require(text: typing.Union[str, bytes], **options: typing.Any) -> None:
    """Raises PtxError when `check` finds an error."""
    found = check(text, **options)
    if any(d.severity == "error" for d in found):
        raise PtxError(found)


def _diagnostic(line: dict[str, typing.Any]) -> Diagnostic:
    def place(entry: dict[str, typing.Any], end: str) -> typing.Any:  # only notes may have none
        return Place(**entry["range"][end]) if "range" in entry else None

    fix, origin = line.get("fix"), line.get("origin")
    return Diagnostic(
        line["rule"],
        line["severity"],
        line["message"],
        place(line, "start"),
        place(line, "end"),
        notes=tuple(Note(note["message"], place(note, "start"), place(note, "end")) for note in line["notes"]),
        fix=fix and Fix(fix["title"], fix["safe"], tuple(Edit(**edit) for edit in fix["edits"])),
        origin=origin and (origin["path"], origin["line"]),
        manual=line.get("manual"),
        path=line["path"],
        kind=line["args"].get("kind"),
    )
