"""Provides functions for the scripts of this folder. Each script is one ctest test. Exit status 77 means that it was
skipped, and one line states the reason. The tools that PTXRAY_REQUIRE names must not be missing; `all` names every
tool."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import pypi

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "package"
EXTENSION = ROOT / "tools" / "vscode"


def skip(tool, reason):
    print(f"skipped: {reason}")
    required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
    sys.exit(1 if "all" in required or tool in required else 77)


def need(tool):
    """Returns the path of a program."""
    path = shutil.which(tool)
    if not path:
        skip(tool, f"no program {tool}")
    return path


def run(*command, status=0, **options):
    """Returns the output of a command. Another exit status than `status` ends the test; None allows any status."""
    result = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )
    if status is not None and result.returncode != status:
        print(f"{' '.join(map(str, command))}: exit status {result.returncode}, {status} expected")
        sys.exit(result.stdout[-4000:] + result.stderr[-4000:])
    return result.stdout


def python_with(*requirements):
    """Returns a Python with these packages of PyPI, which is installed once."""
    folder = CACHE / ("-".join(requirements).replace("==", "-") or "plain")
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            pypi.environment(folder, *requirements)
        except subprocess.CalledProcessError as error:
            skip("pypi", f"PyPI does not give {' '.join(requirements)}: {error.stderr}")
        (folder / "complete").touch()
    return python


def npm(folder, *arguments):
    """Runs npm in a folder, without running programs of packages."""
    command = [need("npm"), *arguments, "--ignore-scripts", "--no-audit", "--no-fund"]
    if subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).returncode:
        skip("npm", f"npm does not give {' '.join(arguments)}")


def npm_packages(name, *packages):
    """Returns a folder with these packages of npm, which is installed once. The caller marks it as complete."""
    folder = CACHE / name
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}\n')
        npm(folder, "install", *packages)
    return folder


def vscode_extension():
    """Returns a copy of the folder of VS Code's extension, with everything for its build."""
    lock = (EXTENSION / "package-lock.json").read_bytes()
    folder = CACHE / f"vscode-{hashlib.sha256(lock).hexdigest()[:12]}"
    copied = shutil.copytree(
        EXTENSION,
        folder / "tools" / "vscode",
        ignore=shutil.ignore_patterns("node_modules", "dist", "bin"),
        dirs_exist_ok=True,
    )
    shutil.copy(ROOT / "LICENSE", folder)
    (folder / "tools" / "playground").mkdir(exist_ok=True)
    for script in (ROOT / "tools" / "playground").glob("*.mjs"):  # its worker needs these files
        shutil.copy(script, folder / "tools" / "playground")
    if not (folder / "complete").exists():
        npm(copied, "ci")
        (folder / "complete").touch()
    return pathlib.Path(copied)


def copy_sources(target):
    """Copies the sources like a fresh clone, including uncommitted changes."""
    listed = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(lambda name: name and os.path.lexists(ROOT / name), listed):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name, follow_symlinks=False)


def version():
    """Returns the version of the project."""
    return re.search(r"project\(ptxray VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def wheel(binary):
    """Returns the project's wheel, which contains that program."""
    folder = CACHE / "wheel"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PTXRAY_BINARY": str(binary)}
    name = run(sys.executable, ROOT / "tools/python/build_wheel.py", folder, env=environment).strip()
    return folder / name


BAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<4>;
	mov.b32 %r0, %r9;
	mov.b32 %r0, %r1
	ret;
}
"""
GOOD = BAD.replace("%r9", "%r2").replace("%r1\n", "%r1;\n")
