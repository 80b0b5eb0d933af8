"""Installs and uses every artefact of a release on a minimal system: try_all.py FOLDER [PART...].

FOLDER is the output of `tools/dev release`. The parts are sums, contents, tarballs, wheels, debs, rpms, image,
extensions, web, source; the default is all of them. The test reports and skips a part whose tools are missing, and
the exit status is 77. With PTXRAY_REQUIRE=all, it fails. docs/releasing.md lists untested parts."""

import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import BAD, CACHE, GOOD, need, python_with, run, skip, version, vscode_extension

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = version()
SKIPPED = 77
LARGEST = 6_000_000  # maximum number of bytes of a program for Linux on x86-64
SYSTEMS = {"linux": "linux", "macos": "darwin", "windows": "win32"}  # VS Code's names
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def emulator(machine):
    """Returns the words before a program for that machine, or none for this machine."""
    return [] if machine == platform.machine() else [need(f"qemu-{machine}-static")]


def one(folder, pattern):
    found = sorted(folder.glob(pattern))
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def judge(command, work):
    """Tests that an installed program prints its version and judges."""
    assert run(*command, "version").startswith(f"ptxray {RELEASE}")
    (work / "bad.ptx").write_text(BAD)
    (work / "good.ptx").write_text(GOOD)
    run(*command, "check", work / "good.ptx")
    assert "[expected-semicolon]" in run(*command, "check", "--format=short", work / "bad.ptx", status=1)


