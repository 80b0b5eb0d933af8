#!/usr/bin/env python3
"""Tests real compilers with the hooks of docs/producers.md, with a valid kernel and with faulty inline assembly. nvcc,
clang, Triton and JAX call ptxray instead of ptxas, and their output must not change. Numba, Warp and CuTe DSL call no
ptxas, so that the test checks and assembles their files.

    producers_test.py PTXRAY NVCC PYTHON PTXAS

The test skips missing tools (NVCC, PTXAS, the modules of PYTHON). With PTXRAY_REQUIRE=nvcc,clang,triton,numba,warp,
jax,cute (or all), they must exist. JAX and CuTe DSL are fetched from PyPI into build/producers."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import pypi

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXRAY = NVCC = PYTHON = PTXAS = None
CUDA = """__global__ void kernel(int *p) {
  int v = p[threadIdx.x];
  asm("ADD %0, %1, 7;" : "=r"(v) : "r"(v));
  p[threadIdx.x] = v;
}
"""
PARTS = r"""#pragma once
#define STEP(type) asm volatile("add." #type " %0, %0, 1;" : "+r"(v));
__device__ __forceinline__ int scaled(int v) {
  asm volatile(R"({
    .reg .b32 t;
    mul.lo.q32 t, %0, 3; // at .q32
    mov.b32 %0, t;
  })" : "+r"(v));
  return v;
}
"""
PLACES = r"""#include "parts.h"
template <int N> __device__ __forceinline__ int chosen(int v) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.lt.s32 p, %0, %1;\n\t"
      "@p mul.lo.s33 %0, %0, 3;\n\t" // at .s33
      "}"
      : "+r"(v) : "n"(N));
  return v;
}
__global__ void kernel(int *p) {
  int v = p[threadIdx.x];
  asm volatile("add.s32 %0, %0, 1;" : "+r"(v));
  v = chosen<5>(v) + chosen<7>(v) + scaled(v) + scaled(v + 1);
  STEP(sbu) // at sbu
  asm volatile("add.s32 %0, %0, %1;  sub.s23 %0, %0, %1;" : "+r"(v) : "r"(p[1])); // at .s23
  asm volatile("bar.snyc 0;"); // at .snyc
  p[threadIdx.x] = v;
}
"""
ENDLESS = r"""__global__ void kernel(int *p) {
  int v = p[threadIdx.x];
  asm volatile("mov.b32 %0, %0;\n\t"
               "add.s32 %0, %0, %1" : "+r"(v) : "r"(p[1]));
  asm volatile("bar.sync 0;");
  p[threadIdx.x] = v;
}
"""
TWICE = r"""__global__ void kernel(int *p) {
  int v = p[threadIdx.x];
  asm volatile("sub.s23 %0, %0, %1;" : "+r"(v) : "r"(p[1]));
  asm volatile("sub.s23 %0, %0, %1;" : "+r"(v) : "r"(p[2]));
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
CUTE_DSL = """import cutlass, cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor

@cute.kernel
def kernel(x: cute.Tensor, o: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    o[thread] = x[thread] * 2 + 1

@cute.jit
def launch(x: cute.Tensor, o: cute.Tensor):
    kernel(x, o).launch(grid=(1, 1, 1), block=(128, 1, 1))

cute.compile(launch, *(make_fake_compact_tensor(cutlass.Int32, (128,)) for _ in range(2)))
"""
# The GPU is described but does not exist. The program is written completely, with its options.
JAX = """import jax, jax.numpy as jnp, numpy
from jax.experimental import topologies

topology = topologies.get_topology_desc(
    platform="cuda", topology_name="", topology="1x1x1", target_config=open("gpu.txt").read()
)
mesh = jax.sharding.Mesh(numpy.array(topology.devices).reshape(1), ("x",))
everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
function = jax.jit(lambda x: jnp.sin(x) * 2 + jnp.sum(x), in_shardings=everywhere, out_shardings=everywhere)
lowered = function.lower(jax.ShapeDtypeStruct((1024,), jnp.float32))
compiled = lowered.compile(compiler_options={"xla_gpu_autotune_level": 0})
open("program.xla", "wb").write(compiled.runtime_executable().serialize())
"""
GPU = """gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  shared_memory_per_block: 49152 shared_memory_per_core: 233472 shared_memory_per_block_optin: 232448
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  memory_bandwidth: 3352320000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98 device_memory_size: 84942979072
  cuda_compute_capability { major: 9 }
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 1 patch: 0 }
device_description_str: "sm_90"
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
        """Checks a compiler that compile_with(instruction) runs. Its own exit status must not change."""
        fine = compile_with("add.s32")
        self.assertEqual(fine.returncode, 0, fine.stderr)
        self.assertNotIn("error", fine.stderr)
        faulty = compile_with("add.s33")
        self.assertNotEqual(faulty.returncode, 0)
        self.assertIn("[unknown-qualifier]", faulty.stderr)
        self.assertIn("Unknown modifier '.s33'", faulty.stderr)  # the output still contains the message of ptxas
        return faulty

    def test_options_of_ptxas(self):
        """Tests that the value of an option is not treated as an input: ptxray knows which options of the real ptxas
        have a value."""
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
        toolkit, hook = pathlib.Path(NVCC).resolve().parent.parent, self.hook_nvcc("hook").parent.parent

        def compile_with(instruction):
            (self.folder / "k.cu").write_text(CUDA.replace("ADD", instruction))
            return self.run_program([hook / "bin" / "nvcc", "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"])

        def compile_by(folder):
            (self.folder / "k.cu").write_text(CUDA.replace("ADD", "add.s32"))
            other = pathlib.Path(PTXAS).parent.parent  # nvcc itself ignores it
            words = [folder / "bin" / "nvcc", "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"]
            return self.run_program(words, CUDA_HOME=str(other))

        self.check_same("*.cubin", lambda: compile_by(toolkit), lambda: compile_by(hook))
        self.check_both(compile_with)
        self.assertEqual((self.folder / "k.cubin").read_bytes()[:4], b"\x7fELF")

    def hook_nvcc(self, name):
        """Makes a folder like the toolkit's with another ptxas, as in docs/producers.md."""
        toolkit, hook = pathlib.Path(NVCC).resolve().parent.parent, self.folder / name
        (hook / "bin").mkdir(parents=True)
        for path in toolkit.iterdir():
            if path.name != "bin":
                (hook / path.name).symlink_to(path)
        for path in (toolkit / "bin").iterdir():
            (hook / "bin" / path.name).symlink_to(PTXRAY if path.name == "ptxas" else path)
        return hook / "bin" / "nvcc"

    def test_nvcc_places(self):
        """Tests that errors of ptxray and ptxas are shown at their characters in the source, with and without
        -lineinfo."""
        if not pathlib.Path(NVCC).exists():
            skip_or_fail(self, "nvcc")
        nvcc = self.hook_nvcc("places")
        (self.folder / "parts.h").write_text(PARTS)
        (self.folder / "k.cu").write_text(PLACES)
        expected = {
            f"{path}:{number}:{line.index(word) + 1}"
            for path, text in (("parts.h", PARTS), ("k.cu", PLACES))
            for number, line in enumerate(text.splitlines(), 1)
            for word in re.findall(r"// at (\S+)", line)
        }
        self.assertEqual(len(expected), 5)
        for silenced in ("", "off = *\n"):  # then only ptxas reports errors
            (self.folder / ".ptxray").write_text(silenced)
            for options in ([], ["-lineinfo"], ["-G"]):
                done = self.run_program([nvcc, *options, "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"])
                self.assertNotEqual(done.returncode, 0)
                places = set(re.findall(r"(?m)^(?:\S*/)?(\w+\.\w+:\d+:\d+): error: ", done.stderr))
                # ptxas reports several errors for one word.
                self.assertEqual(places if not silenced else places & expected, expected, done.stderr)
                self.assertEqual({p.rsplit(":", 1)[0] for p in places}, {p.rsplit(":", 1)[0] for p in expected})
                self.assertRegex(done.stderr, r"(?m)^ptxas .*_k\.ptx, line \d+; error")
        # A missing `;` damages the next statement, and the report belongs to the statement before it.
        (self.folder / ".ptxray").unlink()
        (self.folder / "k.cu").write_text(ENDLESS)
        for options in ([], ["-lineinfo"]):
            done = self.run_program([nvcc, *options, "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"])
            self.assertEqual(re.findall(r"(?m)^(?:\S*/)?k\.cu:(\d+:\d+): error: ", done.stderr), ["4:35"], done.stderr)
        # Two statements have the same text. Without a line, the report also names the other one.
        (self.folder / "k.cu").write_text(TWICE)
        for options, told in (([], True), (["-lineinfo"], False)):
            done = self.run_program([nvcc, *options, "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"])
            self.assertEqual(len(re.findall(r"k\.cu:\d+:\d+: error: ", done.stderr)), 1 if told else 2, done.stderr)
            self.assertEqual("the same text is in" in done.stderr, told)

    def test_clang(self):
        clang = next(filter(None, map(shutil.which, ("clang++-22", "clang++"))), None)
        if not clang:
            skip_or_fail(self, "clang")
        (self.folder / "ptxas").symlink_to(PTXRAY)
        toolkit = pathlib.Path(NVCC).resolve().parent.parent

        def compile_with(instruction, hook=(f"--ptxas-path={self.folder / 'ptxas'}",)):
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
                    *hook,
                    "--cuda-device-only",
                    "-c",
                    "k.cu",
                    "-o",
                    "k.o",
                ],
                TMPDIR=str(self.folder),
            )

        self.check_both(compile_with)  # with the ptxas of --cuda-path
        self.check_same("k.o", lambda: compile_with("add.s32", []), lambda: compile_with("add.s32"))

    def objects(self, pattern):
        """Returns the output of a compiler, and deletes it so that it must be written again."""
        found = {path.name: path.read_bytes() for path in self.folder.glob(pattern)}
        for name in found:
            (self.folder / name).unlink()
        return found

    def check_same(self, pattern, compile_plain, compile_hooked):
        """Tests that the output of the underlying compiler is the same with and without ptxray."""
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

        # Another CUDA on the machine has no effect.
        other = {**hook, "CUDA_HOME": str(pathlib.Path(PTXAS).parent.parent)}
        for environment in (hook, other):
            self.check_same(
                "*.cubin", lambda: compile_with("add.s32", {}), lambda env=environment: compile_with("add.s32", env)
            )
        log = self.folder / "log"
        compile_with("{ .reg .b32 t; st.shared.b32 [t], $1; } add.s32", {**hook, "PTXRAY_LOG": str(log)})
        self.assertIn("[undefined-value]", log.read_text())  # Triton itself shows no output of a successful run
        faulty = self.check_both(compile_with)
        self.assertIn("kernel.py:9", faulty.stderr)  # the line of the Python source

    def leave_behind(self, script, pattern, python=None, **environment):
        """Runs a script and returns the only file that it leaves."""
        (self.folder / "kernel.py").write_text(script)
        done = self.run_program([python or PYTHON, "kernel.py"], **environment)
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
        text = path.read_bytes().rstrip(b"\0")  # ptxas itself rejects a NUL
        (self.folder / "alone").write_bytes(text)
        gpu = re.search(rb"^\.target\s+(\w+)", text, re.M).group(1).decode()
        done = self.run_program([PTXAS, f"--gpu-name={gpu}", "alone", "-o", "alone.cubin"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out.cubin").read_bytes(), (self.folder / "alone.cubin").read_bytes())

    def environment(self, name, *packages):
        """Returns the Python with these packages, and the folder that contains all of them."""
        try:
            python = pypi.environment(ROOT / "build" / "producers" / name, *packages)
        except subprocess.CalledProcessError as error:
            print(error.stderr, file=sys.stderr)
            skip_or_fail(self, name)
        (site,) = (python.parents[1] / "lib").glob("python3*/site-packages")
        return python, site

    def test_jax(self):
        version = "0.10.2"
        packages = [f"{name}=={version}" for name in ("jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda12-pjrt")]
        python, site = self.environment("jax", *packages, "nvidia-cuda-nvcc-cu12==12.9.86")
        cuda = self.folder / "cuda"
        (cuda / "bin").mkdir(parents=True)
        (cuda / "nvvm").symlink_to(site / "nvidia" / "cuda_nvcc" / "nvvm")
        (self.folder / "kernel.py").write_text(JAX)
        (self.folder / "gpu.txt").write_text(GPU)

        def compile_with(hooked, **environment):
            (cuda / "bin" / "ptxas").unlink(missing_ok=True)
            if hooked:
                (cuda / "bin" / "ptxas").symlink_to(PTXRAY)
            environment = {"CUDA_ROOT": str(cuda), "JAX_PLATFORMS": "cuda,cpu", **environment}
            return self.run_program([python, "kernel.py"], JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1", **environment)

        # Another CUDA on the machine has no effect, whether a variable that JAX ignores or PATH names it.
        other = pathlib.Path(PTXAS).parents[1]
        path = {"PATH": f"{other}/bin:{os.environ['PATH']}"}
        for environment in ({}, {"CUDA_HOME": str(other)}, path):
            self.check_same(
                "program.xla", lambda: compile_with(False), lambda env=environment: compile_with(True, **env)
            )
        # The compiler calls ptxray, and another ptxas produces another program.
        self.assertNotEqual(compile_with(True, PTXRAY_VERIFY_ONLY="1").returncode, 0)
        compile_with(False)
        plain = self.objects("program.xla")
        compile_with(True, PTXAS=PTXAS)
        self.assertNotEqual(self.objects("program.xla"), plain)

    def test_cute_dsl(self):
        python, _ = self.environment("cute", "nvidia-cutlass-dsl==4.8.1")
        self.check_left(self.leave_behind(CUTE_DSL, "*.ptx", python, CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP_PTX="1"))

    def test_numba(self):
        self.need_module("numba_cuda")
        self.check_left(self.leave_behind(NUMBA, "*.ptx"))

    def test_warp(self):
        self.need_module("warp")
        path = self.leave_behind(WARP.replace("ADD", "add.s32"), "out/*.ptx")
        self.assertTrue(path.read_bytes().endswith(b"\0"))  # otherwise, docs/producers.md describes too much
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
