"""Downloads packages from PyPI with pip, for scripts that fetch compilers and the references of tests."""

import pathlib
import subprocess
import sys

# These are the names for x86-64 Linux, from the oldest to the newest that the packages use.
PLATFORMS = [
    *(f"manylinux{name}_x86_64" for name in ("1", "2010", "2014", "_2_12", "_2_17", "_2_24", "_2_26")),
    *(f"manylinux{name}_x86_64" for name in ("_2_27", "_2_28", "_2_31", "_2_34", "_2_35", "_2_39")),
    "any",
]


def download(package, version, folder, sha256=None):
    """Returns the path of a wheel, without its dependencies. If the version is None, this is the newest one; a
    prerelease only counts if there is no other. Raises subprocess.CalledProcessError if it is not available."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    requirement = folder / "wheel.txt"
    wanted = f"{package}=={version}" if version else package
    requirement.write_text(wanted + (f" --hash=sha256:{sha256}" if sha256 else "") + "\n")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    words += ["--only-binary=:all:", *(f"--platform={platform}" for platform in PLATFORMS)]
    words += ["--require-hashes"] if sha256 else []
    words += ["--dest", folder, "-r", requirement]
    if version or subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode:
        subprocess.run([*words, *([] if version else ["--pre"])], check=True)
    requirement.unlink()
    return next(folder.glob(f"{package.replace('-', '_')}-{version or ''}*.whl"))


def environment(folder, *words):
    """Returns the Python of a virtual environment with the packages for which the words ask `pip install`. Raises
    subprocess.CalledProcessError with the output of pip if one is not available."""
    python = pathlib.Path(folder) / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, text=True)
    if words:
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words]
        subprocess.run(install, check=True, capture_output=True, text=True)
    return python
