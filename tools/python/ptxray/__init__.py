"""Checks PTX, the assembly language of NVIDIA GPUs.

import ptxray
for d in ptxray.check(text, target="sm_90a"):
    print(d)

checker = ptxray.Checker(target="sm_90a")  # for many texts
all(not found.errors for found in checker.check_many(texts))

ptxray.emulate(text, [2.5, x, y, len(x)], grid=4, block=256)  # without a GPU; x and y: arrays of numpy
"""

import collections.abc
import dataclasses
import functools
import importlib.metadata
import itertools
import os
import pathlib
import threading
import typing

from . import _library, _worker
from ._emulation import EmulationError, Equality, Launched, Machine, Surface, TensorMap, Texture, emulate, equal

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._judge import Verdict, judge, judge_folder, reward

__all__ = [
    "Checker",
    "Diagnostic",
    "Diagnostics",
    "Edit",
    "EmulationError",
    "Equality",
    "Fix",
    "Launched",
    "Machine",
    "Note",
    "Place",
    "PtxError",
    "Surface",
    "TensorMap",
    "Texture",
    "Verdict",
    "__version__",
    "check",
    "check_many",
    "emulate",
    "equal",
    "judge",
    "judge_folder",
    "program",
    "reduce",
    "require",
    "reward",
    "version",
]

__version__: str  # computed on first access


@dataclasses.dataclass(frozen=True)
class Place:
    """A position in a text. Lines and columns count from 1; columns and offsets are in bytes."""

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
    origin: typing.Optional[tuple[str, int]] = None  # path and line of the source of this PTX
    manual: typing.Optional[str] = None  # section of the PTX manual
    path: str = "<ptx>"
    kind: typing.Optional[str] = None  # kind of a rule that has kinds: `rounding` of `missing-qualifier`

    def __str__(self) -> str:
        return f"{self.path}:{self.begin.line}:{self.begin.column}: {self.severity}: {self.message} [{self.rule}]"


