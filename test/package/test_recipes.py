"""Tests ptxray as a part of another build, and as a Conan package: test_recipes.py CMAKE [fetch|conan]. Both compile
the complete library."""

import json
import os
import pathlib
import sys
import tempfile

from common import ROOT, python_with, run, version

cmake = sys.argv[1]


def fetch(folder):
    """Tests FetchContent with the example of docs/linking.md."""
    build = folder / "fetch"
    options = [f"-DPTXRAY_SOURCE={ROOT}", "-DCMAKE_BUILD_TYPE=Release"]
    run(cmake, "-G", "Ninja", "-S", ROOT / "docs/examples/fetch", "-B", build, *options)
    run(cmake, "--build", build, "--target", "compiler")
    assert run(build / "compiler") == ""
    assert "[undefined-symbol]" in run(build / "compiler", "add.f32 %x0, %x0, %r1;", status=1)
    print("FetchContent builds and uses it", flush=True)


def conan(folder):
    """Builds the Conan package, which the example project finds with find_package."""
    program = python_with("conan==2.34.0").parent / "conan"
    environment = {**os.environ, "CONAN_HOME": str(folder / "conan")}
    run(program, "profile", "detect", env=environment)
    recipe = ROOT / "packaging" / "conan"
    settings = ["-s", "compiler.cppstd=20", "-s", "build_type=Release"]
    run(program, "create", recipe, "--no-remote", *settings, env=environment)
    (package,) = (folder / "conan").glob("p/b/*/p")
    example = folder / "example"
    run(cmake, "-G", "Ninja", "-S", ROOT / "docs/examples/cmake", "-B", example, f"-DCMAKE_PREFIX_PATH={package}")
    run(cmake, "--build", example, "--target", "compiler", "compiler_static")
    assert "[undefined-symbol]" in run(example / "compiler", "add.f32 %x0, %x0, %r1;", status=1)
    print("Conan builds and uses it", flush=True)


# vcpkg is only available from its repository and tested by hand. This compares the parts that can be compared.
port = json.loads((ROOT / "packaging/vcpkg/ports/ptxray/vcpkg.json").read_text())
assert port["version"] == version() and port["license"] == "Apache-2.0"
for part in (fetch, conan):
    if part.__name__ in (sys.argv[2:] or ("fetch", "conan")):
        with tempfile.TemporaryDirectory() as name:
            part(pathlib.Path(name))