def sums(folder, work):
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
    named = {line.split()[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    there = {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert named == there, named ^ there
    return f"{len(named)} files have their sums"


def contents(folder, work):
    """Checks the SBOM with SPDX's validator. It must contain all published files."""
    document = one(folder, "*.spdx.json")
    run(python_with("spdx-tools==0.8.5"), "-m", "spdx_tools.spdx.clitools.pyspdxtools", "-i", document)
    listed = json.loads(document.read_text())
    for entry in listed["files"]:
        (sha256,) = (sum["checksumValue"] for sum in entry["checksums"] if sum["algorithm"] == "SHA256")
        assert hashlib.sha256((folder / entry["fileName"]).read_bytes()).hexdigest() == sha256, entry
    names = {path.name for path in folder.iterdir()} - {"SHA256SUMS", document.name}
    assert {entry["fileName"][2:] for entry in listed["files"]} == names
    return f"the SBOM names {len(listed['packages'])} packages and all {len(names)} files"


def tarballs(folder, work):
    """Tests Linux programs on this machine or with an emulator. Each must judge all modules of the tests like the
    first one."""
    native = work / "native"
    with tarfile.open(one(folder, f"*-{platform.machine()}-linux.tar.gz")) as archive:
        archive.extractall(native)
    (top,) = native.iterdir()
    for page in ("share/man/man1/ptxray.1.gz", "share/bash-completion/completions/ptxray", "libexec/ptxray-run"):
        assert (top / page).exists(), page
    assert not re.search(r"/(home|work|root|tmp|build)/", run("strings", "-n8", top / "bin/ptxray")), "a build path"
    assert (top / "bin/ptxray").stat().st_size < LARGEST, (top / "bin/ptxray").stat().st_size
    said = run(top / "bin" / "ptxray", "run", "--list-gpus", status=None)  # the program finds its other half or not
    assert "ptxray-run is missing" not in said
    for path in sorted(folder.glob("*-linux.tar.gz")):
        machine = re.search(r"-(\w+)-linux", path.name)[1]
        words = [sys.executable, HERE / "try_program.py", path, "--runner", " ".join(emulator(machine))]
        print(run(*words, "--against", os.environ.get("PTXRAY_JUDGED", top / "bin/ptxray")).strip())
    for path in [*folder.glob("*-macos.tar.gz"), *folder.glob("*-windows.zip")]:
        print(f"{path.name}: {foreign(path, top / 'bin/ptxray', work)}")
    return "the archives work"


def foreign(path, linux, work):
    """Tests a program for another system as far as possible. The Windows program runs under wine, and must judge
    like `linux`."""
    if path.suffix == ".zip":
        wine = shutil.which("wine64", path=f"{os.environ['PATH']}:/usr/lib/wine") or need("wine")
        environment = {**os.environ, "WINEPREFIX": str(work / "wine"), "WINEDEBUG": "-all"}
        words = [sys.executable, HERE / "try_program.py", path, "--runner", wine, "--against", linux]
        return run(*words, env=environment).strip()
    place = work / path.name
    shutil.unpack_archive(path, place)
    (program,) = (file for file in place.rglob("bin/*"))
    otool, machine = need("llvm-otool-22"), {"aarch64": "ARM64", "x86_64": "X86_64"}[path.name.split("-")[2]]
    assert re.search(rf"MH_MAGIC_64 +{machine} .* EXECUTE", run(otool, "-hv", program))
    libraries = run(otool, "-L", program).splitlines()[1:]
    assert [line.split()[0] for line in libraries] == ["/usr/lib/libSystem.B.dylib"], libraries
    commands = run(otool, "-l", program)
    assert "minos 13.0" in commands, commands  # the wheel declares the same version
    assert machine != "ARM64" or "LC_CODE_SIGNATURE" in commands, "no system for ARM64 starts it unsigned"
    return f"a signed program of {machine} for macOS 13, which needs the system's library alone; not run here"


def wheels(folder, work):
    found = sorted(folder.glob("*.whl"))
    assert found
    run(python_with("twine==7.0.0"), "-m", "twine", "check", "--strict", *found)
    check = python_with("check-wheel-contents==0.6.3").parent / "check-wheel-contents"
    for path in found:
        run(check, path)
        names = set(run(sys.executable, "-m", "zipfile", "-l", path).split())
        for name in ("ptxray/__init__.py", "ptxray/py.typed", f"ptxray-{RELEASE}.dist-info/licenses/LICENSE"):
            assert name in names, f"{path.name} has no {name}"
    for path in (path for path in found if "linux" in path.name):
        auditwheel = python_with("auditwheel==6.8.2")
        shown = " ".join(run(auditwheel, "-m", "auditwheel", "show", path).split())
        assert re.search(r"manylinux_2_(1[0-9]|2[0-8])_", shown), shown
    own = one(folder, f"*linux*{platform.machine()}*.whl")
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    python = work / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", own)
    judge([work / "venv/bin/ptxray"], work)
    use = (
        "import ptxray, sys\nassert ptxray.__version__ == ptxray.version() == sys.argv[1]\n"
        "print(len(ptxray.check(sys.argv[2])))"
    )
    assert run(python, "-c", use, RELEASE, BAD).strip() == "2"
    return f"{len(found)} wheels are right, {own.name} installed and used"


def minimal_root(architecture):
    """Returns a minimal Debian, which is built once and copied."""
    base = CACHE / f"root-{architecture}.tar"
    if not base.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = base.with_suffix(".partial.tar")
        words = [need("mmdebstrap"), "--variant=essential", f"--architectures={architecture}", "--mode=root"]
        if subprocess.run([*words, "--quiet", "bookworm", partial]).returncode != 0:
            skip("mmdebstrap", f"no root of Debian for {architecture} can be made")
        partial.rename(base)
    return base


def debs(folder, work):
    for path in sorted(folder.glob("*.deb")):
        architecture = re.search(r"_(\w+)\.deb", path.name)[1]
        machine = MACHINES[architecture]
        root = work / f"root-{architecture}"
        root.mkdir()
        if machine == platform.machine():
            run("tar", "-xf", minimal_root(architecture), "-C", root)
            (root / "ptxray.deb").write_bytes(path.read_bytes())
            run("chroot", root, "dpkg", "--install", "/ptxray.deb")
            (root / "bad.ptx").write_text(BAD)
            said = run("chroot", root, "/usr/bin/ptxray", "check", "--format=short", "/bad.ptx", status=1)
            assert "[expected-semicolon]" in said
            run("chroot", root, "dpkg", "--remove", "ptxray")
            assert not (root / "usr/bin/ptxray").exists()
        else:  # the kernel must support programs of a foreign system; the tested program does not need this
            run("dpkg-deb", "-x", path, root)
            judge([*emulator(machine), root / "usr/bin/ptxray"], work)
        judged = run(need("lintian"), "--fail-on", "none", "--no-tag-display-limit", path, status=None)
        errors = [line for line in judged.splitlines() if line.startswith("E:") and "bogus-mail-host" not in line]
        assert not errors, judged
    return "the .debs are installed and used"


def rpms(folder, work):
    rpm = need("rpm")
    for path in sorted(folder.glob("*.rpm")):
        machine = re.search(r"\.(\w+)\.rpm", path.name)[1]
        root = work / f"rpm-{machine}"
        root.mkdir()
        words = ["--root", root, "--dbpath", "/rpmdb"]
        run(rpm, *words, "--initdb")
        run(rpm, *words, "--install", "--ignorearch", "--nodeps", path)
        assert run(rpm, *words, "--query", "ptxray").startswith(f"ptxray-{RELEASE}")
        run(rpm, *words, "--verify", "--nodeps", "ptxray")
        assert not run(rpm, "-qpR", path).replace("rpmlib(", "").count("libc.so"), "it needs a C library"
        judge([*emulator(machine), root / "usr/bin/ptxray"], work)
        run(rpm, *words, "--erase", "ptxray")
    return "the .rpms are installed, verified and used"


def image(folder, work):
    path = one(folder, "*-oci.tar")
    layout = work / "layout"
    with tarfile.open(path) as archive:
        archive.extractall(layout)
    (whole,) = json.loads((layout / "index.json").read_text())["manifests"]
    assert whole["annotations"] == {"org.opencontainers.image.ref.name": f"ptxray:{RELEASE}"}, whole
    skopeo, umoci = need("skopeo"), need("umoci")
    for architecture in sorted(re.search(r"_(\w+)\.deb", deb.name)[1] for deb in folder.glob("*.deb")):
        machine = MACHINES[architecture]
        alone = work / f"image-{architecture}"
        words = [
            skopeo,
            f"--override-arch={architecture}",
            "--override-os=linux",
            "--insecure-policy",
            "copy",
            "--quiet",
        ]
        run(*words, f"oci-archive:{path}", f"oci:{alone}:{RELEASE}")
        bundle = work / f"bundle-{architecture}"
        run(umoci, "unpack", "--image", f"{alone}:{RELEASE}", bundle)
        root = bundle / "rootfs"
        config = json.loads((bundle / "config.json").read_text())
        assert config["process"]["args"] == ["/bin/ptxray"], config["process"]
        (root / "bad.ptx").write_text(BAD)
        if machine == platform.machine():
            said = run("chroot", root, "/bin/ptxray", "check", "--format=short", "/bad.ptx", status=1)
            assert "[expected-semicolon]" in said
        judge([*emulator(machine), root / "bin/ptxray"], work)
    return "the image is unpacked and used"


def source(folder, work):
    """Builds the source archive without antlr4 and Java, and without git."""
    with tarfile.open(one(folder, "*-source.tar.gz")) as archive:
        archive.extractall(work / "source")
    (top,) = (work / "source").iterdir()
    tools = work / "tools"
    tools.mkdir()
    for name in (
        "cmake",
        "ninja",
        "c++",
        "cc",
        "g++",
        "gcc",
        "ar",
        "ranlib",
        "ld",
        "as",
        "objcopy",
        "strip",
        "gzip",
        "sh",
    ):
        (tools / name).symlink_to(need(name))
    environment = {**os.environ, "PATH": str(tools)}
    build = work / "build"
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF"]
    run("cmake", "-S", top, "-B", build, *options, env=environment)
    run("cmake", "--build", build, "--target", "ptxray", env=environment)
    judge([build / "tools/ptxray/ptxray"], work)
    return "the source archive builds"


def extensions(folder, work):
    """Packages VS Code's extension with each program. ptxray's tests use the package for this machine in an editor."""
    built = vscode_extension()
    archives = sorted([*folder.glob("*-linux.tar.gz"), *folder.glob("*-macos.tar.gz"), *folder.glob("*-windows.zip")])
    for path in archives:
        machine, system = re.search(r"-(\w+)-(\w+)\.(?:tar\.gz|zip)", path.name).groups()
        target = f"{SYSTEMS[system]}-{'x64' if machine == 'x86_64' else 'arm64'}"
        shutil.unpack_archive(path, work / target)
        (program,) = (work / target).glob("*/bin/ptxray*")
        vsix = work / f"{target}.vsix"
        environment = {**os.environ, "PTXRAY": str(program), "TARGET": target}
        run(need("npm"), "run", "package", "--", vsix, cwd=built, env=environment)
        with zipfile.ZipFile(vsix) as packed:
            assert f'TargetPlatform="{target}"' in packed.read("extension.vsixmanifest").decode()
            assert packed.read(f"extension/bin/{program.name}") == program.read_bytes()
    return f"{len(archives)} extensions of VS Code have their programs"


def web(folder, work):
    """Installs and uses the npm package, and opens the page in Chromium."""
    user = work / "user"
    user.mkdir()
    (user / "package.json").write_text('{"private": true}')
    run(need("npm"), "install", "--offline", "--ignore-scripts", one(folder, "ptxray-*.tgz"), cwd=user)
    judge([need("node"), user / "node_modules" / "ptxray" / "npm" / "cli.mjs"], work)
    shutil.unpack_archive(one(folder, "*-playground.zip"), work)
    (page,) = work.glob("*-playground")
    need("chromium")
    return run(sys.executable, HERE.parent / "playground" / "page.py", page, HERE.parents[1], "--smoke").strip()


PARTS = [sums, contents, tarballs, wheels, debs, rpms, image, extensions, web, source]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or [part.__name__ for part in PARTS]
    status = 0
    for part in PARTS:
        if part.__name__ in wanted:
            with tempfile.TemporaryDirectory() as name:
                try:
                    print(f"{part.__name__}: {part(folder, pathlib.Path(name))}", flush=True)
                except SystemExit as end:
                    if end.code != SKIPPED:
                        raise
                    status = SKIPPED
    sys.exit(status)


if __name__ == "__main__":
    main()
