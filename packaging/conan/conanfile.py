"""Builds the library and the program with Conan: `conan create packaging/conan`.

The recipe uses LLVM, ANTLR's runtime and other libraries of the system (docs/building.md lists the packages). Conan
Center has no LLVM library of this size."""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNTIME = "build/antlr4-runtime/antlr4-cpp-runtime-4.9+dfsg/runtime/src"  # ANTLR's runtime, from `tools/dev setup`
PARTS = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "docs",
    "generated",
    "grammar",
    "include",
    "lib",
    "tools",
)


class Ptxray(ConanFile):
    name = "ptxray"
    description = "checks PTX, the assembly language of NVIDIA GPUs"
    license = "Apache-2.0"
    topics = ("cuda", "ptx", "gpu", "linter")
    settings = "os", "compiler", "build_type", "arch"
    package_type = "shared-library"  # the package also contains the archive and the program

    def set_version(self):
        self.version = re.search(r"project\(ptxray VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

    def export_sources(self):
        for part in PARTS:
            for pattern in (part, f"{part}/*"):
                copy(self, pattern, ROOT, self.export_sources_folder, excludes=("build/*", "*/node_modules/*"))
        if (ROOT / RUNTIME).exists():
            copy(self, "*", ROOT / RUNTIME, pathlib.Path(self.export_sources_folder) / RUNTIME)
        elif not (ROOT / "generated" / "antlr4-runtime").exists():
            raise ConanException("ANTLR's runtime is needed in source: take a source archive, or run `tools/dev setup`")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.cache_variables["BUILD_TESTING"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package's own ptxrayConfig.cmake defines the shared library, the static library, and ptxray_check().
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/ptxray"]
        self.cpp_info.libs = ["ptxray"]
        self.cpp_info.system_libs = ["m", "dl", "pthread"]
