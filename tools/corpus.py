#!/usr/bin/env python3
"""Makes real PTX text with real compilers, for the tests that say "no real file is rejected".

    tools/corpus.py [--quick | --newest] [--folder build/corpus]

Each producer below turns the sources of test/corpus/ into files under <folder>/<producer>/, for many targets; a
producer that is not available is reported in one line and skipped. <folder>/producers.json lists the versions that made
the files. Existing files are kept. nvcc comes from `tools/dev cuda --nvcc`. The packages of
tools/corpus-requirements.txt and tools/corpus-mojo-requirements.txt are installed into <folder>/venv.

With --newest, only Python's producers run, including those of test/crater/. They use the newest releases of the
packages in tools/crater-requirements.txt, for four targets. `tools/dev crater` uses this to test new compilers."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import pypi

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "test" / "corpus"
NVCC = ROOT / "build" / "cuda" / "nvcc"
ARCHS = ["75", "80", "86", "87", "89", "90", "90a", "100", "100a", "100f", "103a", "110a", "120", "120a", "121a"]
CUDA = sorted((SOURCES / "cuda").glob("*.cu"))
MOJO = SOURCES / "python" / "with_mojo.py"
# The producers find common.py and nvcc through these variables.
SETTINGS = {"PYTHONPATH": str(SOURCES / "python"), "PTXRAY_CORPUS_CUDA": str(NVCC)}
# These kernels are large, so that few targets are used.
LARGE = {
    "device_algorithms": ["75", "80", "90a", "100a", "120"],
    "device_sorting": ["80", "90a", "100a"],
    "thrust_algorithms": ["75", "80", "90a", "100a", "120"],
}
# Their PTX for -G has tens of megabytes, or nvcc fails.
NO_DEBUG = {*LARGE, "atomics", "math"}


def run(command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options)


def nvcc_jobs(folder, archs):
    """Returns (output, command) for nvcc's three ways to write PTX."""
    includes = ["-I", NVCC / "include", "-I", NVCC / "include" / "cccl"]
    generated = folder / "sources"
    generated.mkdir(exist_ok=True)
    sources = []
    for arch in archs:
        wrappers = generated / f"cuda_ptx-{arch}.cu"
        wrappers.write_text(run([sys.executable, SOURCES / "cuda_ptx.py", NVCC / "include" / "cccl", arch]).stdout)
        sources.append((wrappers, [arch]))
    sources += [(source, [arch for arch in archs if arch in LARGE.get(source.stem, archs)]) for source in CUDA]
    for source, targets in sources:
        for arch in targets:
            for kind, flags in [("", []), ("-lineinfo", ["-lineinfo"]), ("-G", ["-G"])]:
                if kind and arch not in ("80", "90a", "100a"):
                    continue
                if (kind == "-G" and source.stem in NO_DEBUG) or (arch, source.stem) == ("75", "narrow_floats"):
                    continue
                output = folder / "nvcc" / f"{source.stem.split('-')[0]}-{arch}{kind}.ptx"
                yield (
                    output,
                    [
                        NVCC / "bin" / "nvcc",
                        *includes,
                        "-std=c++17",
                        "--extended-lambda",
                        "-w",
                        "-ptx",
                        f"-arch=compute_{arch}",
                        *flags,
                        source,
                        "-o",
                        output,
                    ],
                )


def clang_jobs(folder, archs):
    for source in sorted((SOURCES / "llvm").glob("*.c")):
        for arch in archs:
            if arch.endswith("f") or arch.startswith("110"):
                continue  # clang 22 has none of these, or fails
            for level in ("-O0", "-O2", "-O3"):
                output = folder / "clang" / f"{source.stem}-{arch}{level}.ptx"
                yield (
                    output,
                    [
                        "clang-22",
                        "--target=nvptx64-nvidia-cuda",
                        f"-march=sm_{arch}",
                        "-Xclang",
                        "-target-feature",
                        "-Xclang",
                        "+ptx88",
                        level,
                        "-S",
                        source,
                        "-o",
                        output,
                    ],
                )


def llc_jobs(folder, archs):
    for source in sorted((SOURCES / "llvm").glob("*.ll")):
        for arch in archs:
            for level in ("-O0", "-O3"):
                output = folder / "llc" / f"{source.stem}-{arch}{level}.ptx"
                yield (
                    output,
                    [
                        "llc-22",
                        f"-mcpu=sm_{arch}",
                        "-mattr=+ptx90" if arch.startswith("110") else "-mattr=+ptx88",
                        level,
                        source,
                        "-o",
                        output,
                    ],
                )


