#!/usr/bin/env python3
"""Real compilers with ptxray in the place of ptxas: a kernel that is fine, and one with faulty inline assembly.

    producers_test.py PTXRAY NVCC PYTHON

NVCC and PYTHON (one that has Triton) are skipped where they do not exist; with PTXRAY_REQUIRE=nvcc,triton they must."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PTXRAY = NVCC = PYTHON = None
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

source = ASTSource(kernel, {"x": "*i32", "o": "*i32", "n": "i32"}, {"B": 128})
for capability in (90, 100):
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    assert compiled.asm["cubin"][:4] == b"\\x7fELF"
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
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, **environment})

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

        self.check_both(compile_with)
        self.assertEqual((self.folder / "k.cubin").read_bytes()[:4], b"\x7fELF")

    def test_triton(self):
        if self.run_program([PYTHON, "-c", "import triton"]).returncode != 0 if pathlib.Path(PYTHON).exists() else True:
            skip_or_fail(self, "triton")
        (self.folder / "ptxas").symlink_to(PTXRAY)

        def compile_with(instruction):
            script = self.folder / "kernel.py"
            script.write_text(TRITON.replace("ADD", instruction))
            return self.run_program([PYTHON, script], TRITON_CACHE_DIR=str(self.folder / "cache"),
                                    TRITON_PTXAS_PATH=str(self.folder / "ptxas"),
                                    TRITON_PTXAS_BLACKWELL_PATH=str(self.folder / "ptxas"))

        faulty = self.check_both(compile_with)
        self.assertIn("kernel.py:9", faulty.stderr)  # the line of the Python source


if __name__ == "__main__":
    PTXRAY, NVCC, PYTHON = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
