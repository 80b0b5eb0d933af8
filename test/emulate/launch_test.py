#!/usr/bin/env python3
"""Tests that `ptxray run --emulate` answers like `ptxray run` on a GPU. It runs the tests of the latter, with a kernel
that computes the results of the driver stub there.

launch_test.py PTXRAY"""

import json
import os
import pathlib
import pty
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ptxas"))
import run_test
import stand_in_test

MODULE = """.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 table[4];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r1, %r2, %r3, %r1;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r4, [n];
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d1, %d1, %d3;
  add.u64 %d2, %d2, %d3;
  ld.global.u32 %r5, [%d1];
  add.s32 %r5, %r5, %r4;
  st.global.u32 [%d2], %r5;
  ret;
}
"""


class Emulated(run_test.Run):
    def launch(self, *arguments, env=None, driver=True, body=""):
        """Launches without a driver, ptxas and ptxray-run."""
        environment = {"PTXRAY_RUN": "/nowhere", "PTXAS": "/nowhere", **(env or {})}
        return self.run_ptxray("run", "--emulate", self.input, *arguments, env=environment)

    def test_time(self):
        done = self.launch("--repeat", "5", "iota:u32:4", "zeros:16", "1")
        self.assertRegex(done.stdout, r"^k: 5 launches, \S+ us shortest, \S+ us median, \S+ us longest\n$")

    def test_fidelity(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fidelity.json"
            done = self.launch(f"--fidelity={path}", "--block=4", "iota:u32:4", "zeros:16", "1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found = json.loads(path.read_text())
        self.assertEqual((found["kernel"], found["instructions"]), ("k", []))
        self.assertEqual((found["exact"], found["executed"]), (14, 14))

    def test_cluster(self):
        for words, broken in (
            (["--grid=4", "--cluster=3"], "a grid of 4 along x, a multiple of 3 expected"),
            (["--grid=34", "--cluster=17"], "a cluster of 17 blocks, 16 at most"),
        ):
            done = self.launch(*words, "iota:u32:64", "zeros:256", "1")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (6, "", f"ptxray: launch of `k`: {broken}\n"))

    def test_faults(self):
        for words, broken in (
            (["--block", "2048"], "2048 threads a block, 1024 at most; a block of 2048 along x, 1024 at most"),
            (["--block", "1,1,128"], "a block of 128 along z, 64 at most"),
            (["--grid", "1,70000"], "a grid of 70000 along y, 65535 at most"),
            (["--shared", "300000"], "300000 bytes of shared memory a block, 232448 at most"),
        ):
            done = self.launch(*words, "iota:u32:4", "zeros:16", "1")
            self.assertEqual((done.returncode, done.stderr), (6, f"ptxray: launch of `k`: {broken}\n"))

    def test_what_has_no_meaning_here(self):
        words = ["--device=3", "--jit", "--ptxas=/nowhere", "--timeout=1", "-v", "--no-guard", "--out=1=u32"]
        done = self.launch(*words, "iota:u32:1", "zeros:4", "5")
        self.assertEqual((done.returncode, done.stdout), (0, "5\n"), done.stderr)

    def test_which_chip(self):
        words = ["iota:u32:1", "zeros:4", "5"]
        for chip, status in (("sm_90", 0), ("sm_100a", 0), ("sm_80", 1), ("sm_1", 2), ("h100", 2)):
            done = self.run_ptxray("run", f"--emulate={chip}", self.input, *words)
            self.assertEqual(done.returncode, status, (chip, done.stderr))

    def test_object_file(self):
        self.input.write_bytes(b"\x7fELF\0\0")
        done = self.launch("--kernel", "k", "iota:u32:2", "zeros:8", "u32=3")
        self.assertEqual(
            (done.returncode, done.stderr),
            (2, f"ptxray: `{self.input}` contains GPU code; only PTX can be emulated\n"),
        )

    def test_findings_in_json(self):
        done = self.launch("--format=json", "iota:u32:1", "zeros:2", "5")
        self.assertEqual(done.returncode, 1)
        (file,) = stand_in_test.json.loads(done.stdout)["files"]
        (found,) = file["diagnostics"]
        self.assertEqual((found["severity"], found["range"]["start"]["line"]), ("error", 19), found)

    def test_product_of_the_examples(self):
        """Tests that docs/assembling.md shows the results of an H100."""
        examples = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"
        stand_in_test.subprocess.run([sys.executable, examples / "product.py", self.work], check=True)
        right = (self.work / "c.npy").read_bytes()
        (self.work / "wrong.npy").write_bytes(right[:-4] + bytes(4))
        maps = [f"tma=f16:64x64:swizzle=128:&{name}" for name in "ab"]
        buffers = [f"--buffer={name}=file:{self.work}/{name}.npy" for name in "ab"]
        for expected, status, report in (
            (
                "c.npy",
                0,
                "is as expected: 4096 elements of f32; greatest error 1.19209e-06 at [17, 13], mean 3.68897e-07",
            ),
            (
                "wrong.npy",
                6,
                "is not as expected: 1 of 4096 elements differ, first number [63, 63]: 4.35108948, expected 0; "
                "greatest error 4.35109 at [63, 63], mean 0.00106265",
            ),
        ):
            words = [*buffers, f"--expect=2=file:{self.work}/{expected}", "--tolerance=0.001", *maps, "zeros:f32:4096"]
            done = self.run_ptxray("run", "--emulate", examples / "product.ptx", *words)
            self.assertEqual((done.returncode, done.stderr), (status, f"ptxray: buffer 2 {report}\n"))

    def test_transpose_of_the_examples(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "transpose.ptx"
        words = ["--grid=2", "--block=32", "--out=1=u16", "iota:u16:128", "zeros:256"]
        done = self.run_ptxray("run", "--emulate", example, *words)
        tiles = [[[64 * t + 8 * i + k for i in range(8)] for k in range(8)] for t in range(2)]
        rows = [" ".join(map(str, row)) for tile in tiles for row in tile]
        self.assertEqual((done.returncode, done.stdout), (0, "\n".join(rows) + "\n"), done.stderr)

    def test_tensor_map_that_cannot_be(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "product.ptx"
        words = ["--buffer=a=zeros:8192", "tma=f16:64x64:swizzle=64:&a", "tma=f16:64x64:&a", "zeros:f32:4096"]
        done = self.run_ptxray("run", "--emulate", example, *words)
        self.assertEqual(
            (done.returncode, done.stderr),
            (
                6,
                "ptxray: a tensor map for `product`: a row of the box has 128 bytes; 64, by which it is swizzled, "
                "at most\n",
            ),
        )

    def endless(self, **pipes):
        kernel = pathlib.Path(__file__).resolve().parent / "endless.ptx"
        return stand_in_test.subprocess.Popen(
            [stand_in_test.PTXRAY, "run", "--emulate", "--no-config", "--time-limit=20", kernel], text=True, **pipes
        )

    def test_interrupt(self):
        running = self.endless(stderr=stand_in_test.subprocess.PIPE)
        stand_in_test.time.sleep(0.5)
        running.send_signal(stand_in_test.signal.SIGINT)
        _, complaint = running.communicate(timeout=10)
        self.assertEqual(
            (running.returncode, complaint),
            (-stand_in_test.signal.SIGINT, "ptxray: kernel `endless` was interrupted\n"),
        )

    def test_progress_on_a_terminal(self):
        ours, its = pty.openpty()
        running = self.endless(stderr=its)
        wanted, shown = b"\r\033[K0 of 1 blocks", b""
        while len(shown) < len(wanted):  # a terminal may return the output in pieces
            shown += os.read(ours, 200)
        running.send_signal(stand_in_test.signal.SIGINT)
        running.wait(timeout=10)
        os.close(its)
        os.close(ours)
        self.assertEqual(shown[: len(wanted)], wanted)

    # Only the driver stub supports these tests.
    test_no_gpu = test_ptxas_fails = test_what_is_compiled_for = test_driver_compiles = None
    test_writes_outside = test_hanging_kernel = test_launcher_that_cannot_be_started = test_help = None
    test_only_kernel_of_an_object_file = test_fresh_buffers = test_cooperative = test_structures_and_tensor_maps = None
    test_narrow_floats = None  # its buffers are smaller than the data that the kernel writes


if __name__ == "__main__":
    run_test.MODULE = MODULE
    stand_in_test.PTXRAY = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