class PtxError(ValueError):
    """Raised by `require`. `diagnostics` holds the findings."""

    def __init__(self, diagnostics: collections.abc.Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


@functools.cache
def program() -> str:
    """Returns the path of the program in this package, or $PTXRAY_PROGRAM."""
    if given := os.environ.get("PTXRAY_PROGRAM"):
        return given
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


def __getattr__(name: str) -> typing.Any:
    if name == "__version__":
        return version()
    if name in ("Verdict", "judge", "judge_folder", "reward"):  # most programs do not need them
        from . import _judge

        globals()[name] = getattr(_judge, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Diagnostics(collections.abc.Sequence[Diagnostic]):
    """The findings in a text, in its order: a sequence of Diagnostic objects, which are made when they are accessed.
    `errors` counts without making them. The sequence is equal to a list of the same diagnostics, and can be pickled."""

    __slots__ = ("_answer", "_checked_as", "_made", "_path")

    def __init__(self, answer: typing.Any, path: str) -> None:
        self._answer, self._path = answer, path
        self._made: list[Diagnostic] = []
        self._checked_as = ("", "")

    @property
    def errors(self) -> int:
        answer = self._answer
        return sum(d.severity == "error" for d in self._made) if answer is None else int(answer.errors())

    @property
    def ptx(self) -> str:
        """The PTX version for which the text was checked, such as `9.0`. Empty if it is not known."""
        return self._as()[0]

    @property
    def target(self) -> str:
        """The target for which the text was checked, such as `sm_90a`. Empty if it is not known."""
        return self._as()[1]

    def _as(self) -> tuple[str, str]:
        answer = self._answer
        return self._checked_as if answer is None else answer.checked_as()

    def _all(self) -> list[Diagnostic]:
        answer = self._answer
        if answer is not None:  # two threads may make them, and get equal ones
            self._checked_as = answer.checked_as()
            self._made = [_diagnostic(d, self._path) for d in answer.diagnostics()]
            self._answer = None
        return self._made

    def __len__(self) -> int:
        answer = self._answer
        return len(self._made) if answer is None else int(answer.count())

    @typing.overload
    def __getitem__(self, index: int) -> Diagnostic: ...
    @typing.overload
    def __getitem__(self, index: slice) -> list[Diagnostic]: ...
    def __getitem__(self, index: typing.Union[int, slice]) -> typing.Union[Diagnostic, list[Diagnostic]]:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, Diagnostics)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> typing.Any:
        return _unpickled, (self._all(), self._path, self._as())


def _unpickled(made: list[Diagnostic], path: str, checked_as: tuple[str, str]) -> Diagnostics:
    found = Diagnostics(None, path)
    found._made, found._checked_as = made, checked_as
    return found


@functools.cache
def _engine() -> typing.Any:
    """Returns the library in this process, or if there is none, a worker that runs processes."""
    return _library.load() or _worker.Worker(program())


def _bytes(text: typing.Union[str, bytes]) -> bytes:
    if isinstance(text, str):
        return text.encode()
    try:
        return bytes(memoryview(text))
    except TypeError:
        raise TypeError(f"a text of PTX is str or bytes, not {type(text).__name__}") from None


def _arrow(array: typing.Any) -> collections.abc.Iterator[typing.Optional[tuple[int, int]]]:
    """Yields address and length of each text of a pyarrow array, or None for a null. Copies nothing."""
    if hasattr(array, "chunks"):
        for chunk in array.chunks:
            yield from _arrow(chunk)
        return
    import ctypes

    wide = str(array.type).startswith("large_")
    buffers = array.buffers()
    offsets = memoryview(buffers[1]).cast("q" if wide else "i") if buffers[1] else ()
    base = buffers[2].address if buffers[2] else ctypes.addressof(ctypes.c_char())
    valid = array.is_valid().to_pylist() if array.null_count else itertools.repeat(True)
    for i, is_valid in zip(range(array.offset, array.offset + len(array)), valid):
        yield (base + offsets[i], offsets[i + 1] - offsets[i]) if is_valid else None


def _is_missing(text: typing.Any) -> bool:
    """Returns whether a text is None, or the value by which pandas represents it."""
    return text is None or isinstance(text, float) or type(text).__name__ == "NAType"


def _texts(texts: typing.Any) -> list[typing.Any]:
    """Returns each text in a form that `_engine().check` accepts, or None."""
    if str(getattr(texts, "type", "")).removeprefix("large_") in ("string", "binary"):
        return list(_arrow(texts))
    if hasattr(texts, "tolist"):  # numpy, pandas
        texts = texts.tolist()
    return [None if _is_missing(text) else _bytes(text) for text in texts]


class Checker:
    """Checks texts with the same options. Several threads may use it at the same time, and it may be used after a
    fork.

    With `language` (cuda, python, llvm, rust), the assembly in texts of that language is checked. With `constraints`, a
    text is the template of one statement of assembly, with LLVM's constraints: `=r,r,~{memory}`.

    `target` and `ptx` check as if `.target` and `.version` said this; `arch` asks also whether the module may be
    compiled for that GPU. `on`, `off`, `warning` and `error` name rules. `path` is how the diagnostics name the text.
    Raises ValueError if an option is wrong."""

    def __init__(
        self,
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
    ) -> None:
        options = {
            "target": target,
            "ptx": ptx,
            "arch": arch,
            "pedantic": "yes" if pedantic else None,
            "werror": "yes" if werror else None,
            "on": ",".join(on) or None,
            "off": ",".join(off) or None,
            "warning": ",".join(warning) or None,
            "error": ",".join(error) or None,
            "language": language,
            "constraints": constraints,
        }
        self._given = {name: value for name, value in options.items() if value is not None}
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._engine = _engine()
        self._options = self._engine.options(self._given)

    def __getstate__(self) -> tuple[dict[str, str], str]:
        return self._given, self._path

    def __setstate__(self, state: tuple[dict[str, str], str]) -> None:
        self._given, self._path = state
        self._begin()

    def check(self, text: typing.Union[str, bytes]) -> Diagnostics:
        """Returns the findings in a text. A final zero byte, as in texts from NVRTC and Warp, is ignored."""
        return Diagnostics(self._engine.check(_bytes(text), self._options), self._path)

    def check_many(
        self, texts: typing.Iterable[typing.Any], jobs: typing.Optional[int] = None
    ) -> list[typing.Optional[Diagnostics]]:
        """Returns the findings in each text, in order. Checks `jobs` texts at the same time, by default one per core.

        The texts may be an array of numpy or pyarrow, or a column of pandas. The result for None is None."""
        waiting = _texts(texts)
        found: list[typing.Optional[Diagnostics]] = [None] * len(waiting)
        places = itertools.count()
        problems: list[BaseException] = []

        def work() -> None:
            try:
                while not problems and (i := next(places)) < len(waiting):
                    if waiting[i] is not None:
                        found[i] = Diagnostics(self._engine.check(waiting[i], self._options), self._path)
            except BaseException as problem:
                problems.append(problem)

        helpers = [threading.Thread(target=work) for _ in range(min(jobs or os.cpu_count() or 1, len(waiting)) - 1)]
        for helper in helpers:
            helper.start()
        work()
        for helper in helpers:
            helper.join()
        if problems:
            raise problems[0]
        return found

    def require(self, text: typing.Union[str, bytes]) -> None:
        """Raises PtxError if the text has an error."""
        found = self.check(text)
        if found.errors:
            raise PtxError(found)


class _Options(typing.TypedDict, total=False):
    target: typing.Optional[str]
    ptx: typing.Optional[str]
    arch: typing.Optional[str]
    pedantic: bool
    werror: bool
    on: typing.Iterable[str]
    off: typing.Iterable[str]
    warning: typing.Iterable[str]
    error: typing.Iterable[str]
    path: str
    language: typing.Optional[str]
    constraints: typing.Optional[str]


@functools.lru_cache(maxsize=256)
def _known(options: tuple[tuple[str, typing.Any], ...]) -> Checker:
    return Checker(**dict(options))


def _checker(options: typing.Any) -> Checker:
    lists = ("on", "off", "warning", "error")
    return _known(tuple((name, tuple(value) if name in lists else value) for name, value in options.items()))


def check(text: typing.Union[str, bytes], **options: "Unpack[_Options]") -> Diagnostics:
    """Checks a PTX text and returns the findings, in the order of the text. The options are those of Checker."""
    return _checker(options).check(text)


def check_many(
    texts: typing.Iterable[typing.Any], jobs: typing.Optional[int] = None, **options: "Unpack[_Options]"
) -> list[typing.Optional[Diagnostics]]:
    """Calls Checker(**options).check_many(texts, jobs)."""
    return _checker(options).check_many(texts, jobs)


def require(text: typing.Union[str, bytes], **options: "Unpack[_Options]") -> None:
    """Raises PtxError if `check` finds an error."""
    _checker(options).require(text)


def reduce(
    text: typing.Union[str, bytes],
    test: collections.abc.Callable[[str], bool] = lambda text: True,
    *,
    rule: typing.Optional[str] = None,
) -> str:
    """Reduces a text as long as `test` is true for the result, or as long as ptxray reports the rule for it. Returns
    the smallest text found. Raises ValueError if `text` itself does not meet the condition."""
    engine = _engine()
    if not hasattr(engine, "reduce"):
        raise RuntimeError("there is no libptxray for this system, which reduces inside this process")
    smaller: str = engine.reduce(_bytes(text), test, engine.options({}), rule)
    return smaller


def _diagnostic(line: dict[str, typing.Any], path: str) -> Diagnostic:
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
        path=path,
        kind=line["args"].get("kind"),
    )
