#!/usr/bin/env python3
"""Tests the counters of `ptxray run --emulate`: counters.py PTXRAY REPOSITORY"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

PTXRAY, REPOSITORY = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
COLUMNS = REPOSITORY / "docs" / "examples" / "columns.ptx"
SAXPY = REPOSITORY / "test" / "emulate" / "saxpy.ptx"
KINDS = """.version 8.0
.target sm_90
.address_size 64
.file 1 "kinds.cu"
.visible .entry kinds(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  .reg .pred %p;
  .shared .align 128 .b8 held[4096];
  .local .align 4 .b8 own[16];
  .loc 1 10 0
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 8;
  add.u64 %d2, %d1, %d2;
  .loc 1 11 0
  setp.lt.u32 %p, %r1, 12;
  @%p bra few;
  st.local.u32 [own], %r1;
  bra all;
few:
  @!%p st.global.u32 [%d1], %r1;
all:
  .loc 1 12 0
  mov.u32 %r2, held;
  shr.u32 %r3, %r1, 3;
  atom.shared.add.u32 %r4, [%r2], 1;
  atom.shared.exch.b32 %r4, [%r2], %r1;
  cvt.u64.u32 %d3, %r2;
  cvta.shared.u64 %d3, %d3;
  st.u32 [%d3+128], %r1;
  .loc 1 13 0
  cp.async.ca.shared.global [%r2], [%d2], 8;
  cp.async.wait_all;
  ret;
}
"""


class Counters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_ptxray(self, *words):
        return subprocess.run([PTXRAY, "run", "--emulate", *words], capture_output=True, text=True, timeout=60)

    def counted(self, kernel, *words):
        path = self.folder / "counts.json"
        done = self.run_ptxray(f"--counters={path}", kernel, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(path.read_text())

    def test_columns(self):
        """Tests columns of a tile with 32 numbers a row. Each column lies in one bank: 32 passes for each of 32
        columns."""
        counted = self.counted(COLUMNS, "--block=32", "iota:u32:1024", "zeros:u32:1024")
        by_text = {one["text"]: one["counts"] for one in counted["instructions"]}
        self.assertEqual(
            by_text["ld.shared.u32 %r5, [%r4];"],
            {
                "inst_executed": 32,
                "thread_inst_executed": 1024,
                "thread_inst_executed_true": 1024,
                "memory_l1_wavefronts_shared": 1024,
                "memory_l1_wavefronts_shared_ideal": 32,
                "bytes_shared": 4096,
            },
        )
        self.assertEqual(by_text["st.shared.u32 [%r4], %r5;"]["memory_l1_wavefronts_shared"], 32)
        self.assertEqual(by_text["ld.global.u32 %r5, [%d1];"]["memory_l2_theoretical_sectors_global"], 128)
        self.assertEqual(by_text["@%p bra read;"]["thread_inst_executed_true"], 31 * 32)
        self.assertEqual(counted["counts"]["memory_l1_wavefronts_shared"], 1056)
        self.assertEqual((counted["kernel"], counted["version"]), ("columns", 1))
        self.assertEqual(counted["kinds"]["ld"]["memory_l1_wavefronts_shared"], 1024)
        executed = [one["inst_executed"] for one in counted["kinds"].values()]
        self.assertEqual(
            (sum(executed), executed), (counted["counts"]["inst_executed"], sorted(executed, reverse=True))
        )

    def test_kinds(self):
        kernel = self.folder / "kinds.ptx"
        kernel.write_text(KINDS)
        counted = self.counted(kernel, "--no-checks", "--block=32", "zeros:u32:64")
        by_text = {one["text"]: one for one in counted["instructions"]}

        def counts(text):
            return by_text[text]["counts"]

        self.assertEqual(counts("@%p bra few;")["branches_divergent"], 1)
        self.assertEqual(counts("st.local.u32 [own], %r1;")["bytes_local"], 20 * 4)
        self.assertEqual(counts("@!%p st.global.u32 [%d1], %r1;"), {"inst_executed": 1, "thread_inst_executed": 12})
        increment, exchange = (
            counts("atom.shared.add.u32 %r4, [%r2], 1;"),
            counts("atom.shared.exch.b32 %r4, [%r2], %r1;"),
        )
        self.assertEqual((increment["atomic_collisions"], increment["memory_l1_wavefronts_shared"]), (31, 1))
        self.assertEqual((exchange["atomic_collisions"], exchange["memory_l1_wavefronts_shared"]), (31, 32))
        generic = counts("st.u32 [%d3+128], %r1;")
        self.assertEqual((generic["bytes_shared"], generic["memory_l1_wavefronts_shared"]), (128, 1))
        copy = counts("cp.async.ca.shared.global [%r2], [%d2], 8;")
        self.assertEqual((copy["bytes_global"], copy["memory_l2_theoretical_sectors_global"]), (256, 8))
        self.assertEqual(copy["memory_l1_wavefronts_shared"], 32)
        self.assertEqual(by_text["cp.async.wait_all;"]["source"], {"path": "kinds.cu", "line": 13})

    def test_cores(self):
        words = (SAXPY, "--grid=64", "--block=96", "2", "iota:f32:6000", "zeros:f32:6000", "6000")
        self.assertEqual(self.counted("--cores=1", *words), self.counted("--cores=4", *words))

    def test_listing(self):
        listing = self.folder / "counts.txt"
        self.run_ptxray(f"--counters={listing}", SAXPY, "--block=32", "2", "iota:f32:32", "zeros:f32:32", "20")
        lines = listing.read_text().splitlines()
        self.assertEqual(lines[0], "function `saxpy`")
        self.assertEqual(lines[1].split()[-2:], ["B", "line"])
        self.assertEqual(" ".join(lines[15].split()), "1 20 20 3 3 1 80 38 ld.global.f32 %f2, [%d1];")
        kinds = [line.split()[-3:] for line in lines[lines.index("kinds of instructions") + 2 :]]
        self.assertEqual(kinds[:2], [["33.3", "%", "ld"], ["16.7", "%", "mov"]])
        self.assertEqual(lines[-1].split(), ["18", "492", "472", "1", "9", "9", "3", "240", "all"])

    def test_coverage(self):
        coverage = self.folder / "lcov.info"
        self.run_ptxray(f"--coverage={coverage}", SAXPY, "--block=32", "2", "iota:f32:32", "zeros:f32:32", "0")
        text = coverage.read_text()
        self.assertIn(f"SF:{SAXPY}\nBRDA:34,3,0,32\nBRDA:34,3,1,0\nBRF:2\nBRH:1\nDA:25,1\n", text)
        self.assertIn("DA:38,0\n", text)
        self.assertTrue(text.endswith("LF:18\nLH:11\nend_of_record\n"), text)

    def test_branches_that_nobody_came_to(self):
        coverage, kernel = self.folder / "lcov.info", self.folder / "kinds.ptx"
        kernel.write_text(KINDS.replace("@%p bra few", "bra all"))
        self.run_ptxray(f"--coverage={coverage}", "--no-checks", kernel, "--block=32", "zeros:u32:64")
        self.assertIn("BRDA:23,3,0,-\nBRDA:23,3,1,-\nBRF:2\nBRH:0\n", coverage.read_text())

    def test_picture(self):
        """Tests the picture: each instruction has a row, and the length of a bar is proportional to its count."""
        picture = self.folder / "counts.svg"
        self.run_ptxray(f"--counters={picture}", COLUMNS, "--block=32", "iota:u32:1024", "zeros:u32:1024")
        root = ElementTree.parse(picture).getroot()
        texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(texts[0], f"{COLUMNS}, kernel columns")
        self.assertIn("ld.shared.u32 %r5, [%r4];", texts)
        bars = [one.attrib for one in root.iter("{http://www.w3.org/2000/svg}rect")][1:]
        lengths = {(one["fill"], float(one["width"])) for one in bars}
        self.assertIn(("#7fb77e", 3.8), lengths)  # 32 of 1,024 passes, of a bar with a width of 120
        self.assertIn(("#d9534f", 116.2), lengths)

    def test_waits_and_products(self):
        """Tests barriers and products. Three of four warps wait at a barrier for the last one. A product of 16 x 16
        and 16 x 8 counts 2,048."""
        counted = self.counted(
            REPOSITORY / "test/debug/matrix.ptx", "--block=32", "iota:f16:256", "iota:f16:128", "zeros:f32:128"
        )
        self.assertEqual(counted["counts"]["matrix_products"], 2048)
        self.assertNotIn("barrier_waits", counted["counts"])
        kernel = self.folder / "meet.ptx"
        kernel.write_text(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry meet()\n{\n  bar.sync 0;\n  ret;\n}\n"
        )
        counted = self.counted(kernel, "--block=128")
        self.assertEqual(counted["counts"]["barrier_waits"], 3)

    def test_bytes_by_proxy(self):
        """Tests the bytes of the async proxy: a bulk copy reads one space and writes another one, and a product
        reads B."""

        def bytes_of(name, *words):
            counts = self.counted(REPOSITORY / "test" / "emulate" / name, *words)["counts"]
            return {key.removeprefix("bytes_"): n for key, n in counts.items() if key.startswith("bytes_")}

        self.assertEqual(
            bytes_of("bulk_copy.ptx", "--block=1", "iota:u32:8", "zeros:u32:8", "fill:s32:8:3"),
            {"shared_async": 96, "global_async": 96, "bulk": 96},
        )
        product = bytes_of("warpgroup_product.ptx", "--block=128", "zeros:u32:8")
        self.assertEqual((product["shared"], product["shared_async"]), (256, 3 * 8 * 16 * 2))
        tensors = (
            "--buffer=a=iota:u32:12",
            "--buffer=b=fill:u32:12:9",
            "tma=u32:4x3:box=4x2:&a",
            "tma=u32:4x3:box=4x2:&b",
        )
        tile = bytes_of("tile.ptx", "--block=1", *tensors, "&b", "zeros:u32:8")
        self.assertEqual((tile["shared_async"], tile["global_async"], tile["bulk"]), (64, 32, 64))  # one row is outside
        surface = ("--kernel=stored", "--block=4", "surf=u32:4x2:&texels", "--buffer=texels=zeros:u32:8")
        self.assertEqual(bytes_of("surface.ptx", *surface), {"texture": 16})
        copies = bytes_of("tensor_copy.ptx", "--block=128", "zeros:u32:24")
        self.assertEqual(copies["shared_async"], 32 * 16 + 128 * 32)
        self.assertGreater(copies["tensor"], 4 * 32 * 16 + 128 * 32)  # one copy writes for all warps, which then read

    def test_end_of_text(self):
        """Tests that control at the end of a kernel without `ret` executes nothing there."""
        ends = REPOSITORY / "test" / "module" / "flow" / "ends.ptx"
        path = self.folder / "ends.json"
        for kernel, words in (("empty", []), ("guarded", ["1"])):
            done = self.run_ptxray(f"--counters={path}", "--trace=0", f"--kernel={kernel}", ends, *words)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("ld.param.u32"), len(words))
        executed = [one["counts"]["inst_executed"] for one in json.loads(path.read_text())["instructions"]]
        self.assertEqual(executed, [1, 1, 1])

    def test_cannot_write(self):
        done = self.run_ptxray("--counters=/nowhere/c.json", SAXPY, "--block=32", "2", "zeros:128", "zeros:128", "32")
        self.assertEqual((done.returncode, done.stderr), (2, "ptxray: cannot write `/nowhere/c.json`\n"))

    def test_conflicts(self):
        """Tests that padding ends the conflicts of a column and of rows, but no conflicts of atomic operations."""
        rows = COLUMNS.read_text().replace("ld.shared.u32 %r5, [%r4]", "ld.shared.v4.u32 {%r5, %r6, %r7, %r1}, [%r2]")
        rows = rows.replace("%r4, %r1, 128, %r2;\nwrite", "%r2, %r1, 128, %r2;\nwrite")
        atomic = COLUMNS.read_text().replace("ld.shared.u32 %r5, [%r4]", "atom.shared.exch.b32 %r5, [%r2], %r5")
        for text, note in (
            (COLUMNS.read_text(), "takes 32 passes for 4 bytes a lane; with 4 bytes of padding after each 128: 1"),
            (rows, "takes 32 passes for 16 bytes a lane; with 16 bytes of padding after each 128: 4"),
            (atomic, "takes 32 passes for 4 bytes a lane"),
        ):
            kernel = self.folder / "kernel.ptx"
            kernel.write_text(text)
            words = (kernel, "--block=32", "iota:u32:1024", "zeros:u32:1024")
            done = self.run_ptxray("--no-checks", "--pedantic", f"--counters={self.folder}/c", *words)
            self.assertIn(f"      note: one warp {note}\n1 warning\n", done.stdout)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(self.run_ptxray("--no-checks", f"--counters={self.folder}/c", *words).stdout, "")

    def test_page(self):
        """Tests that docs/counters.md shows the output of its commands."""
        environment = {**os.environ, "PATH": f"{PTXRAY.parent}:{os.environ['PATH']}"}
        for shown in (REPOSITORY / "docs" / "counters.md").read_text().split("```console\n")[1:]:
            command, printed = (
                shown.split("```")[0].removeprefix("$ ").replace("=counts.txt", f"={self.folder}/c").split("\n", 1)
            )
            done = subprocess.run(command, shell=True, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
            self.assertEqual(done.stdout, printed)


if __name__ == "__main__":
    unittest.main()
