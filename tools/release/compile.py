"""Compiles the programs of a target with zig. LLVM's Support, lz4, zstd and zlib come first, and are kept until
their sources or build options change. ANTLR's runtime is in the source archive."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import sources

HERE = pathlib.Path(__file__).resolve().parent


class Compiler:
    def __init__(self, work, zig, epoch):
        self.work, self.zig = work, zig
        cache = work / "zig-cache"
        self.environment = {
            **os.environ,
            "SOURCE_DATE_EPOCH": str(epoch),
            "ZIG_GLOBAL_CACHE_DIR": str(cache),
            "ZIG_LOCAL_CACHE_DIR": str(cache),
        }

    def run(self, log, *command):
        with open(log, "a") as out:
            words = [str(word) for word in command]
            if subprocess.run(words, stdout=out, stderr=out, env=self.environment).returncode != 0:
                sys.exit(pathlib.Path(log).read_text()[-4000:] + f"\n{' '.join(words)} failed; all of it is in {log}")

    def configure(self, source, build, log, target, prefix, *options):
        shutil.rmtree(build, ignore_errors=True)
        flags = f"-g0 -ffile-prefix-map={self.work}=. -ffile-prefix-map={sources.ROOT}=."
        self.run(
            log,
            *["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release"],
            *[f"-DCMAKE_TOOLCHAIN_FILE={HERE / 'zig.cmake'}", f"-DZIG={self.zig}", f"-DZIG_TARGET={target.zig}"],
            *[f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}"],
            *options,
        )

    def third_party(self, target):
        """Returns the prefix that contains the libraries."""
        source = sources.unpack_all(self.work)
        recipe = sorted(path for path in HERE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
        sums = "".join(source.sha256 for source in sources.SOURCES) + self.zig.parent.name + target.zig
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in recipe) + sums.encode())
        prefix = self.work / "prefix" / f"{target.name}-{digest.hexdigest()[:12]}"
        if (prefix / "complete").exists():
            return prefix
        print(f"{target.name}: compiling LLVM's Support, lz4, zstd and zlib", file=sys.stderr)
        build, log = self.work / f"third-party-{target.name}", self.work / f"third-party-{target.name}.log"
        log.unlink(missing_ok=True)
        options = [f"-DSOURCES={source}", f"-DCMAKE_INSTALL_PREFIX={prefix}"]
        self.configure(HERE / "third-party", build, log, target, prefix, *options)
        self.run(log, "cmake", "--build", build)
        self.run(log, "cmake", "--install", build)
        (prefix / "complete").touch()
        return prefix

    def program(self, source, target):
        """Returns the folder with the programs, without symbols."""
        prefix = self.third_party(target)
        print(f"{target.name}: compiling ptxray", file=sys.stderr)
        build, log = self.work / f"ptxray-{target.name}", self.work / f"ptxray-{target.name}.log"
        log.unlink(missing_ok=True)
        options = [f"-DLLVM_DIR={prefix / 'lib/cmake/llvm'}", "-DBUILD_TESTING=OFF", f"-DPTXRAY_ZIG={self.zig}"]
        options.append(f"-DPTXRAY_JSON_INCLUDE={source / 'generated' / 'include'}")
        if target.is_wasm:
            options += [
                "-DPTXRAY_STATIC=OFF",
                "-DCCACHE=",
            ]  # ccache confuses this target's options with those of the system
        self.configure(source, build, log, target, prefix, "-DCMAKE_EXE_LINKER_FLAGS=-s", *options)
        parts = ["tools/ptxray/all", *(["tools/ptxray-run/all"] if target.is_linux else [])]
        self.run(log, "cmake", "--build", build, "--target", *parts)
        return build / "tools"
