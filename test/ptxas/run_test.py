#!/usr/bin/env python3
"""Tests `ptxray run` and ptxray-run, with a driver that has no GPU.

run_test.py PTXRAY PTXRAY_RUN FOLDER_OF_FAKE_DRIVER"""

import os
import pathlib
import struct
import sys
import unittest

import stand_in_test
from stand_in_test import make

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

PRODUCT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mul.lo.s32 %r2, %r1, %r1;
  st.global.u32 [%rd1], %r2;
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

    def test_entry_of_a_binary(self):
        other = MODULE.replace("entry", "func", 1)
        library = make.container(
            *(make.entry(text.encode(), target="sm_80", version="8.0") for text in (other, MODULE))
        )
        self.input = self.work / "k.fatbin"
        self.input.write_bytes(library)
        words = ["--block", "4", "--out", "1=u32", "iota:u32:4", "zeros:16", "5"]
        self.assertEqual(self.launch("--entry=2", *words).stdout, "5 6 7 8\n")
        done = self.launch("--entry=1", *words)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no kernel", done.stderr)

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
        self.assertIn("written: 0 arguments", done.stderr)
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
        self.assertIn(
            "1 of 4 elements differ, first number 3: 6, expected 7; greatest error 1 at 3, mean 0.25", done.stderr
        )
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
        self.assertIn("--gpu-name=sm_100", self.launch(*buffers, body=show, env={"FAKE_MAJOR": "10"}).stdout)
        self.input.write_text(MODULE.replace("sm_90", "sm_90a"))
        self.assertIn("--gpu-name=sm_90a", self.launch(*buffers, body=show).stdout)
        self.input.write_text(MODULE.replace("sm_90", "sm_80"))
        self.assertIn("--gpu-name=sm_90", self.launch(*buffers, body=show).stdout)

    def test_faults(self):
        buffers = ["iota:u32:4", "zeros:16", "1"]
        # After a fault, the driver answers no queries. A launch within the limits must not be reported as exceeding
        # them.
        for result, words in (
            (700, "it used an illegal address"),
            (719, "it ended with `trap`, or with a fault that has no specific error"),
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
                    f"ptxray-run: launch of `k`: an argument of the launch is invalid (CUDA_ERROR_FAKE): {broken}\n",
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
                (
                    4,
                    "ptxray-run: this machine has no CUDA driver (libcuda.so.1); "
                    "`ptxray run --emulate` does not need one\n",
                ),
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
        self.assertIn("compiler rejects", done.stderr)

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
            ["file:/tmp", "zeros:1", "1"],
            ["zeros:1000000000000", "zeros:1", "1"],
            ["hex=zz", "zeros:1", "1"],
            ["&3", "zeros:1", "1"],
            ["&1+5", "zeros:4", "1"],
            ["&", "zeros:4", "1"],
            ["tma=f16", "zeros:4", "1"],
            ["--tolerance", "abc", "zeros:1", "zeros:1", "1"],
            ["--tolerance", "-1", "zeros:1", "zeros:1", "1"],
            ["--tolerance", "0.1", "--expect", "1=zeros:1", "zeros:1", "zeros:1", "1"],
            ["--buffer", "zeros:4", "zeros:1", "zeros:1", "1"],
            ["--out", "9=u32", "zeros:1", "zeros:1", "1"],
            ["--out", "1=npy:o.npy", "zeros:1", "zeros:1", "1"],
            ["--type", "f17", "zeros:1", "zeros:1", "1"],
            ["{u32:1,pad=1000000000000}", "zeros:1", "1"],
        ):
            # These errors come before any search for a GPU, and before ptxas is called.
            done = self.launch(*words, driver=False, body="sys.exit(99)")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (words, done.stderr))

    def test_sizes_must_be_equal(self):
        """Tests that an empty or short expectation is an error, since every kernel would match it."""
        words = ["--block", "4", "iota:u32:4", "zeros:16", "1"]
        for content in (b"", b"\1\0\0\0", b"\1\0\0"):
            (self.work / "ref.bin").write_bytes(content)
            done = self.launch("--type", "u32", "--expect", f"1=file:{self.work}/ref.bin", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"buffer 1 has 16 bytes, the expectation {len(content)}", done.stderr)
        done = self.launch("--expect", "table=iota:u32:3", *words)
        self.assertEqual(done.returncode, 6)
        self.assertIn("has 16 bytes, 12 expected", done.stderr)

    def test_negative_values(self):
        done = self.launch("--block", "2", "--out", "1=u32", "iota:u32:2", "zeros:8", "-1")
        self.assertEqual((done.returncode, done.stdout), (0, "4294967295 0\n"))  # of .u32, as in C
        self.input.write_text(MODULE.replace(".u32 n", ".s32 n"))
        done = self.launch("--block", "2", "--out", "1=s32", "iota:s32:2", "zeros:8", "-1")
        self.assertEqual((done.returncode, done.stdout), (0, "-1 0\n"), done.stderr)

    def npy(self, name, description, shape, data):
        header = f"{{'descr': '{description}', 'fortran_order': False, 'shape': {shape}, }}".encode()
        header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
        (self.work / name).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data)
        return f"file:{self.work}/{name}"

    def test_npy(self):
        given = self.npy("in.npy", "<u4", "(2, 2)", struct.pack("<4I", 1, 2, 3, 4))
        expected = self.npy("ref.npy", "<u4", "(2, 2)", struct.pack("<4I", 3, 4, 5, 7))
        done = self.launch(
            "--block",
            "4",
            "--expect",
            f"1={expected}",
            "--out",
            f"1=npy:{self.work}/o.npy",
            "--out",
            f"0=npy:{self.work}/i.npy",
            given,
            "zeros:u32:4",
            "2",
        )
        self.assertEqual(done.returncode, 6)
        self.assertIn("first number [1, 1]: 6, expected 7", done.stderr)
        written = (self.work / "o.npy").read_bytes()
        self.assertTrue(written.startswith(b"\x93NUMPY\1\0") and written.index(b"\n") % 64 == 63)
        self.assertIn(b"'descr': '<u4', 'fortran_order': False, 'shape': (4,)", written)
        self.assertEqual(struct.unpack("<4I", written[-16:]), (3, 4, 5, 6))
        self.assertIn(b"'shape': (2,2,)", (self.work / "i.npy").read_bytes())  # unchanged input
        for name, description, shape, data in (
            ("short", "<u4", "(4,)", b"1234"),
            ("big", ">u4", "(1,)", b"1234"),
            ("odd", "<c8", "(1,)", b"12345678"),
        ):
            done = self.launch(self.npy(name, description, shape, data), "zeros:4", "2")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        (self.work / "cut.npy").write_bytes(written[:40])
        self.assertIn("damaged", self.launch(f"file:{self.work}/cut.npy", "zeros:4", "2").stderr)

    def test_tolerance_by_type(self):
        half = struct.pack("<2e", 400, 1)
        (self.work / "ref.bin").write_bytes(struct.pack("<2e", 100, 1.0009765625))
        (self.work / "in.bin").write_bytes(half)
        words = ["--block", "1", f"file:f16:{self.work}/in.bin", "zeros:f16:2", "0"]
        done = self.launch("--tolerance", "0.1", "--expect", f"1=file:f16:{self.work}/ref.bin", *words)
        self.assertEqual(done.returncode, 6)
        self.assertIn("1 of 2 elements differ, first number 0: 400, expected 100; greatest error 300 at 0", done.stderr)
        (self.work / "ref.bin").write_bytes(struct.pack("<2e", 400, 1.0009765625))
        done = self.launch("--tolerance", "0.1", "--expect", f"1=file:f16:{self.work}/ref.bin", *words)
        self.assertEqual(done.returncode, 0)
        self.assertIn("as expected: 2 elements of f16; greatest error 0.000976562 at 1, mean 0.000488281", done.stderr)

    def test_narrow_floats(self):
        """Tests that values are rounded to the nearest of the type, and read back."""
        for name, values in (
            ("e4m3", "0 1 -1.5 448 0.001953125"),
            ("e5m2", "57344 -inf 0.25"),
            ("e2m3", "7.5 -0.125"),
            ("e3m2", "28 0.0625"),
            ("e2m1", "6 -0.5 1.5 3"),
            ("ue8m0", "1 4 0.5"),
            ("bf16", "1.0078125 -3"),
            ("f16", "65504 6e-08"),
        ):
            for value in values.split():
                done = self.launch("--block", "1", "--out", f"0={name}", f"fill:{name}:2:{value}", "zeros:64", "0")
                self.assertEqual(done.returncode, 0, done.stderr)
                shown = [float(word) for word in done.stdout.split()]
                self.assertTrue(
                    all(abs(one - float(value)) <= 1e-8 or one == float(value) for one in shown), (name, value, shown)
                )
        done = self.launch("--block", "1", "--out", "0=e4m3", "fill:e4m3:1:1000", "zeros:64", "0")
        self.assertEqual(done.stdout, "448\n")  # the type has no infinity

    def test_writes_outside(self):
        words = ["--block", "4", "iota:u32:4", "zeros:16", "1"]
        done = self.launch(*words, env={"FAKE_BEYOND": "17"})
        self.assertEqual(
            (done.returncode, done.stderr),
            (6, "ptxray-run: buffer 1 (16 bytes): 1 byte written after it, the nearest 1 after its end\n"),
        )
        done = self.launch(*words, env={"FAKE_BEYOND": "-4"})
        self.assertIn("1 byte written before it, the nearest 4 before its beginning", done.stderr)

    def test_hanging_kernel(self):
        done = self.launch("--time-limit", "1", "iota:u32:4", "zeros:16", "1", env={"FAKE_HANG": "1"})
        self.assertEqual(done.returncode, 6)
        self.assertIn("has not ended after 1 s", done.stderr)

    def test_one_buffer_for_two_parameters(self):
        done = self.launch("--block", "2", "--out", "0=u32", "iota:u32:4", "&0+8", "10")
        self.assertEqual((done.returncode, done.stdout), (0, "0 1 10 11\n"), done.stderr)
        done = self.launch("--block", "2", "--buffer", "both=iota:u32:4", "--out", "both=u32", "&both", "&both+8", "10")
        self.assertEqual((done.returncode, done.stdout), (0, "0 1 10 11\n"), done.stderr)

    def test_structures_and_tensor_maps(self):
        self.input.write_text(MODULE.replace(".param .u32 n", ".param .align 8 .b8 n[24]"))
        sized = {"env": {"FAKE_LAST_PARAMETER": "24"}}
        done = self.launch("--block", "1", "iota:u32:4", "zeros:16", "{u8=1,s16=-2,&0+4,f32=1.5}", **sized)
        self.assertEqual(
            (done.returncode, done.stdout), (0, "0100feff" + "00" * 12 + "0000c03f" + "00" * 4 + "\n"), done.stderr
        )
        self.assertEqual(self.launch("iota:u32:4", "zeros:16", "{u64=1,u64=1,u64=1,u64=1}", **sized).returncode, 2)
        self.assertEqual(self.launch("iota:u32:4", "zeros:16", "7", **sized).returncode, 2)
        self.input.write_text(MODULE.replace(".param .u32 n", ".param .align 64 .b8 n[128]"))
        done = self.launch(
            "--block",
            "1",
            "iota:u32:4",
            "zeros:16",
            "tma=f16:64x32:box=64x8:swizzle=128:promotion=256:fill=nan:&0",
            env={"FAKE_LAST_PARAMETER": "128"},
        )
        self.assertIn("tensor map of type 6, 2 dimensions, 64 x 32, stride 128, box 64 x 8, 0 3 3 1\n", done.stdout)

    def test_variables(self):
        words = ["--block", "1", "iota:u32:4", "zeros:16", "1"]
        done = self.launch("--variable", "table=iota:u32:4", "--out", "table=u32", *words)
        self.assertEqual((done.returncode, done.stdout), (0, "0 1 2 3\n"), done.stderr)
        for option in ("--variable", "--out"):
            self.assertEqual(
                self.launch(option, "nosuch=" + ("iota:u32:4" if option == "--variable" else "u32"), *words).returncode,
                2,
            )
        self.assertEqual(self.launch("--variable", "table=iota:u32:5", *words).returncode, 2)

    def test_cooperative(self):
        done = self.launch("--cooperative", "iota:u32:4", "zeros:16", "1")
        self.assertEqual((done.returncode, done.stdout), (0, "cooperative\n"), done.stderr)

    def test_fresh_buffers(self):
        words = ["--block", "1", "--repeat", "3", "&1", "iota:u32:1", "5"]
        for options, found in (([], [0, 5, 10, 15]), (["--fresh"], [0, 0, 0, 0])):
            done = self.launch(*options, *words, env={"FAKE_TRACE": "1"})
            self.assertEqual((done.returncode, done.stdout.splitlines()[:-1]), (0, [f"finds {n}" for n in found]))

    def test_block_of_the_kernel(self):
        self.input.write_text(MODULE.replace(")\n{", ") .reqntid 4\n{"))
        done = self.launch("--out", "1=u32", "iota:u32:4", "zeros:16", "1")
        self.assertEqual(done.stdout, "1 2 3 4\n")

    def test_help(self):
        done = self.run_ptxray("--help", command=LAUNCHER)
        self.assertEqual(done.returncode, 0)
        for word in ("--expect", "tma=", "e4m3"):
            self.assertIn(word, done.stdout)

    def test_which_kernel(self):
        self.input.write_text(MODULE + MODULE[MODULE.index(".visible") :].replace("entry k", "entry other"))
        done = self.launch("iota:u32:4", "zeros:16", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this module has 2 (k, other)", done.stderr)

    def test_only_kernel_of_an_object_file(self):
        self.input.write_bytes(b"\x7fELF\0\0")
        words = ["--block", "2", "--out", "1=u32", "iota:u32:2", "zeros:8", "u32=3"]
        done = self.launch(*words)
        self.assertEqual((done.returncode, done.stdout), (0, "3 4\n"), done.stderr)
        for kernels, message in (("k,other", "there are 2 (k, other)"), ("", "there is none")):
            done = self.launch(*words, env={"FAKE_KERNELS": kernels})
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--kernel is missing: {message}\n", done.stderr)
        done = self.launch("--kernel", "k", *words, env={"FAKE_KERNELS": "k,other"})
        self.assertEqual((done.returncode, done.stdout), (0, "3 4\n"), done.stderr)

    def test_launcher_that_cannot_be_started(self):
        words = ["--block", "2", "iota:u32:2", "zeros:8", "3"]
        for content in (MODULE.encode(), b"\x7fELF\0\0"):
            self.input.write_bytes(content)
            done = self.launch(*words, env={"PTXRAY_RUN": "/nowhere/ptxray-run"})
            self.assertEqual(done.returncode, 2)
            self.assertIn("`/nowhere/ptxray-run` cannot be started: No such file or directory", done.stderr)

    def test_object_file(self):
        self.input.write_bytes(b"\x7fELF\0\0")
        done = self.launch("--kernel", "k", "--block", "2", "--out", "1=u32", "iota:u32:2", "zeros:8", "u32=3")
        self.assertEqual((done.returncode, done.stdout), (0, "3 4\n"), done.stderr)
        done = self.launch("--kernel", "k", "iota:u32:2", "zeros:8")  # the driver would read beyond the list
        self.assertEqual(done.returncode, 2)
        self.assertIn("has 3 parameters; written: 2 arguments", done.stderr)
        done = self.launch("--kernel", "k", "iota:u32:2", "zeros:8", "u32=3", env={"FAKE_LOAD": "209"})
        self.assertEqual(done.returncode, 6)
        self.assertIn(f"cannot load `{self.input}` on Fake (sm_90): it contains no code for this GPU", done.stderr)

    def test_random_is_the_same_every_time(self):
        words = ["--block", "64", "--out", "1=f32", "random:f32:64:7", "zeros:256", "0"]
        first, second = self.launch(*words), self.launch(*words)
        self.assertEqual(first.stdout, second.stdout)
        values = [float(word) for word in first.stdout.split()]
        self.assertEqual(len(values), 64)
        self.assertTrue(all(-1 <= value <= 1 for value in values) and len(set(values)) > 60)


class Reduction(stand_in_test.StandIn):
    def reduced(self, *words, text=PRODUCT, **environment):
        """Reduces a product that is wrong after -O3, and returns how many processes started with the driver."""
        self.input.write_text(text)
        processes = self.folder / "processes"
        processes.write_text("")
        body = """answer()
if "-O0" in sys.argv:
    path = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
    path.write_bytes(path.read_bytes().replace(b"mul.lo", b""))
"""
        environment = {"FAKE_WRONG": "mul.lo", "FAKE_PROCESSES": str(processes), "PTXRAY_RUN": LAUNCHER, **environment}
        environment |= {"PTXAS": self.ptxas(body), "LD_LIBRARY_PATH": DRIVER}
        launch = ["--", "--block=2", "iota:u32:2", "zeros:u32:2", "7"]
        done = self.run_ptxray("reduce", self.input, *words, *launch, env=environment)
        self.check_nothing_left()
        return done, len(processes.read_text().splitlines())

    def test_reduction(self):
        done, processes = self.reduced("--ptxas-differs", "--jobs=2")
        small = done.stdout
        self.assertEqual(small.count(";"), 3, small)
        self.assertIn("mul.lo.s32 %r0, 0, 0;", small)
        self.assertTrue(small.startswith("// run: --block=1 iota:u32:1 zeros:u32:1 7\n"), small)
        self.assertLessEqual(processes, 4)  # two before, and one per job
        # After a fault of its kernel, a process cannot be used any more.
        again, processes = self.reduced("--ptxas-differs", FAKE_WRONG_SYNC="700")
        self.assertEqual(again.stdout, small)
        self.assertGreater(processes, 6)

    def test_no_right_answer(self):
        """Tests results that cannot be compared: an address, and a product of a part of a warp."""
        address = PRODUCT.replace("ret;", "st.global.u64 [%rd1], %rd1; ret;")
        zeros = "{%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f, %f, %f, %f}"
        product = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f, %f, %f, %f}, " + zeros
        part = PRODUCT.replace("ret;", f".reg .f32 %f; mov.f32 %f, 0f00000000; {product}; ret;")
        for text in (address, part):
            done, _ = self.reduced("--ptxas-differs", text=text)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is not interesting to the requested test", done.stderr)


if __name__ == "__main__":
    stand_in_test.PTXRAY, LAUNCHER, DRIVER = sys.argv[1:4]
    stand_in_test.PTXRAY = os.path.abspath(stand_in_test.PTXRAY)
    unittest.main(argv=sys.argv[:1])
