"""The checker alone (docs/packaging.md): test_checker_alone.py CMAKE CPACK

Builds it without the machine, runs its tests, installs each component, and makes the Debian package. Builds a project
that contains it, and runs the commands of the conda recipe with the libraries of this system. $PTXRAY_PARTS names a
folder that is kept."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from common import BAD, ROOT, copy_sources, need, run, version

CMAKE, CPACK = sys.argv[1:3]
MOST_MEGABYTES = 7.6  # static, by GCC 12 and glibc
OF_MACHINE = re.compile(rb"ptxray_machine_|ptxray_launch_")


def installed(prefix):
    return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())


def check_tool(tool, folder):
    assert f"ptxray {version()}\n" in run(tool, "version")
    (folder / "bad.ptx").write_text(BAD)
    run(tool, "check", folder / "bad.ptx", status=1)
    said = subprocess.run([tool, "run", folder / "bad.ptx"], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (2, "") and "-DPTXRAY_MACHINE=ON" in said.stderr, said


def check_build(tree, build, work):
    words = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPTXRAY_MACHINE=OFF"]
    run(CMAKE, "-S", tree, "-B", build, *words)
    run(CMAKE, "--build", build, "--", "-j2")
    run("ctest", "--test-dir", build, "-L", "shipped", "-LE", "long", "-E", "instruction-counts|program-size")
    prefix = work / "prefix"
    run(CMAKE, "--install", build, "--prefix", prefix, "--component", "check")
    size = (prefix / "bin/ptxray").stat().st_size
    run("strip", "-o", work / "stripped", prefix / "bin/ptxray")
    stripped = (work / "stripped").stat().st_size / 1e6
    print(f"{size / 1e6:.2f} MB, stripped {stripped:.2f} MB", flush=True)
    assert stripped < MOST_MEGABYTES, f"the program has more than {MOST_MEGABYTES} MB"
    check_tool(prefix / "bin/ptxray", work)
    files = installed(prefix)
    for component in ("emulate", "clients"):
        run(CMAKE, "--install", build, "--prefix", prefix, "--component", component)
    assert installed(prefix) == files, "a build without the machine installs more than the checker"
    shown = subprocess.run(["nm", "-D", next(prefix.glob("lib/**/libptxray.so"))], capture_output=True).stdout
    assert b"ptxray_check\n" in shown and not OF_MACHINE.search(shown)


def check_debian(build, work):
    run(CPACK, "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", work / "deb")
    (package,) = (work / "deb").glob("*.deb")
    assert re.fullmatch(r"libc6 \(>= [0-9.]+\)\n", run(need("dpkg-deb"), "-f", package, "Depends"))
    run("dpkg-deb", "-x", package, work / "root")
    check_tool(work / "root/usr/bin/ptxray", work)
    print(f"{package.stat().st_size / 1e6:.2f} MB: {package.name}", flush=True)


def check_project(tree, work):
    """A project that contains ptxray, by a folder of its own and by FetchContent."""
    project = work / "project"
    project.mkdir()
    (project / "add.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C CXX)\nset(PTXRAY_MACHINE OFF)\n"
        f"add_subdirectory({tree} ptxray EXCLUDE_FROM_ALL)\n"
        "add_custom_target(kernels DEPENDS add.ptx)\n"
        "ptxray_check(kernels FILES ${CMAKE_CURRENT_SOURCE_DIR}/add.ptx)\n"
        f"add_executable(compiler {ROOT}/docs/examples/cmake/compiler.cpp)\n"
        "target_compile_features(compiler PRIVATE cxx_std_17)\ntarget_link_libraries(compiler PRIVATE ptxray::ptxray)\n"
    )
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPTXRAY_UNOPTIMISED=ON"]
    run(CMAKE, "-S", project, "-B", work / "user", *options)
    run(CMAKE, "--build", work / "user", "--", "-j2")
    assert "[undefined-symbol]" in run(work / "user/compiler", "add.f32 %x0, %x0, %r1;", status=1)
    assert not list((work / "user").rglob("libptxray_machine.a"))
    options += [f"-DPTXRAY_SOURCE={tree}", "-DPTXRAY_MACHINE=OFF"]
    run(CMAKE, "-S", ROOT / "docs/examples/fetch", "-B", work / "fetch", *options)
    inputs = run("ninja", "-C", work / "fetch", "-t", "inputs", "compiler")
    assert "ptxray_check" in inputs and "ptxray_machine" not in inputs


def check_recipe(tree, work):
    """The script of the conda recipe, as far as configuration; its build is that of check_build."""
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text()
    assert f'version: "{version()}"' in recipe
    script = re.search(r"  script:\n((?:    .*\n)+)", recipe)[1]
    commands = [" ".join(command.split()) for command in re.split(r"^    - ", script, flags=re.MULTILINE) if command]
    assert [command.split()[1] for command in commands] == ["-S", "--build", "--install"], commands
    environment = {**os.environ, "PREFIX": str(work / "conda")}
    run("sh", "-ec", commands[0].replace("-B build", f"-B {work / 'recipe'}"), cwd=tree, env=environment)


def main(folder):
    tree, work = folder / "ptxray", folder / "work"
    copy_sources(tree)
    if (ROOT / "build/antlr4-runtime/complete").exists():  # what the library needs, from `tools/dev runtime`
        (tree / "build").mkdir()
        (tree / "build/antlr4-runtime").symlink_to(ROOT / "build/antlr4-runtime")
    else:
        run(tree / "tools/dev", "runtime")
    work.mkdir()
    build = folder / "build"
    check_build(tree, build, work)
    check_debian(build, work)
    check_project(tree, work)
    check_recipe(tree, work)


if __name__ == "__main__":
    if kept := os.environ.get("PTXRAY_PARTS"):
        pathlib.Path(kept).mkdir(parents=True)
        main(pathlib.Path(kept))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(pathlib.Path(name))
