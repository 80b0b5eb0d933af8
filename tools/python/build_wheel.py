"""Builds the Python package: a wheel of the module ptxray, the static program, the shared library, and the CUDA driver
and runtime of `ptxray emulate`. It is a PEP 517 backend, so `pip install .` and `pip wheel .` call it. It only needs
Python.

The program is $PTXRAY_BINARY if that is set, and otherwise that of build/release, which `tools/dev build` builds
first. The libraries come from the same build, if it has them. The program is static, and the libraries only need
glibc 2.28 (lib/Api/Shared), as the tag manylinux_2_28 states. test/package/test_wheel.py verifies this with
auditwheel. tools/release makes the wheels of other platforms with `write_wheel`."""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORM = f"manylinux_2_28_{platform.machine()}"


def version():
    return re.search(r"project\(ptxray VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata():
    text = (ROOT / "pyproject.toml").read_text()

    def field(name):
        return re.search(rf'^{name} = "(.*)"$', text, re.M).group(1)

    return (
        f"Metadata-Version: 2.4\nName: ptxray\nVersion: {version()}\nSummary: {field('description')}\n"
        f"License-Expression: Apache-2.0\nRequires-Python: {field('requires-python')}\n"
        "License-File: LICENSE\nDescription-Content-Type: text/markdown\n\n" + (ROOT / field("readme")).read_text()
    )


def binary():
    given = os.environ.get("PTXRAY_BINARY")
    if given:
        return pathlib.Path(given).resolve()
    # The library is linked with the runtime. Without it, the wheel only contains the program.
    subprocess.run([ROOT / "tools" / "dev", "runtime"], check=False)
    subprocess.run([ROOT / "tools" / "dev", "build", "release", "wheel_contents"], check=True)
    return ROOT / "build" / "release" / "tools" / "ptxray" / "ptxray"


def stripped(path):
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "stripped"
        shutil.copy(path, small)
        if shutil.which("strip"):
            subprocess.run(["strip", small], check=True)
        return small.read_bytes()


def information(tag):
    """Returns name and bytes of the metadata files of the wheel."""
    info = f"ptxray-{version()}.dist-info"
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: ptxray\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    yield f"{info}/entry_points.txt", b"[pytest11]\nptxray = ptxray.pytest_plugin\n"


def contents(tag, scripts, licences, library, driver):
    """Returns name, mode and bytes of each file of the wheel except RECORD."""
    package = ROOT / "tools" / "python" / "ptxray"
    info = f"ptxray-{version()}.dist-info"
    for path in [*sorted(package.rglob("*.py")), package / "py.typed"]:
        yield f"ptxray/{path.relative_to(package)}", 0o644, path.read_bytes()
    for name, data in sorted(scripts.items()):
        yield f"ptxray-{version()}.data/scripts/{name}", 0o755, data
    if library:
        yield "ptxray/libptxray.so", 0o755, library
    for name, data in sorted(driver.items()):  # the program searches for them next to its folder
        yield f"ptxray-{version()}.data/data/lib/ptxray/{name}", 0o755, data
    for path, data in information(tag):
        yield path, 0o644, data
    yield f"{info}/licenses/LICENSE", 0o644, (ROOT / "LICENSE").read_bytes()
    if licences:
        yield f"{info}/licenses/THIRD-PARTY-LICENSES", 0o644, licences


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the metadata that pip requests first, so that it builds once."""
    for name, data in information(f"py3-none-{PLATFORM}"):
        path = pathlib.Path(metadata_directory) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return path.parent.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    program = binary()
    library = program.parents[2] / "lib" / "libptxray.so"
    if not library.exists():
        print(
            "ptxray: this wheel has no library, so that its module talks to a process of the program beside it: "
            "the source of ANTLR's runtime was not found (docs/building.md)",
            file=sys.stderr,
        )
    data = stripped(library) if library.exists() else b""
    folder = library.parent / "ptxray"
    driver = {name: stripped(folder / name) for name in ("libcuda.so.1", "libcudart.so.13") if (folder / name).exists()}
    return write_wheel(wheel_directory, PLATFORM, {"ptxray": stripped(program)}, library=data, driver=driver)


def write_wheel(wheel_directory, platform, scripts, licences=b"", library=b"", driver=None):
    """Writes a wheel with programs, {name: bytes}, the module, its library and the driver, as far as they exist.
    Returns its name."""
    tag = f"py3-none-{platform}"
    name = f"ptxray-{version()}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(path, mode, data):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # a fixed date, for reproducible bytes
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)

        for path, mode, data in contents(tag, scripts, licences, library, driver or {}):
            add(path, mode, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        path = f"ptxray-{version()}.dist-info/RECORD"
        add(path, 0o644, (record + path + ",,\n").encode())
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"ptxray-{version()}"
    archive = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "-C", ROOT, "archive", f"--prefix={name}/", "-o", archive.resolve(), "HEAD"], check=True)
    return archive.name


if __name__ == "__main__":
    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else "."))
