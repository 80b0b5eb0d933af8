#!/usr/bin/env python3
"""Tests how commands treat folders and files: they follow no link below a folder, and a file that they write keeps all
its names.

test/cli/links.py PTXRAY"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PTXRAY = sys.argv.pop(1)
TEXT = ".version 9.0\n.target sm_90\n.address_size 64\n"
KERNEL = TEXT + ".visible .entry k()\n{\nret;\n}\n"  # the layout is not that of `fmt`
FAULTY = KERNEL.replace("ret;", "  ret")


def run(*words, **options):
    done = subprocess.run([PTXRAY, *words], capture_output=True, text=True, timeout=60, check=False, **options)
    return done.returncode, done.stdout + done.stderr


class Links(unittest.TestCase):
    def setUp(self):
        name = tempfile.TemporaryDirectory()
        self.addCleanup(name.cleanup)
        self.top = pathlib.Path(name.name)
        self.folder = self.top / "folder"
        self.folder.mkdir()

    def write(self, path, text=TEXT):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_what_cannot_be_read_is_passed_over(self):
        good = self.write("good.ptx")
        (self.folder / "linked.ptx").symlink_to("good.ptx")
        (self.folder / "nowhere.cu").symlink_to("third_party/missing.cu")
        (self.folder / "itself.h").symlink_to("itself.h")
        os.mkfifo(self.folder / "pipe.cu")
        self.assertEqual(run("check", "--inline", self.folder)[0], 0)
        self.assertEqual(run("check", "--inline", self.folder, self.folder / "nowhere.cu")[0], 2)
        good.unlink()
        status, said = run("check", "--inline", self.folder)
        self.assertEqual(status, 2)
        self.assertIn("no `*.ptx` file", said)

    def test_no_link_leads_out_of_a_folder(self):
        for words, text in ((["fmt"], KERNEL), (["check", "--fix", "-q"], FAULTY)):
            outside = self.write("../outside/a.ptx", text)
            other = self.write("../other.ptx", text)
            self.write("own.ptx", KERNEL)
            for name, target in (("below", "../outside"), ("b.ptx", "../other.ptx")):
                if not (self.folder / name).is_symlink():
                    (self.folder / name).symlink_to(target)
            run(*words, self.folder)
            self.assertEqual(outside.read_text(), text)
            self.assertEqual(other.read_text(), text)
            run(*words, self.folder / "b.ptx")  # the command line names the link
            self.assertNotEqual(other.read_text(), text)
            self.assertTrue((self.folder / "b.ptx").is_symlink())

    def test_each_folder_is_searched_once(self):
        for number in range(30):
            (self.folder / f"d{number}").mkdir()
            for link in "ab":
                (self.folder / f"d{number}" / link).symlink_to(f"../d{number + 1}")
        self.write("d29/x.ptx")
        status, said = run("check", "--format=json", self.folder, self.folder / "d29")
        self.assertEqual((status, said.count("x.ptx")), (0, 1))

    def test_all_names_of_a_file_keep_one_text(self):
        one = self.write("one.ptx", KERNEL)
        os.link(one, self.folder / "two.ptx")
        self.assertEqual(run("fmt", one)[0], 0)
        self.assertNotEqual(one.read_text(), KERNEL)
        self.assertEqual(one.read_text(), (self.folder / "two.ptx").read_text())

    def test_a_file_without_permission_is_left_alone(self):
        path = self.write("one.ptx", KERNEL)
        path.chmod(0o444)
        user = {}
        if os.geteuid() == 0:  # root may write every file
            for one in (self.top, self.folder):
                one.chmod(0o777)
            os.chown(path, 65534, 65534)
            user = {"user": 65534, "group": 65534, "extra_groups": []}
        status, said = run("fmt", path, **user)
        self.assertEqual((status, path.read_text()), (2, KERNEL))
        self.assertIn("cannot be written", said)

    def test_a_full_disk_is_said_of_the_writing(self):
        if os.geteuid() != 0:
            self.skipTest("a file system can be made by root alone")
        disk = self.top / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", disk], check=False).returncode:
            self.skipTest("no file system can be made here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        path = disk / "one.ptx"
        path.write_text(FAULTY + "//" + "x" * 4000 + "\n")
        (disk / "full").write_bytes(bytes(4096 - 1))
        before = path.read_text()
        status, said = run("check", "--fix", path)
        self.assertEqual((status, path.read_text()), (2, before))
        self.assertIn("cannot be written", said)
        self.assertNotIn("cannot read", said)

    def test_many_files_of_a_binary_must_be_confirmed(self):
        entry = bytearray(64)  # an empty PTX image
        entry[0:2] = (1).to_bytes(2, "little")  # kind of the entry
        entry[2:4] = (0x101).to_bytes(2, "little")
        entry[4:8] = (64).to_bytes(4, "little")
        entry[28:32] = (80).to_bytes(4, "little")
        count = 12_000
        body = bytes(entry) * count
        fatbin = (0xBA55ED50).to_bytes(4, "little") + (1).to_bytes(2, "little") + (16).to_bytes(2, "little")
        path = self.folder / "many.fatbin"
        path.write_bytes(fatbin + len(body).to_bytes(8, "little") + body)
        out = self.top / "out"
        status, said = run("extract", "-o", out, path)
        self.assertEqual(status, 2)
        self.assertIn(f"--max-files={count}", said)
        self.assertFalse(out.exists())
        self.assertNotIn("--max-files", run("extract", f"--max-files={count}", "-o", out, path)[1])


if __name__ == "__main__":
    unittest.main()
