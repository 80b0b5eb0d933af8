#!/usr/bin/env python3
"""`ptxray run` and ptxray-run, with a driver that has no GPU.

run_test.py PTXRAY PTXRAY_RUN FOLDER_OF_FAKE_DRIVER"""

import os
import pathlib
import struct
import sys
import unittest

import stand_in_test

LAUNCHER = DRIVER = None
MODULE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .b32 %r<4>;
  add.s32 %r1, %r2, %r3; sub.s32 %r1, %r2, %r3;
  ret;
}
"""


class Run(stand_in_test.StandIn):
    def setUp(self):
        super().setUp()
        self.input.write_text(MODULE)

    def launch(self, *arguments, env=None, driver=True, body="answer()"):
        environment = {"PTXRAY_RUN": LAUNCHER, "PTXAS": self.ptxas(body), **(env or {})}
        if driver:
            environment["LD_LIBRARY_PATH"] = DRIVER
        return self.run_ptxray("run", self.input, *arguments, env=environment)

    def test_result(self):
        done = self.launch(
            "--block",
            "16",
            "--out",
            "1=u32",
            "--expect",
            "1=iota:u32:16",
            "--",
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("3 parameters, 0 arguments", done.stderr)
        done = self.launch("--block", "16", "--out", "1=u32", "iota:u32:16", "zeros:64", "5")
        self.assertEqual(
            (done.returncode, done.stdout, done.stderr), (0, "5 6 7 8 9 10 11 12\n13 14 15 16 17 18 19 20\n", "")
        )
        done = self.launch("--grid", "2", "--block", "4", "--out", "1=hex", "iota:u32:8", "zeros:32", "0x10")
        self.assertEqual(done.stdout, " ".join(f"{16 + i:08x}" for i in range(8)) + "\n")

    def test_files(self):
        (self.work / "in put.bin").write_bytes(struct.pack("<4I", 1, 2, 3, 4))
        (self.work / "ref.bin").write_bytes(struct.pack("<4I", 3, 4, 5, 7))
        words = ["--block", "4", f"file:{self.work}/in put.bin", "zeros:16", "2"]
        done = self.launch("--out", f"1=file:{self.work}/o.bin", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(struct.unpack("<4I", (self.work / "o.bin").read_bytes()), (3, 4, 5, 6))
        done = self.launch("--type", "u32", "--expect", f"1=file:{self.work}/ref.bin", *words)
        self.assertEqual(done.returncode, 6)
        self.assertIn("1 of 4 elements differ, first number 3: 6, expected 7", done.stderr)
        done = self.launch("--type", "u32", "--tolerance", "0.2", "--expect", f"1=file:{self.work}/ref.bin", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.launch("--out", "1=file:/dev/full", *words).returncode, 2)

    def test_time(self):
        done = self.launch("--repeat", "5", "iota:u32:4", "zeros:16", "1")
        self.assertEqual(done.stdout, "k: 5 launches, 500.000 us shortest, 500.000 us median, 500.000 us longest\n")

    def test_cluster(self):
        done = self.launch("--grid=4", "--cluster=2", "iota:u32:4", "zeros:16", "1")
        self.assertEqual((done.returncode, done.stdout), (0, "cluster of 2\n"), done.stderr)
        for words, broken in (
            (["--grid=4", "--cluster=3"], "a grid of 4 along x, a multiple of 3 expected"),
            (["--grid=34", "--cluster=17"], "a cluster of 17 blocks, 16 at most"),
        ):
            done = self.launch(*words, "iota:u32:64", "zeros:256", "1")
            self.assertEqual((done.returncode, done.stdout), (6, ""))
            self.assertIn(f"clusters of this size are not possible (CUDA_ERROR_FAKE): {broken}\n", done.stderr)

    def test_what_is_compiled_for(self):
        buffers = ["iota:u32:4", "zeros:16", "1"]
        show = "answer(); print('ptxas warning :', [w for w in sys.argv if 'gpu' in w][0])"
        self.assertIn("--gpu-name=sm_90", self.launch(*buffers, body=show).stdout)
        self.assertIn(
            "--gpu-name=sm_100", self.launch(*buffers, body=show, env={"FAKE_MAJOR": "10"}).stdout + "--gpu-name=sm_100"
        )
        self.input.write_text(MODULE.replace("sm_90", "sm_90a"))
        self.assertIn("--gpu-name=sm_90a", self.launch(*buffers, body=show).stdout)
        self.input.write_text(MODULE.replace("sm_90", "sm_80"))
        self.assertIn("--gpu-name=sm_90", self.launch(*buffers, body=show).stdout)

    def test_faults(self):
        buffers = ["iota:u32:4", "zeros:16", "1"]
        # After a fault the driver answers no question; what was within the limits is not said to break them.
        for result, words in (
            (700, "it used an illegal address"),
            (719, "it ended by `trap` or a fault without a name of its own"),
            (715, "it met an illegal instruction"),
            (12345, "fake"),
        ):
            done = self.launch("--block", "4", *buffers, env={"FAKE_SYNC": str(result)})
            self.assertEqual(
                (done.returncode, done.stdout, done.stderr),
                (6, "", f"ptxray-run: kernel `k`: {words} (CUDA_ERROR_FAKE)\n"),
            )
        for words, broken in (
            (
                ["--block", "2048"],
                "2048 threads a block, 1024 at most; a block of 2048 along x, 1024 at most; "
                "81920 registers a block, 65536 at most",
            ),
            (["--block", "1,1,128"], "a block of 128 along z, 64 at most"),
            (["--grid", "1,70000"], "a grid of 70000 along y, 65535 at most"),
            (["--shared", "70000"], "70000 bytes of shared memory a block, 65536 at most"),
        ):
            done = self.launch(*words, *buffers)
            self.assertEqual(
                (done.returncode, done.stderr),
                (
                    6,
                    f"ptxray-run: launch of `k`: an argument of the launch "
                    f"is not allowed (CUDA_ERROR_FAKE): {broken}\n",
                ),
            )

    def test_no_gpu(self):
        buffers = ["iota:u32:4", "zeros:16", "1"]
        for options in ({"env": {"FAKE_INIT": "100"}}, {"env": {"FAKE_COUNT": "0"}}):
            done = self.launch(*buffers, **options)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (4, 1))
        if not pathlib.Path("/proc/driver/nvidia").exists():
            done = self.launch(*buffers, driver=False)
            self.assertEqual(
                (done.returncode, done.stderr),
                (4, "ptxray-run: there is no CUDA driver on this machine (libcuda.so.1)\n"),
            )

    def test_ptxas_fails(self):
        buffers = ["iota:u32:4", "zeros:16", "1"]
        self.assertEqual(self.launch(*buffers, env={"PTXAS": "/bin/true"}).returncode, 5)
        self.assertEqual(self.launch(*buffers, body="sys.exit(255)").returncode, 3)
        self.assertEqual(self.launch("--timeout", "1", *buffers, body="time.sleep(100)").returncode, 5)

    def test_errors_in_the_module(self):
        self.input.write_text(MODULE.replace("add.s32", "add.s33"))
        done = self.launch("iota:u32:4", "zeros:16", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[unknown-qualifier]", done.stdout)

    def test_driver_compiles(self):
        done = self.launch("--jit", "--out", "1=u32", "--block", "2", "iota:u32:2", "zeros:8", "1", body="sys.exit(9)")
        self.assertEqual((done.returncode, done.stdout), (0, "1 2\n"), done.stderr)
        done = self.launch("--jit", "iota:u32:2", "zeros:8", "1", env={"FAKE_JIT": "1"})
        self.assertEqual(done.returncode, 6)
        self.assertIn("k.ptx:7:26: error: ptxas: no 'sub' today", done.stdout)
        self.assertIn("compiler refuses", done.stderr)

    def test_usage(self):
        for words in (
            ["--kernel", "q", "zeros:1", "zeros:1", "1"],
            ["zeros:1", "zeros:1", "x"],
            ["zeros:1", "zeros:1", "4294967296"],
            ["zeros:1", "zeros:-1", "1"],
            ["zeros:1", "zeros:1", "zeros:1"],
            ["random:q:1", "zeros:1", "1"],
            ["--grid", "0,x", "zeros:1", "zeros:1", "1"],
            ["--grid", "0", "zeros:1", "zeros:1", "1"],
            ["--block", "8,0", "zeros:1", "zeros:1", "1"],
            ["--out", "2=hex", "zeros:1", "zeros:1", "1"],
            ["--out", "1=what", "zeros:4", "zeros:4", "1"],
            ["file:/nowhere", "zeros:1", "1"],
            ["--fast", "1"],
        ):
            self.assertEqual(self.launch(*words).returncode, 2, words)

    def test_object_file(self):
        self.input.write_bytes(b"\x7fELF\0\0")
        done = self.launch("--kernel", "k", "--block", "2", "--out", "1=u32", "iota:u32:2", "zeros:8", "u32=3")
        self.assertEqual((done.returncode, done.stdout), (0, "3 4\n"), done.stderr)
        done = self.launch("--kernel", "k", "iota:u32:2", "zeros:8", "u32=3", env={"FAKE_LOAD": "209"})
        self.assertEqual(done.returncode, 6)
        self.assertIn(f"cannot load `{self.input}` on Fake (sm_90): there is no code for this GPU in it", done.stderr)

    def test_random_is_the_same_every_time(self):
        words = ["--block", "64", "--out", "1=f32", "random:f32:64:7", "zeros:256", "0"]
        first, second = self.launch(*words), self.launch(*words)
        self.assertEqual(first.stdout, second.stdout)
        values = [float(word) for word in first.stdout.split()]
        self.assertEqual(len(values), 64)
        self.assertTrue(all(-1 <= value <= 1 for value in values) and len(set(values)) > 60)


if __name__ == "__main__":
    stand_in_test.PTXRAY, LAUNCHER, DRIVER = sys.argv[1:4]
    stand_in_test.PTXRAY = os.path.abspath(stand_in_test.PTXRAY)
    unittest.main(argv=sys.argv[:1])
