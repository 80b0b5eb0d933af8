#!/usr/bin/env python3
"""Real compilers, hooked as docs/producers.md says: a kernel that is fine, and one with faulty inline assembly. nvcc,
clang and Triton call ptxray in the place of ptxas; what Numba and Warp leave behind is checked and assembled.

    producers_test.py PTXRAY NVCC PYTHON PTXAS

What does not exist (NVCC, PTXAS, the modules of PYTHON) is skipped; with PTXRAY_REQUIRE=nvcc,clang,triton,numba,warp
(or all) it must."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PTXRAY = NVCC = PYTHON = PTXAS = None
CUDA = """__global__ void kernel(int *p) {
  int v = p[threadIdx.x];
  asm("ADD %0, %1, 7;" : "=r"(v) : "r"(v));
  p[threadIdx.x] = v;
}
"""
TRITON = """import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def kernel(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    v = tl.inline_asm_elementwise("ADD $0, $1, 7;", "=r,r", [v], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(o + i, v, mask=i < n)

@triton.jit
def product(a, b, c):
    i = tl.arange(0, 64)
    x = tl.load(a + i[:, None] * 64 + i[None, :])
    y = tl.load(b + i[:, None] * 64 + i[None, :])
    tl.store(c + i[:, None] * 64 + i[None, :], tl.dot(x, y))

elementwise = ASTSource(kernel, {"x": "*i32", "o": "*i32", "n": "i32"}, {"B": 128})
matrices = ASTSource(product, {"a": "*fp16", "b": "*fp16", "c": "*fp32"}, {})
for capability in (80, 90, 100, 120):
    for source in (elementwise, matrices):
        compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
        open(f"{source.name}-{capability}.cubin", "wb").write(compiled.asm["cubin"])
"""
CLANG = """__attribute__((global)) void kernel(int *p) {
  int v = p[__nvvm_read_ptx_sreg_tid_x()];
  asm("ADD %0, %1, 7;" : "=r"(v) : "r"(v));
  *p = v;
}
"""
NUMBA = """from numba import cuda, types

def kernel(x, o, n):
    i = cuda.grid(1)
    if i < n:
        o[i] = x[i] * 2 + 1

ptx, _ = cuda.compile_ptx(kernel, (types.float32[::1], types.float32[::1], types.int32), cc=(9, 0))
open("kernel.ptx", "w").write(ptx)
"""
WARP = """import warp as wp
wp.config.kernel_cache_dir = "cache"

@wp.func_native('asm("ADD %0, %1, 7;" : "=r"(v) : "r"(v)); return v;')
def native(v: int) -> int: ...

@wp.kernel
def kernel(x: wp.array(dtype=int), o: wp.array(dtype=int)):
    i = wp.tid()
    o[i] = native(x[i])

wp.compile_aot_module(kernel.module, arch=90, module_dir="out", use_ptx=True)
"""


def skip_or_fail(test, tool):
    required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
    if tool in required or "all" in required:
        test.fail(f"{tool} is required, and not there")
    test.skipTest(f"there is no {tool}")


class Producers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def run_program(self, command, **environment):
        return subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, **environment},
        )

    def check_both(self, compile_with):
        """compile_with(instruction) runs the compiler; its own status stands"""
        fine = compile_with("add.s32")
        self.assertEqual(fine.returncode, 0, fine.stderr)
        self.assertNotIn("error", fine.stderr)
        faulty = compile_with("add.s33")
        self.assertNotEqual(faulty.returncode, 0)
        self.assertIn("[unknown-qualifier]", faulty.stderr)
        self.assertIn("Unknown modifier '.s33'", faulty.stderr)  # what ptxas says is still there
        return faulty

    def test_options_of_ptxas(self):
        """The value of an option is no input: ptxray knows which options of the real ptxas have one."""
        if not pathlib.Path(PTXAS).exists():
            skip_or_fail(self, "ptxas")
        listed = re.findall(
            r"^--([\w-]+) .*<.*?(?:\(-([\w-]+)\))?\s*$", self.run_program([PTXAS, "--help"]).stdout, re.M
        )
        self.assertGreater(len(listed), 15)
        (self.folder / "faulty.ptx").write_text(
            ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { add.s33 a, b, c; }\n"
        )
        for name in [f"--{long}" for long, _ in listed] + [f"-{short}" for _, short in listed if short]:
            done = self.run_program([PTXRAY, "ptxas", name, "faulty.ptx"], PTXAS="/bin/true")
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("unknown-qualifier", done.stderr, name)
        self.assertIn("unknown-qualifier", self.run_program([PTXRAY, "ptxas", "faulty.ptx"], PTXAS="/bin/true").stderr)

    def test_nvcc(self):
        if not pathlib.Path(NVCC).exists():
            skip_or_fail(self, "nvcc")
        # As docs/producers.md says: a folder like the toolkit's, but for ptxas.
        toolkit, hook = pathlib.Path(NVCC).resolve().parent.parent, self.folder / "hook"
        (hook / "bin").mkdir(parents=True)
        for path in toolkit.iterdir():
            if path.name != "bin":
                (hook / path.name).symlink_to(path)
        for path in (toolkit / "bin").iterdir():
            (hook / "bin" / path.name).symlink_to(PTXRAY if path.name == "ptxas" else path)

        def compile_with(instruction):
            (self.folder / "k.cu").write_text(CUDA.replace("ADD", instruction))
            return self.run_program([hook / "bin" / "nvcc", "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"])

        def compile_by(folder):
            (self.folder / "k.cu").write_text(CUDA.replace("ADD", "add.s32"))
            other = pathlib.Path(PTXAS).parent.parent  # nvcc itself pays no heed to it
            words = [folder / "bin" / "nvcc", "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"]
            return self.run_program(words, CUDA_HOME=str(other))

        self.check_same("*.cubin", lambda: compile_by(toolkit), lambda: compile_by(hook))
        self.check_both(compile_with)
        self.assertEqual((self.folder / "k.cubin").read_bytes()[:4], b"\x7fELF")

    def test_clang(self):
        clang = next(filter(None, map(shutil.which, ("clang++-22", "clang++"))), None)
        if not clang:
            skip_or_fail(self, "clang")
        (self.folder / "ptxas").symlink_to(PTXRAY)
        toolkit = pathlib.Path(NVCC).resolve().parent.parent

        def compile_with(instruction):
            (self.folder / "k.cu").write_text(CLANG.replace("ADD", instruction))
            return self.run_program(
                [
                    clang,
                    "-x",
                    "cuda",
                    f"--cuda-path={toolkit}",
                    "--cuda-gpu-arch=sm_90",
                    "-nocudainc",
                    "-nocudalib",
                    f"--ptxas-path={self.folder / 'ptxas'}",
                    "--cuda-device-only",
                    "-c",
                    "k.cu",
                    "-o",
                    "k.o",
                ],
                TMPDIR=str(self.folder),
            )

        self.check_both(compile_with)  # with the ptxas of --cuda-path

    def objects(self, pattern):
        """what a compiler wrote, which is taken away so that it must be written anew"""
        found = {path.name: path.read_bytes() for path in self.folder.glob(pattern)}
        for name in found:
            (self.folder / name).unlink()
        return found

    def check_same(self, pattern, compile_plain, compile_hooked):
        """The compiler that works underneath is the same with ptxray and without."""
        self.assertEqual(compile_plain().returncode, 0)
        plain = self.objects(pattern)
        done = compile_hooked()
        self.assertEqual(done.returncode, 0, done.stderr)
        hooked = self.objects(pattern)
        self.assertTrue(plain)
        self.assertEqual({name for name in plain if hooked.get(name) != plain[name]}, set())

    def need_module(self, name):
        if not pathlib.Path(PYTHON).exists() or self.run_program([PYTHON, "-c", f"import {name}"]).returncode != 0:
            skip_or_fail(self, name.split("_")[0])

    def test_triton(self):
        self.need_module("triton")
        hook = {}
        for name, variable in (("ptxas", "TRITON_PTXAS_PATH"), ("ptxas-blackwell", "TRITON_PTXAS_BLACKWELL_PATH")):
            (self.folder / name).symlink_to(PTXRAY)
            hook[variable] = str(self.folder / name)
        script = self.folder / "kernel.py"

        def compile_with(instruction, environment=hook):
            text = TRITON.replace("ADD", instruction)
            if not script.exists() or script.read_text() != text:  # ptxas keeps the time of its last change
                script.write_text(text)
            with tempfile.TemporaryDirectory() as cache:
                return self.run_program([PYTHON, script], TRITON_CACHE_DIR=cache, **environment)

        # Another CUDA on the machine changes nothing.
        other = {**hook, "CUDA_HOME": str(pathlib.Path(PTXAS).parent.parent)}
        for environment in (hook, other):
            self.check_same(
                "*.cubin", lambda: compile_with("add.s32", {}), lambda env=environment: compile_with("add.s32", env)
            )
        log = self.folder / "log"
        compile_with("{ .reg .b32 t; st.shared.b32 [t], $1; } add.s32", {**hook, "PTXRAY_LOG": str(log)})
        self.assertIn("[undefined-value]", log.read_text())  # Triton itself shows nothing when all goes well
        faulty = self.check_both(compile_with)
        self.assertIn("kernel.py:9", faulty.stderr)  # the line of the Python source

    def leave_behind(self, script, pattern):
        """runs a script and gives the one file that it leaves"""
        (self.folder / "kernel.py").write_text(script)
        done = self.run_program([PYTHON, "kernel.py"])
        self.assertEqual(done.returncode, 0, done.stderr)
        (path,) = self.folder.glob(pattern)
        return path

    def check_left(self, path):
        done = self.run_program([PTXRAY, "check", path])
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stdout)
        self.assemble(path)

    def assemble(self, path):
        if not pathlib.Path(PTXAS).exists():
            skip_or_fail(self, "ptxas")
        done = self.run_program([PTXRAY, "as", path, "-o", "out.cubin", "--ptxas", PTXAS])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((self.folder / "out.cubin").read_bytes()[:4], b"\x7fELF")

    def test_numba(self):
        self.need_module("numba_cuda")
        self.check_left(self.leave_behind(NUMBA, "*.ptx"))

    def test_warp(self):
        self.need_module("warp")
        path = self.leave_behind(WARP.replace("ADD", "add.s32"), "out/*.ptx")
        self.assertTrue(path.read_bytes().endswith(b"\0"))  # if not, docs/producers.md has too much
        self.assemble(path)
        self.assertIn("[stray-character]", self.run_program([PTXRAY, "check", path]).stdout)
        self.run_program([PTXRAY, "check", "--fix", path])
        self.check_left(path)
        path.unlink()
        path = self.leave_behind(WARP.replace("ADD", "add.s33"), "out/*.ptx")
        done = self.run_program([PTXRAY, "check", path])
        self.assertEqual(done.returncode, 1)
        self.assertIn("[unknown-qualifier]", done.stdout)


if __name__ == "__main__":
    PTXRAY, NVCC, PYTHON, PTXAS = map(os.path.abspath, sys.argv[1:5])
    unittest.main(argv=sys.argv[:1])
