"""Builds the Python package: a wheel of the module ptxray and the static program. It is a PEP 517 backend, so
`pip install .` and `pip wheel .` call it, and it needs nothing but Python.

The program is $PTXRAY_BINARY if that is set, else that of build/release, which `tools/dev build` makes first.
It is static, so the wheel runs on any x86-64 Linux; the tag names the oldest one that pip lets us name for all of
them, manylinux_2_28, and test/package/test_wheel.py has auditwheel prove it. tools/release makes the wheels of other
platforms with `write_wheel`."""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORM = "manylinux_2_28_x86_64"


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


def program():
    binary = os.environ.get("PTXRAY_BINARY")
    if not binary:
        subprocess.run([ROOT / "tools" / "dev", "build", "release"], check=True)
        binary = ROOT / "build" / "release" / "tools" / "ptxray" / "ptxray"
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "ptxray"
        shutil.copy(binary, small)
        if shutil.which("strip"):
            subprocess.run(["strip", small], check=True)
        return small.read_bytes()


def contents(tag, scripts, licences):
    """name, mode and bytes of each file of the wheel but RECORD"""
    package = ROOT / "tools" / "python" / "ptxray"
    info = f"ptxray-{version()}.dist-info"
    for path in [*sorted(package.glob("*.py")), package / "py.typed"]:
        yield f"ptxray/{path.name}", 0o644, path.read_bytes()
    for name, data in sorted(scripts.items()):
        yield f"ptxray-{version()}.data/scripts/{name}", 0o755, data
    yield f"{info}/METADATA", 0o644, metadata().encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: ptxray\nRoot-Is-Purelib: false\nTag: {tag}\n"
    yield f"{info}/WHEEL", 0o644, wheel.encode()
    yield f"{info}/licenses/LICENSE", 0o644, (ROOT / "LICENSE").read_bytes()
    if licences:
        yield f"{info}/licenses/THIRD-PARTY-LICENSES", 0o644, licences


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, PLATFORM, {"ptxray": program()})


def write_wheel(wheel_directory, platform, scripts, licences=b""):
    """Puts programs, {name: bytes}, and the module into a wheel; its name."""
    tag = f"py3-none-{platform}"
    name = f"ptxray-{version()}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(path, mode, data):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes each time
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)

        for path, mode, data in contents(tag, scripts, licences):
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
    import sys

    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else "."))
