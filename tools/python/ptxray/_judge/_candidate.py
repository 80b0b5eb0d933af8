"""A candidate: its PTX and its launch file."""

import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing

from . import _launch, _limits

_COMPILE_SECONDS = 120
_COMPILE_BYTES = 256 << 20  # of a file that the compiler writes


class NoCompiler(RuntimeError):
    """There is no nvcc on this computer."""


class CompileError(ValueError):
    """nvcc rejects the source."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """What is judged. `launch` is a path or the object itself; None: the file next to the candidate."""

    path: str
    launch: typing.Union[str, dict[str, typing.Any], None] = None

    @property
    def launch_path(self) -> typing.Optional[str]:
        return self.launch if isinstance(self.launch, str) else None

    def launch_file(self) -> _launch.LaunchFile:
        """Raises LaunchError or OSError."""
        return _launch.LaunchFile.read(self._launch())

    def _launch(self) -> typing.Union[bytes, dict[str, typing.Any]]:
        if isinstance(self.launch, dict):
            return self.launch
        assert self.launch is not None
        return pathlib.Path(self.launch).read_bytes()

    def digest(self) -> str:
        """Returns a hash of all that the candidate says."""
        launch = self._launch() if self.launch is not None else b""
        data = launch if isinstance(launch, bytes) else repr(launch).encode()
        return hashlib.sha256(pathlib.Path(self.path).read_bytes() + b"\0" + data).hexdigest()

    def ptx(self, chip: typing.Optional[str], arch: str = "sm_90") -> str:
        """Returns the PTX, compiled if the candidate is CUDA. Raises NoCompiler, CompileError or OSError."""
        if self.path.endswith(".cu"):
            return compiled(pathlib.Path(self.path), chip or arch)
        return pathlib.Path(self.path).read_bytes().decode("utf-8", "replace")


def launch_next_to(path: str) -> typing.Optional[str]:
    """Returns the launch file of a candidate: of its name, or `case.json`; None: there is none."""
    candidate = pathlib.Path(path)
    for place in (candidate.with_suffix(".json"), candidate.parent / "case.json", candidate.parent / "launch.json"):
        if place.is_file():
            return str(place)
    return None


def candidates_in(folder: str, launch: typing.Optional[str] = None) -> list[Candidate]:
    """Returns the candidates below a folder, by path. CUDA next to PTX of its name is the source of that PTX."""
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.suffix in (".ptx", ".cu", ".py"))
    known = {path for path in paths if path.suffix == ".ptx"}
    found = []
    for path in paths:
        if path.suffix != ".ptx" and path.with_suffix(".ptx") in known:
            continue
        found.append(Candidate(str(path), launch or launch_next_to(str(path))))
    return found


def nvcc() -> str:
    """Returns the path of nvcc: $PTXRAY_NVCC, that of a PyPI wheel, or the one in PATH. Raises NoCompiler."""
    if given := os.environ.get("PTXRAY_NVCC"):
        return given
    for folder in sys.path:
        for wheel in ("nvidia/cu13/bin/nvcc", "nvidia/cuda_nvcc/bin/nvcc"):
            place = os.path.join(folder, wheel)
            if os.access(place, os.X_OK):
                return place
    found = shutil.which("nvcc")
    if not found:
        raise NoCompiler("there is no nvcc: install it, `pip install nvidia-cuda-nvcc`, or name it by $PTXRAY_NVCC")
    return found


def _confined(compiler: str, folder: str) -> typing.Callable[[], None]:
    """Returns the function that a compiler's process calls first. It limits file access, since the source of a
    candidate may include any file that the process can read."""
    place = os.path.realpath(shutil.which(compiler) or compiler)
    linked = os.path.dirname(os.path.dirname(shutil.which(compiler) or compiler))

    def confine() -> None:
        _limits.end_with_parent()
        _limits.limit(_COMPILE_SECONDS, 4 << 30, _COMPILE_BYTES)
        _limits.without_network()
        _limits.only_files((*_limits.SYSTEM, os.path.dirname(os.path.dirname(place)), linked), (folder, "/dev/null"))

    return confine


def compiled(source: pathlib.Path, arch: str) -> str:
    """Returns the PTX of CUDA. Raises NoCompiler or CompileError."""
    compiler = nvcc()
    with tempfile.TemporaryDirectory(prefix="ptxray-judge-") as folder:
        copy, out = pathlib.Path(folder) / "candidate.cu", pathlib.Path(folder) / "candidate.ptx"
        copy.write_bytes(source.read_bytes())  # no file beside it can be included
        words = [compiler, "-ptx", f"-arch={arch}", "-lineinfo", "-o", str(out), str(copy)]
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**_limits.environment(), "TMPDIR": folder},
                timeout=_COMPILE_SECONDS,
                preexec_fn=_confined(compiler, folder),
            )
        except subprocess.TimeoutExpired:
            raise CompileError(f"nvcc takes longer than {_COMPILE_SECONDS} seconds") from None
        except (OSError, subprocess.SubprocessError) as problem:
            raise NoCompiler(f"`{compiler}` cannot be started: {problem}") from None
        if done.returncode or not out.is_file():
            said = done.stdout.decode("utf-8", "replace").replace(folder + "/", "").strip()
            raise CompileError(said.split("\n")[0] or f"nvcc ends with {done.returncode}")
        return out.read_bytes().decode("utf-8", "replace")
