"""Runs `cmake --install`, and builds the example project with the installed files: test_library.py BUILD_FOLDER
CMAKE. The CUDA part needs an nvcc (tools/dev cuda --nvcc) and is skipped without it."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from common import BAD, ROOT, run, version

build, cmake = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
cuda = len(sys.argv) > 3 and sys.argv[3]
example = ROOT / "docs" / "examples" / "cmake"


def check_exports(library):
    """Tests the exported names. If one disappears or changes its meaning, the soname must change; docs/linking.md
    states the guarantees."""
    shown = set(re.findall(r" [TVWBDu] (\S+)", run("nm", "-D", "--defined-only", library)))
    listed = set((ROOT / "test" / "package" / "exports.txt").read_text().split())
    assert shown == listed, f"{library} shows {sorted(shown - listed)}, lacks {sorted(listed - shown)} of exports.txt"


def check_pkg_config(prefix, work):
    """Builds a C program with the C compiler, with the shared library and with static libraries."""
    work.mkdir()
    (work / "version.c").write_text(
        "#include <ptxray/ptxray-c.h>\n#include <stdio.h>\n"
        'int main(void) { puts(ptxray_version()); ptxray_result_free(ptxray_check("", 0, NULL)); return 0; }\n'
    )
    (folder,) = prefix.glob("lib/**/pkgconfig")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder), "LD_LIBRARY_PATH": str(folder.parent)}
    for name in ("ptxray", "ptxray-static"):
        assert run("pkg-config", "--modversion", name, env=environment).strip() == version()
        flags = run("pkg-config", "--cflags", "--libs", name, env=environment).split()
        run("gcc", "-Wall", "-Werror", work / "version.c", *flags, "-o", work / name)
        assert run(work / name, env=environment).strip() == version()
        assert ("libptxray" in run("ldd", work / name, env=environment)) == (name == "ptxray")


with tempfile.TemporaryDirectory() as name:
    prefix, tree, work = (pathlib.Path(name) / part for part in ("prefix", "source", "build"))
    run(cmake, "--install", build, "--prefix", prefix)
    assert f"ptxray {version()}\n" in run(prefix / "bin/ptxray", "version")
    library = next(prefix.glob("lib/**/libptxray.so"))
    uses = "import ctypes; assert ctypes.CDLL('libcuda.so.1').cuInit(0) == 0"
    ran = subprocess.run([prefix / "bin/ptxray", "emulate", "--", sys.executable, "-c", uses])
    assert ran.returncode == 7  # the driver was found, and no kernel ran
    check_exports(library)
    check_pkg_config(prefix, pathlib.Path(name) / "c")
    assert " T " in run("nm", library.with_suffix(".a")), "the archive is empty"
    undefined = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", library))
    assert all(re.match(r"(libc|libm|ld-linux-x86-64)\.so", need) for need in undefined), undefined
    for header in (prefix / "include" / "ptxray").iterdir():
        text = header.read_text()
        assert not re.search(r"llvm/|antlr|nlohmann", text), f"{header} includes what is inside"

    # Each header compiles separately, in the oldest supported language version.
    run(
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "-fsyntax-only",
        "-I",
        prefix / "include",
        "-x",
        "c++",
        "-",
        input="#include <ptxray/ptxray.h>\n",
    )
    run(
        "gcc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "-fsyntax-only",
        "-I",
        prefix / "include",
        "-x",
        "c",
        "-",
        input="#include <ptxray/ptxray-c.h>\n",
    )

    shutil.copytree(example, tree)
    options = ["-DEXAMPLE_CUDA=ON", f"-DCMAKE_CUDA_COMPILER={cuda}"] if cuda else []
    run(cmake, "-G", "Ninja", "-S", tree, "-B", work, f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    run(cmake, "--build", work)

    # The shared, PIE and module builds print the same.
    for program in ("compiler", "compiler_static"):
        assert run(work / program) == ""
        found = run(work / program, "add.f32 %x0, %x0, %r1;", status=1)
        assert "[undefined-symbol]" in found, found
    assert "DYN" in run("readelf", "-h", work / "compiler_static")
    plugin = ctypes.CDLL(str(work / "libplugin.so"))
    plugin.count_errors.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    assert plugin.count_errors(BAD.encode(), len(BAD)) == 2

    # With ptxray_check, a second build does nothing, a change only checks its own file, and an error ends the build.
    def steps():
        out = subprocess.run(
            [cmake, "--build", work, "--verbose"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return out.returncode, len(re.findall(r"ptxray check ", out.stdout)), out.stdout

    assert steps()[1] == 0
    stale = work / "scale_f32.ptx"
    stale.write_text(stale.read_text() + "\n")
    assert steps()[:2] == (0, 1)
    template = tree / "scale.ptx.in"
    template.write_text(template.read_text().replace("add.s64", "add.s46"))
    status, checks, out = steps()
    assert status != 0 and "add.s46" in out, out
    if cuda:
        template.write_text(template.read_text().replace("add.s46", "add.s64"))
        assert steps()[0] == 0
        source = tree / "saxpy.cu"
        source.write_text(source.read_text() + 'extern "C" __global__ void bad() { asm("add.f32 %x, 1, 2;"); }\n')
        status, checks, out = steps()
        assert status != 0 and "%x" in out, out
print("installed library and example project work" + (", with CUDA" if cuda else ""))
