"""Downloads packages from PyPI with pip, for scripts that fetch compilers and the references of tests."""

import pathlib
import subprocess
import sys

# These are the names for x86-64 Linux, from the oldest to the newest that any of the packages has.
PLATFORMS = [
    *(f"manylinux{name}_x86_64" for name in ("1", "2010", "2014", "_2_12", "_2_17", "_2_24", "_2_26")),
    *(f"manylinux{name}_x86_64" for name in ("_2_27", "_2_28", "_2_31", "_2_34", "_2_35", "_2_39")),
    "any",
]


def download(package, version, folder, sha256=None):
    """the path of a wheel, without what it depends on; where the version is None of the newest, an early one if there
    is no other; subprocess.CalledProcessError where it cannot be had"""
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
    """the Python of a virtual environment with what the words ask `pip install` for; subprocess.CalledProcessError,
    with what pip said, where that cannot be had"""
    python = pathlib.Path(folder) / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, text=True)
    if words:
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words]
        subprocess.run(install, check=True, capture_output=True, text=True)
    return python