def python_jobs(folder, archs, newest):
    """Yields one process per producer, which writes all its files."""
    venv = folder / "venv"
    scripts = set()
    if newest:
        install_newest(venv)
        scripts.update((SOURCES / "python").glob("with_*.py"), (ROOT / "test" / "crater").glob("with_*.py"))
    elif install(venv, "corpus-requirements.txt"):
        scripts.update((SOURCES / "python").glob("with_*.py"))
    scripts.discard(MOJO)
    # This installs MAX without its server, since the libraries and the compiler are sufficient.
    if not newest and install(venv, "corpus-mojo-requirements.txt", "--no-deps"):
        scripts.add(MOJO)
    for script in sorted(scripts):
        output = folder / script.stem.removeprefix("with_")
        yield output, [venv / "bin" / "python", script, output, *archs]


def install_newest(venv):
    """Installs the packages one after the other, so that an unavailable package does not prevent the others."""
    for package in ["pip", *(ROOT / "tools" / "crater-requirements.txt").read_text().split()]:
        try:
            pypi.environment(venv, "--upgrade", package)
        except subprocess.CalledProcessError as error:
            print(f"{package}: {''.join((error.stderr or '').strip().splitlines()[-1:])}", file=sys.stderr)


def install(venv, requirements, *flags):
    """Installs packages into an environment that may already contain them. Returns False if pip fails."""
    wanted = (ROOT / "tools" / requirements).read_text()
    done = venv / requirements
    if done.exists() and done.read_text() == wanted:
        return True
    print(f"installing {requirements}", file=sys.stderr)
    try:
        pypi.environment(venv, *flags, "-r", ROOT / "tools" / requirements)
    except subprocess.CalledProcessError as error:
        print(f"{requirements}: {''.join(error.stderr.strip().splitlines()[-1:])}", file=sys.stderr)
        return False
    done.write_text(wanted)
    return True


def produce(job):
    output, command = job
    if output.exists():
        return None
    partial = output.with_suffix(".partial")
    command = [partial if part == output else part for part in command]
    try:
        run(command, env={**os.environ, **SETTINGS})
    except (subprocess.CalledProcessError, OSError) as error:
        last = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
        return f"{output.parent.name}/{output.name}: {' '.join(last)}"
    partial.rename(output)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "corpus")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at the same time")
    parser.add_argument("--quick", action="store_true", help="three targets instead of all")
    parser.add_argument("--newest", action="store_true", help="the newest releases of packages, four targets")
    options = parser.parse_args()
    folder = options.folder.resolve()
    archs = ["80", "90a", "120"] if options.quick else ["80", "90a", "100a", "120a"] if options.newest else ARCHS
    for name in ("nvcc", "clang", "llc"):
        (folder / name).mkdir(parents=True, exist_ok=True)

    jobs = [] if options.newest else [*clang_jobs(folder, archs), *llc_jobs(folder, archs)]
    if not (NVCC / "complete").exists():
        print("nvcc: not there; `tools/dev cuda --nvcc` fetches it", file=sys.stderr)
    elif not options.newest:
        jobs += nvcc_jobs(folder, archs)
    jobs += python_jobs(folder, archs, options.newest)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [failure for failure in pool.map(produce, jobs) if failure]
    for failure in failures:
        print(failure, file=sys.stderr)

    versions = {
        "clang": ["clang-22", "--version"],
        "llc": ["llc-22", "--version"],
        "nvcc": [NVCC / "bin" / "nvcc", "--version"],
        "python": [folder / "venv" / "bin" / "pip", "freeze"],
    }
    known = {}
    for name, command in versions.items():
        try:
            known[name] = run(command).stdout.strip().splitlines()
        except (OSError, subprocess.CalledProcessError):
            known[name] = None
    (folder / "producers.json").write_text(json.dumps(known, indent=1))
    for producer in sorted(p for p in folder.iterdir() if p.is_dir() and p.name not in ("venv", "sources")):
        files = list(producer.rglob("*.ptx"))
        print(f"{producer.name:10} {len(files):5} files {sum(f.stat().st_size for f in files) / 1e6:8.1f} MB")


if __name__ == "__main__":
    main()
