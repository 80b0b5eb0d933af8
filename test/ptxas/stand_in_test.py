#!/usr/bin/env python3
"""Tests `ptxray as` and the drop-in with scripts in place of ptxas, which simulate all failures of another program.

stand_in_test.py PTXRAY"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "binary"))
import make

PTXRAY = None
MODULE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<4>;
  add.s32 %r1, %r2, %r3; sub.s32 %r1, %r2, %r3;
  ret;
}
"""
FAULTY = MODULE.replace("add.s32", "add.s33")
# This is an object file without sections, to which the stand-in adds data.
OBJECT = b"\x7fELF\x02\x01\x01".ljust(64, b"\0")
# Every stand-in begins with this code. It answers --version, and stores its arguments in arguments.json beside it.
PREAMBLE = """#!{python}
import json, os, pathlib, shutil, signal, subprocess, sys, time
here = pathlib.Path(__file__).resolve().parent
if "--version" in sys.argv:
    print("Cuda compilation tools, release {release}, V{release}.37")
    sys.exit(0)
(here / "arguments.json").write_text(json.dumps(sys.argv[1:]))
def answer():
    "what ptxas does when all is well: an ELF file without sections"
    out = sys.argv[sys.argv.index("-o") + 1]
    text = open(sys.argv[sys.argv.index("-o") - 1], "rb").read()
    open(out, "wb").write(b"\\x7fELF\\x02\\x01\\x01".ljust(64, b"\\0") + text)
"""


class StandIn(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.work = self.folder / "work"  # only inputs and outputs may be in this folder
        self.work.mkdir()
        self.input = self.work / "k.ptx"
        self.input.write_text(MODULE)
        self.output = self.work / "k.cubin"

    def tearDown(self):
        self.temporary.cleanup()

    def ptxas(self, body, release="13.5"):
        path = self.folder / "real" / "ptxas"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PREAMBLE.format(python=sys.executable, release=release) + body)
        path.chmod(0o755)
        return str(path)

    def run_ptxray(self, *arguments, command=None, env=None, **options):
        environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(self.work), **(env or {})}
        return subprocess.run(
            [command or PTXRAY, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
            env=environment,
            **options,
        )

    def assemble(self, body, *arguments, release="13.5", output=None, **options):
        return self.run_ptxray(
            "as", self.input, "-o", output or self.output, "--ptxas", self.ptxas(body, release), *arguments, **options
        )

    def arguments(self):
        return json.loads((self.folder / "real" / "arguments.json").read_text())

    def files(self):
        return sorted(path.name for path in self.work.iterdir())

    def check_nothing_left(self):
        self.assertEqual(self.files(), ["k.ptx"])


class As(StandIn):
    def test_success(self):
        done = self.assemble("answer()")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())
        self.assertEqual(self.files(), ["k.cubin", "k.ptx"])
        self.assertEqual(stat.S_IMODE(self.output.stat().st_mode), 0o666 & ~self.umask())

    @staticmethod
    def umask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_errors_stop_before_ptxas(self):
        self.input.write_text(FAULTY)
        done = self.assemble("answer()")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[unknown-qualifier]", done.stdout)
        self.assertFalse((self.folder / "real" / "arguments.json").exists())
        self.check_nothing_left()

    def test_missing(self):
        done = self.run_ptxray("as", self.input, "-o", self.output, "--ptxas", self.folder / "none")
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr.count("\n"), 1)
        done = self.run_ptxray("as", self.input, "-o", self.output, env={"PATH": "/nowhere", "HOME": "/nowhere"})
        if done.returncode == 5:  # else this machine has one in a usual place
            self.assertIn("pip install", done.stderr)
            self.check_nothing_left()

    def test_hanging(self):
        begin = time.monotonic()
        done = self.assemble("time.sleep(1000)", "--timeout", "1")
        self.assertEqual(done.returncode, 5)
        self.assertIn("after 1 s", done.stderr)
        self.assertLess(time.monotonic() - begin, 20)
        self.check_nothing_left()

    def test_hanging_child_that_keeps_the_output_open(self):
        done = self.assemble("subprocess.Popen(['sleep', '1000'])\nanswer()")
        self.assertEqual(done.returncode, 0)

    def test_others_that_print_for_ever(self):
        """Tests that ptxray does not wait for programs that ptxas left running, and stores a limited part of their
        output."""
        body = "subprocess.Popen([sys.executable, '-c', %r], start_new_session=%s)\nanswer()"
        slow = "import os, time, sys\nfor i in range(2000):\n os.write(1, b'x\\n')\n time.sleep(0.005)"
        fast = "import os\nfor i in range(100000):\n os.write(1, b'y\\n' * 2000)"
        for own_session in (False, True):
            for other in (slow, fast):
                begin = time.monotonic()
                done = self.assemble(body % (other, own_session))
                self.assertEqual(done.returncode, 0)
                self.assertLess(time.monotonic() - begin, 5)
        done = self.assemble("import os\nwhile True: os.write(1, b'z' * 65536)", "--timeout", "2")
        self.assertEqual(done.returncode, 5)
        self.assertIn("after 2 s", done.stderr)
        self.assertLessEqual(len(done.stderr), (64 << 20) + 1000)

    def test_slow_answer_to_version(self):
        real = pathlib.Path(self.ptxas(""))
        real.write_text("#!/bin/sh\nsleep 1000\n")
        begin = time.monotonic()
        done = self.run_ptxray("as", self.input, "-o", self.output, "--ptxas", real, "--timeout", "1")
        self.assertEqual(done.returncode, 5)
        self.assertIn("gives no answer", done.stderr)
        self.assertLess(time.monotonic() - begin, 20)

    def test_cut_object(self):
        self.output.write_text("before")
        header = (
            "b'\\x7fELF\\x02\\x01\\x01'.ljust(40, b'\\0') + (%d).to_bytes(8, 'little') + bytes(12)"
            " + (%d).to_bytes(2, 'little')"
        )
        for content in (
            "b'\\x7fELF'",
            "b'\\x7fELF\\x02\\x01\\x01' + bytes(40)",
            (header % (1 << 40, 1)).replace("bytes(12)", "bytes(12)") + " + bytes(2)",
        ):
            done = self.assemble(f"open(sys.argv[sys.argv.index('-o') + 1], 'wb').write({content})")
            self.assertEqual(done.returncode, 5, content)
            self.assertIn("is cut after", done.stderr)
            self.assertEqual(self.output.read_text(), "before")

    def test_outputs_with_other_names(self):
        """Tests outputs with other names: links are followed, names of the same file stay together, and long names
        work."""
        real, link, twin = self.work / "real.cubin", self.work / "link.cubin", self.work / "twin.cubin"
        real.write_text("before")
        link.symlink_to(real.name)
        self.assertEqual(self.assemble("answer()", output=link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(real.read_bytes(), OBJECT + MODULE.encode())
        real.write_text("before")
        os.link(real, twin)
        self.assertEqual(self.assemble("answer()", output=real).returncode, 0)
        self.assertEqual(twin.read_bytes(), OBJECT + MODULE.encode())
        dangling = self.work / "dangling"
        dangling.symlink_to("target")
        self.assertEqual(self.assemble("answer()", output=dangling).returncode, 0)
        self.assertEqual((self.work / "target").read_bytes(), OBJECT + MODULE.encode())
        long = self.work / ("n" * 255)
        self.assertEqual(self.assemble("answer()", output=long).returncode, 0)
        self.assertEqual(long.read_bytes(), OBJECT + MODULE.encode())

    def test_standard_output_as_output(self):
        target = self.work / "out.cubin"
        for name in ("/dev/stdout", "/proc/self/fd/1", self.work / "link"):
            if isinstance(name, pathlib.Path):
                name.symlink_to("/dev/stdout")
            with target.open("wb") as out:
                done = subprocess.run(
                    [PTXRAY, "as", self.input, "-o", name, "--ptxas", self.ptxas("answer()")], stdout=out
                )
            self.assertEqual(done.returncode, 0)
            self.assertEqual(target.read_bytes(), OBJECT + MODULE.encode())
        self.assertTrue(pathlib.Path("/dev/stdout").is_symlink())

    def test_options_that_ptxas_refuses(self):
        done = self.assemble(
            "if '--nosuch' in sys.argv:\n print(\"ptxas fatal   : Unknown option 'nosuch'\")\n sys.exit(255)\nanswer()",
            "--",
            "--nosuch",
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("rejects the options after `--`", done.stderr)
        self.assertNotIn("please report", done.stderr)
        self.check_nothing_left()

    def test_options_of_which_no_checked_object_comes(self):
        other = self.work / "other.ptx"
        other.write_text(FAULTY)
        for words, message in (
            (
                ["-arch=compute_80"],
                "`compute_80` after `--` is a virtual architecture, for which ptxas generates no code",
            ),
            (["--gpu-name", "compute_80"], "generates no code"),
            ([other], f"`{other}` after `--` is a second input"),
            (["--input-as-string", FAULTY], "a second input"),
        ):
            done = self.assemble("answer()", "--", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "real" / "arguments.json").exists())

    def test_all_that_is_alike(self):
        self.input.write_text(MODULE.replace("  ret;", "  add.s33 %r1, %r2, %r3;\n" * 9 + "  ret;"))
        done = self.assemble("answer()")
        self.assertEqual(done.stdout.count("[unknown-qualifier]"), 1)
        self.assertIn("(--no-fold shows all)", done.stdout)
        self.assertEqual(self.assemble("answer()", "--no-fold").stdout.count("[unknown-qualifier]"), 9)
        done = self.run_ptxray("ptxas", self.input, env={"PTXRAY_VERIFY_ONLY": "1"})
        self.assertIn("(ptxray check --no-fold shows all)", done.stderr)

    def test_help_without_ptxas(self):
        env = {"PTXAS": "", "PATH": "/nowhere", "HOME": "/nowhere", "PTXRAY_VERIFY_ONLY": ""}
        for option in ("--help", "-h"):
            done = self.run_ptxray("ptxas", option, env=env)
            if "ptxas is not installed on this machine" not in done.stdout:  # CUDA is in a standard folder
                self.assertNotIn("usage: ptxray", done.stdout)
                continue
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: ptxray ptxas PTXAS ARGUMENT...", done.stdout)
            self.assertIn("PTXRAY_STRICT=1", done.stdout)
        done = self.run_ptxray("ptxas", "--help", env={"PTXAS": self.ptxas("print('its own help')")})
        self.assertIn("its own help", done.stdout)

    def test_code_that_cannot_be_made(self):
        done = self.assemble(
            "print('ptxas fatal   : (C7602) Insufficient registers (64) for instruction'); sys.exit(255)"
        )
        self.assertEqual(done.returncode, 3)
        self.assertIn("generates no code for it", done.stderr)
        self.assertNotIn("please report", done.stderr)

    def test_linked_as_a_whole(self):
        self.input.write_text(MODULE.replace(".visible", ".extern .func f;\n.visible").replace("ret;", "call f; ret;"))
        done = self.assemble("answer()")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[codegen-unresolved]", done.stdout)
        self.assertEqual(self.assemble("answer()", "--", "-c").returncode, 0)

    def test_entry_of_a_binary(self):
        library = self.work / "k.fatbin"
        other = MODULE.replace("entry k", "entry other")
        library.write_bytes(
            make.container(*(make.entry(text.encode(), target="sm_80", version="8.0") for text in (other, MODULE)))
        )
        options = ("-o", self.output, "--ptxas", self.ptxas("answer()"))
        done = self.run_ptxray("as", library, *options)
        self.assertEqual(done.returncode, 2)
        self.assertIn("`--text=N` names one", done.stdout)
        done = self.run_ptxray("as", library, "--entry=2", *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())

    def test_which_ptxas(self):
        body = 'print("ptxas info    : Used 4 registers")\nanswer()'
        done = self.assemble("print(\"ptxas info    : Compiling entry function 'k' for 'sm_80'\")\n" + body, "-v")
        self.assertIn(f"ptxas 13.5.37 ({self.folder}/real/ptxas)", done.stdout)
        done = self.assemble(body, "--format=json")
        self.assertEqual(
            json.loads(done.stdout)["files"][0]["ptxas"],
            {"path": str(self.folder / "real" / "ptxas"), "release": "13.5.37"},
        )

    def test_named_by_name(self):
        """Tests that --ptxas accepts a name in PATH, and reports the problem with a path in detail."""
        real = pathlib.Path(self.ptxas("answer()"))
        path = {"PATH": f"{real.parent}:/usr/bin:/bin"}
        done = self.run_ptxray("as", self.input, "-o", self.output, "--ptxas", "ptxas", env=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, words in (
            ("nosuch", "no program `nosuch` in PATH"),
            ("/nowhere/ptxas", "does not exist"),
            (self.folder, "is a folder"),
            (self.input, "is not executable"),
        ):
            done = self.run_ptxray("as", self.input, "-o", self.output, "--ptxas", name)
            self.assertEqual(done.returncode, 5)
            self.assertIn(words, done.stderr)
        done = self.run_ptxray("as", self.input, "-o", self.output, env={**path, "PTXAS": "/nowhere/ptxas"})
        self.assertEqual(done.returncode, 5)  # no other ptxas is used
        self.assertIn("$PTXAS: `/nowhere/ptxas` does not exist", done.stderr)

    def test_closed_output(self):
        done = self.assemble("os.close(1); os.close(2); time.sleep(0.3); answer()")
        self.assertEqual(done.returncode, 0)

    def test_crashing(self):
        done = self.assemble("os.kill(os.getpid(), signal.SIGSEGV)")
        self.assertEqual(done.returncode, 5)
        self.assertIn("signal 11", done.stderr)
        self.check_nothing_left()

    def test_crashing_after_half_the_output(self):
        self.output.write_text("before")
        done = self.assemble("answer(); os.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(done.returncode, 5)
        self.assertEqual(self.output.read_text(), "before")

    def test_lying(self):
        done = self.assemble("pass")
        self.assertEqual(done.returncode, 5)
        self.assertIn("the file that it wrote is empty", done.stderr)
        self.check_nothing_left()
        done = self.assemble(
            "print('ptxas k.ptx, line 99999999999; error   : \\x1b[31m \\xff', flush=True); sys.exit(255)"
        )
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        done = self.assemble("print('no message: \x1b[31m \x07'); answer()")
        self.assertIn("no message: <U+001B>[31m <U+0007>", done.stderr)

    def test_no_ptxas_at_all(self):
        done = self.run_ptxray("as", self.input, "-o", self.output, "--ptxas", "/bin/true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("reports no release", done.stderr)

    def test_too_old(self):
        self.input.write_text(MODULE.replace("8.0", "9.0"))
        done = self.assemble("answer()", release="12.4")
        self.assertEqual(done.returncode, 5)
        self.assertIn("CUDA 13.0 or newer", done.stderr)
        self.input.write_text(MODULE.replace("sm_80", "sm_70"))
        done = self.assemble("answer()", release="13.0")
        self.assertEqual(done.returncode, 5)
        self.assertIn("CUDA 12", done.stderr)

    def test_a_later_place_has_a_newer_one(self):
        self.input.write_text(MODULE.replace("8.0", "9.0"))
        old = self.folder / "old"
        pathlib.Path(self.ptxas("answer()", "12.4")).parent.rename(old)
        newer = pathlib.Path(self.ptxas("answer()", "13.5")).parent
        done = self.run_ptxray("as", self.input, "-o", self.output, env={"PATH": f"{old}:{newer}:/usr/bin:/bin"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((newer / "arguments.json").exists())
        # This path is used because the user names it.
        done = self.run_ptxray(
            "as", self.input, "-o", self.output, env={"PATH": f"{newer}:/usr/bin:/bin", "PTXAS": str(old / "ptxas")}
        )
        self.assertEqual(done.returncode, 5)
        self.assertIn("CUDA 13.0 or newer", done.stderr)

    def test_messages_stand_at_what_they_name(self):
        line = 1 + MODULE[: MODULE.index(".entry k")].count("\n")
        for message in (
            "ptxas error   : Entry function 'k' uses too much shared data (0xc001 bytes, 0xc000 max)",
            "ptxas warning : For entry k adjusting per thread register count of 8 to lower bound of 24",
        ):
            done = self.assemble(f'print("{message}"); sys.exit(1)', "--format=json")
            found = json.loads(done.stdout)["files"][0]["diagnostics"]
            self.assertEqual([one["range"]["start"]["line"] for one in found], [line], message)

    def test_an_unknown_register_count_is_told_once(self):
        text = MODULE.replace("sm_80", "sm_90a").replace("  ret;", "  setmaxnreg.dec.sync.aligned.u32 40;\n  ret;")
        self.input.write_text(text)
        remark = "print(\"ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\"); answer()"
        done = self.assemble(remark)
        self.assertEqual(done.stdout.count("register-count-unknown"), 1)
        self.assertNotIn("setmaxnreg-ignored", done.stdout)
        self.input.write_text(text.replace("(.param .u64 p)", "(.param .u64 p) .maxnreg 64"))
        self.assertIn("setmaxnreg-ignored", self.assemble(remark).stdout)

    def test_wrong_architecture(self):
        done = self.assemble("answer()", "--target", "sm_75")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[arch-mismatch]", done.stdout)
        self.assertEqual(self.assemble("answer()", "--target", "sm_900").returncode, 2)
        self.check_nothing_left()

    def test_refusal(self):
        done = self.assemble(
            """
print("ptxas /proc/self/fd/9, line 7; error   : Arguments mismatch for instruction 'sub'")
print("ptxas fatal   : Ptx assembly aborted due to errors")
sys.exit(255)""",
            "--format=json",
        )
        self.assertEqual(done.returncode, 3)
        self.assertIn("rejects a file that ptxray accepted", done.stderr)
        (found,) = json.loads(done.stdout)["files"][0]["diagnostics"]
        self.assertEqual(found["rule"], "ptxas-error")
        self.assertEqual((found["range"]["start"]["line"], found["range"]["start"]["column"]), (7, 26))  # the `sub`
        self.check_nothing_left()

    def test_remarks_and_resources(self):
        done = self.assemble(
            """
print("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count")
print("ptxas info    : (C7519) Potential Performance Loss: wgmma in the function 'k' in line 7")
print("ptxas info    : (C9999) Something new")
print("ptxas warning : odd")
print("ptxas info    : 12 bytes gmem")
print("ptxas info    : Compiling entry function 'k' for 'sm_80'")
print("ptxas info    : Function properties for k")
print("    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads")
print("ptxas info    : Used 40 registers, used 2 barriers, 512 bytes smem, 360 bytes cmem[0], 8 bytes cmem[2]")
answer()""",
            "-v",
            "--format=json",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)["files"][0]
        self.assertEqual(
            {d["rule"]: d["args"].get("code") for d in report["diagnostics"]},
            {
                "setmaxnreg-ignored": "C7508",
                "wgmma-serialized": "C7519",
                "ptxas-remark": "C9999",
                "ptxas-warning": None,
            },
        )
        self.assertTrue(all(d["severity"] == "warning" for d in report["diagnostics"]))
        self.assertEqual(
            report["functions"],
            [
                {
                    "name": "k",
                    "entry": True,
                    "arch": "sm_80",
                    "registers": 40,
                    "barriers": 2,
                    "stackBytes": 16,
                    "spillStoreBytes": 8,
                    "spillLoadBytes": 4,
                    "sharedBytes": 512,
                    "localBytes": 0,
                    "constantBytes": {"cmem[0]": 360, "cmem[2]": 8},
                }
            ],
        )

    def test_many_functions_and_messages(self):
        """Tests that the time is proportional to the output of ptxas, and not to its square."""

        def seconds(functions, messages):
            self.input.write_text(MODULE.replace("\n  ret;", " ret;" * messages).replace("\n  sub", " sub"))
            begin = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = self.assemble(
                f"""
for i in range({functions}):
    print(f"ptxas info    : Function properties for f{{i}}")
for i in range({messages}):
    print(f"ptxas k, line 7; warning : no 'mul' {{i}}")
answer()""",
                "-v",
                "--format=json",
            )
            self.assertEqual(done.returncode, 0, done.stderr[-300:])
            self.assertEqual(len(json.loads(done.stdout)["files"][0]["functions"]), functions)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin.ru_utime

        once = seconds(12500, 2500)
        self.assertLess(seconds(100000, 20000), 24 * once)  # with the square, the time is 64 times as long

    def test_werror(self):
        done = self.assemble("print('ptxas warning : odd'); answer()", "--werror")
        self.assertEqual(done.returncode, 1)
        self.check_nothing_left()

    def test_unwritable_output(self):
        for output in ("/dev/full", self.work / "no" / "such" / "folder", self.folder):
            done = self.assemble("answer()", output=output)
            self.assertEqual(done.returncode, 2, output)
            self.assertIn("cannot write", done.stderr)
        self.check_nothing_left()

    def test_full_disk(self):
        # A disk may be full after the first bytes. From here on, no file of ptxray may grow beyond 100.
        self.output.write_text("before")
        done = self.assemble(
            "import resource\nanswer()\nresource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (100, 100))",
            restore_signals=False,
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(self.output.read_text(), "before")
        self.assertEqual(self.files(), ["k.cubin", "k.ptx"])

    def test_device_as_output(self):
        self.assertEqual(self.assemble("answer()", output="/dev/null").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_unreadable_input(self):
        self.input.unlink()
        done = self.assemble("answer()")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[unreadable-input]", done.stdout)

    def test_file_that_changes_after_it_was_checked(self):
        for size in (1, 40000):  # large files are mapped into memory
            text = MODULE + "// padding\n" * size
            self.input.write_text(text)
            done = self.assemble(f"open({str(self.input)!r}, 'w').write('something else'); answer()")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.output.read_bytes(), OBJECT + text.encode())
            self.assertEqual(self.input.read_text(), "something else")

    def test_ptxas_cannot_change_its_input(self):
        done = self.assemble("""
path = sys.argv[sys.argv.index("-o") - 1]
try:
    with open(path, "r+b") as file:
        file.write(b"x")
    sys.exit(7)
except OSError:
    answer()""")
        self.assertEqual(done.returncode, 0)

    def test_terminator(self):
        self.input.write_bytes(MODULE.encode() + b"\0")  # Warp writes a NUL as well
        self.assertEqual(self.assemble("answer()").returncode, 0)
        self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())

    def test_standard_input(self):
        done = self.run_ptxray("as", "-", "-o", self.output, "--ptxas", self.ptxas("answer()"), input=MODULE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())

    def test_interruption(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            ptxas = self.ptxas("(here / 'pid').write_text(str(os.getpid())); time.sleep(1000)")
            process = subprocess.Popen(
                [PTXRAY, "as", self.input, "-o", self.output, "--ptxas", ptxas], start_new_session=True
            )
            pid = self.folder / "real" / "pid"
            while not pid.exists() or not pid.read_text():
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(20), -number)
            child = int(pid.read_text())
            pid.unlink()
            for _ in range(100):
                try:
                    os.kill(child, 0)
                    if pathlib.Path(f"/proc/{child}/stat").read_text().split(")")[1].split()[0] == "Z":
                        break
                    time.sleep(0.05)
                except (OSError, FileNotFoundError):
                    break
            else:
                self.fail("ptxas lives on")
            self.check_nothing_left()

    def test_words_arrive_unharmed(self):
        self.input = self.work / "a b 'c' \"d\" $HOME.ptx"
        self.input.write_text(MODULE)
        self.output = self.work / "out put.cubin"
        options = ["-lineinfo", "--entry", "k with 'quotes' and \"more\"", "", "$(id)", "a\\b\nc"]
        done = self.assemble("answer()", "--", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        arguments = self.arguments()
        self.assertEqual(arguments[:-3], ["--gpu-name=sm_80", *options])
        self.assertTrue(self.output.exists())

    def test_target(self):
        self.assertEqual(self.assemble("answer()", "--target", "sm_90").returncode, 0)
        self.assertIn("--gpu-name=sm_90", self.arguments())
        self.assertEqual(self.assemble("answer()", "--", "-arch=sm_86").returncode, 0)
        self.assertNotIn("--gpu-name=sm_80", self.arguments())

    def test_configuration(self):
        configuration = self.work / ".ptxray"
        self.input.write_text(FAULTY)
        configuration.write_text("off = unknown-qualifier\n")
        self.assertEqual(self.assemble("answer()").returncode, 0)
        self.output.unlink()
        self.assertEqual(self.assemble("answer()", "--no-config").returncode, 1)
        self.input.write_text(MODULE)
        remark = "print(\"ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\"); answer()"
        for text, status, shown in (
            ("off = setmaxnreg-ignored", 0, 0),
            ("error = setmaxnreg-ignored", 1, 1),
            ("werror = yes", 1, 1),
            ("", 0, 1),
        ):
            configuration.write_text(text)
            done = self.assemble(remark)
            self.assertEqual((done.returncode, done.stdout.count("[setmaxnreg-ignored]")), (status, shown), text)
        # A GPU for compilation takes precedence. The target in the header only counts if ptxas does not read it.
        configuration.write_text("arch = sm_90\ntarget = sm_100\nptx = 9.0\n")
        self.assertEqual(self.assemble("answer()").returncode, 0)
        self.assertIn("--gpu-name=sm_90", self.arguments())
        self.assertEqual(self.assemble("answer()", "--target", "sm_86").returncode, 0)
        self.assertIn("--gpu-name=sm_86", self.arguments())
        configuration.write_text("off = no-such-rule\n")
        self.output.unlink()
        done = self.assemble("answer()")
        self.assertEqual(done.returncode, 2)
        self.assertIn(".ptxray:1: no rule `no-such-rule`", done.stderr)
        self.assertFalse(self.output.exists())

    def test_where_ptxas_is_found(self):
        real = self.ptxas("answer()")
        cuda = self.folder / "cuda"
        (cuda / "bin").mkdir(parents=True)
        os.link(real, cuda / "bin" / "ptxas")
        site = self.folder / "venv" / "lib" / "python3.11" / "site-packages"
        for place in (site / "triton" / "backends" / "nvidia" / "bin", site / "nvidia" / "cu13" / "bin"):
            place.mkdir(parents=True)
            os.link(real, place / "ptxas")
        quiet = {"PATH": "/nowhere", "HOME": "/nowhere"}
        for env in (
            {"PTXAS": real},
            {"TRITON_PTXAS_PATH": real},
            {"CUDA_HOME": str(cuda)},
            {"CUDA_PATH": str(cuda)},
            {"PATH": str(cuda / "bin")},
            {"VIRTUAL_ENV": str(self.folder / "venv")},
        ):
            done = self.run_ptxray("as", self.input, "-o", self.output, env={**quiet, **env})
            self.assertEqual(done.returncode, 0, f"{env}: {done.stderr}")
            self.output.unlink()

    def test_verdict_of_check(self):
        done = self.run_ptxray("check", "--with-ptxas", "--ptxas", self.ptxas("pass"), self.input)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        refuses = self.ptxas("print(\"ptxas k, line 7; error   : no 'add'\"); sys.exit(255)")
        done = self.run_ptxray("check", "--with-ptxas", "--ptxas", refuses, self.input)
        self.assertEqual(done.returncode, 3)
        self.assertIn("[ptxas-error]", done.stdout)
        self.input.write_text(FAULTY)
        done = self.run_ptxray("check", "--with-ptxas", "--ptxas", self.ptxas("pass"), self.input)
        self.assertEqual(done.returncode, 1)
        self.assertIn("[ptxas-accepts]", done.stdout)


class DropIn(StandIn):
    """Tests ptxray in place of ptxas."""

    def setUp(self):
        super().setUp()
        self.link = self.folder / "hook" / "ptxas"
        self.link.parent.mkdir()
        self.link.symlink_to(PTXRAY)

    def call(self, *arguments, body="answer()\nprint('ptxas info    : hello', file=sys.stderr)", env=None, **options):
        return self.run_ptxray(
            *arguments, command=str(self.link), env={"PTXAS": self.ptxas(body), **(env or {})}, **options
        )

    def test_passes_everything_on(self):
        words = ["-lineinfo", "-v", "--gpu-name=sm_80", str(self.input), "-o", str(self.output)]
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "ptxas info    : hello\n"))
        self.assertEqual(self.arguments(), words)
        self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())

    def test_version(self):
        done = self.call("--version")
        self.assertIn("release 13.5", done.stdout)

    def test_status_of_ptxas_stands(self):
        self.input.write_text(FAULTY)
        done = self.call(self.input, "-o", self.output)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"(?s)\[unknown-qualifier\].*ptxas info    : hello")
        done = self.call(self.input, "-o", self.output, body="sys.exit(77)")
        self.assertEqual(done.returncode, 77)
        done = self.call(self.input, "-o", self.output, body="os.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(done.returncode, -signal.SIGKILL)

    def test_strict(self):
        self.input.write_text(FAULTY)
        done = self.call(self.input, "-o", self.output, env={"PTXRAY_STRICT": "1"})
        self.assertEqual(done.returncode, 1)
        self.check_nothing_left()

    def test_strict_about_warnings(self):
        self.input.write_text(MODULE.replace("add.s32 %r1, %r2", "st.local.u32 [%r0], %r2; add.s32 %r1, %r2"))
        done = self.call(self.input, "-o", self.output, env={"PTXRAY_STRICT": "1"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning", done.stderr)
        self.output.unlink()
        done = self.call(self.input, "-o", self.output, env={"PTXRAY_STRICT": "warnings"})
        self.assertEqual(done.returncode, 1)
        self.check_nothing_left()

    def test_log(self):
        """Tests the log file, because a compiler may drop the output of a successful ptxas."""
        self.input.write_text(FAULTY)
        log = self.folder / "log"
        for times in (1, 2):
            self.call(self.input, "-o", self.output, env={"PTXRAY_LOG": str(log)})
            self.assertEqual(log.read_text().count("[unknown-qualifier]"), times)
        done = self.call(self.input, "-o", self.output, env={"PTXRAY_LOG": "/nowhere/log"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("cannot write `/nowhere/log`", done.stderr)

    def test_pipes_as_inputs(self):
        """Tests that ptxas receives the contents of a pipe, which can only be read once."""
        script = f'cat {self.input} | "{self.link}" /dev/stdin -o {self.output}'
        bash = f'"{self.link}" <(cat {self.input}) -o {self.output}'
        for shell, words in (("sh", script), ("bash", bash)):
            env = {"PATH": "/usr/bin:/bin", "PTXAS": self.ptxas("answer()")}
            done = subprocess.run([shell, "-c", words], capture_output=True, text=True, env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())
        named = self.work / "pipe"
        os.mkfifo(named)
        with subprocess.Popen(["sh", "-c", f"cat {self.input} > {named}"]):
            done = self.call(named, "-o", self.output)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.output.read_bytes(), OBJECT + MODULE.encode())

    def place(self, folder, name, body):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(PREAMBLE.format(python=sys.executable, release="13.5") + body)
        (folder / name).chmod(0o755)

    def test_the_program_that_the_caller_would_have_used(self):
        """Tests that the program that the caller would have used comes first: the same name, in the folder of the
        caller."""
        for name in ("ptxas", "ptxas-blackwell"):
            hook = self.folder / "hook" / name
            if not hook.exists():
                hook.symlink_to(PTXRAY)
            for place in ("toolkit", "cuda/bin", "path"):
                self.place(self.folder / place, name, f"print('{place} {name}')")
        caller = self.folder / "toolkit" / "nvcc"
        shutil.copy(shutil.which("dash") or "/bin/sh", caller)
        env = {"PATH": f"{self.folder}/path:/usr/bin:/bin", "CUDA_HOME": str(self.folder / "cuda")}
        for name in ("ptxas", "ptxas-blackwell"):
            hook = self.folder / "hook" / name
            for words, place in (
                ([caller, "-c", f"{hook} -arch=sm_80; exit $?"], "toolkit"),
                ([hook, "-arch=sm_80"], "cuda/bin"),
            ):
                done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=env)
                self.assertEqual((done.stdout, done.stderr), (f"{place} {name}\n", ""))
            done = subprocess.run([hook, "-arch=sm_80"], capture_output=True, text=True, env={"PATH": env["PATH"]})
            self.assertEqual(done.stdout, f"path {name}\n")
        # Only Triton reads this variable, not nvcc.
        triton = {**env, "TRITON_PTXAS_PATH": str(self.folder / "path" / "ptxas")}
        words = [str(caller), "-c", f"{self.link} -arch=sm_80; exit $?"]
        done = subprocess.run(words, capture_output=True, text=True, env=triton)
        self.assertEqual(done.stdout, "toolkit ptxas\n", done.stderr)
        # Without that program, the hook uses ptxas.
        (self.folder / "path" / "ptxas-blackwell").unlink()
        done = subprocess.run([hook, "-arch=sm_80"], capture_output=True, text=True, env={"PATH": env["PATH"]})
        self.assertEqual(done.stdout, "path ptxas\n")

    def test_wrappers_are_passed_over(self):
        """Tests that a script around ptxray, or another ptxray, leads to the next ptxas, and that each message
        appears only once."""
        self.input.write_text(FAULTY)
        wrapper = self.folder / "wrapper" / "ptxas"
        wrapper.parent.mkdir()
        wrapper.write_text(f"#!/bin/sh\nexec '{PTXRAY}' ptxas \"$@\"\n")
        wrapper.chmod(0o755)
        other = self.folder / "other" / "ptxas"
        other.parent.mkdir()
        shutil.copy(PTXRAY, other)
        self.place(self.folder / "path", "ptxas", "answer()")
        env = {"PATH": f"{self.link.parent}:{wrapper.parent}:{other.parent}:{self.folder}/path:/usr/bin:/bin"}
        for first in (self.link, wrapper, other):
            for variable in ({}, {"TRITON_PTXAS_PATH": str(wrapper)}, {"PTXAS": str(wrapper)}):
                done = self.run_ptxray(self.input, "-o", self.output, command=str(first), env={**env, **variable})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("[unknown-qualifier]"), 1)
                self.assertEqual(self.output.read_bytes(), OBJECT + FAULTY.encode())

    def test_verifier_without_ptxas(self):
        env = {"PTXRAY_VERIFY_ONLY": "1", "PATH": "/nowhere", "HOME": "/nowhere"}
        for text, status in ((MODULE, 0), (FAULTY, 1)):
            self.input.write_text(text)
            done = self.run_ptxray("-arch=sm_80", "-c", "-o", "/dev/null", self.input, command=str(self.link), env=env)
            self.assertEqual(done.returncode, status)
            done = self.run_ptxray("-arch=sm_80", "-c", "-", command=str(self.link), env=env, input=text)
            self.assertEqual(done.returncode, status)
            self.assertEqual("[unknown-qualifier]" in done.stderr, status == 1)
        # If no code is generated, its limits do not apply.
        self.input.write_text(MODULE.replace("  ret;", "  .shared .b8 tile[65536];\n  ret;"))
        for arch, status in (("sm_80", 1), ("compute_80", 0)):
            done = self.run_ptxray(f"-arch={arch}", self.input, command=str(self.link), env=env)
            self.assertEqual((done.returncode, "[codegen-shared-size]" in done.stderr), (status, bool(status)))
        done = self.run_ptxray("--version", command=str(self.link), env=env)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"release \d+\.\d+, V")
        done = self.run_ptxray("--list-arch", command=str(self.link), env=env)
        self.assertIn("120", done.stdout.split())
        done = self.run_ptxray("--help", command=str(self.link), env=env)  # LLVM's tests read the targets here
        self.assertIn("'sm_103a'", re.search(r"--gpu-name(.*?)--", done.stdout, re.DOTALL).group(1))
        done = self.run_ptxray("--list-version", command=str(self.link), env=env)
        self.assertIn("9.5", done.stdout.split())
        for words, message in (
            (["-m32", self.input], "is not defined for option"),
            ([], "no input"),
            (["/nowhere.ptx"], "nowhere.ptx"),
        ):
            done = self.run_ptxray(*words, command=str(self.link), env=env)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
        self.assertEqual(
            self.run_ptxray(
                "-arch=sm_80", self.input, command=str(self.link), env={**env, "PTXRAY_VERIFY_ONLY": "0"}
            ).returncode,
            5,
        )

    def test_options_that_leave_few_registers(self):
        need = ", ".join(f"%r{i}" for i in range(64))
        multiply = f"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{{need}}}, %rd1, %rd1, 1, 1, 1, 0, 0;"
        text = MODULE.replace("sm_80", "sm_90a").replace("%r<4>;", f"%r<64>; .reg .b64 %rd<2>; {multiply}")
        text = text.replace(".b32 %r<64>", ".f32 %r<64>").replace("add.s32", "add.f32").replace("sub.s32", "sub.f32")
        verify = {"PTXRAY_VERIFY_ONLY": "1"}
        for head, words, bound in (
            ("", [], None),
            ("", ["-maxrregcount=90"], None),
            ("", ["-maxrregcount", "89"], 89),
            ("", ["-maxrregcount=archmin"], 32),
            ("", ["-maxntid=32,32"], 64),
            (" .maxnreg 64", ["-maxrregcount=200"], 64),
            (" .maxnreg 64", ["-maxrregcount=200", "--override-directive-values"], None),
            (" .maxntid 128", ["-maxrregcount=40"], None),
            (" .maxntid 256", ["-minnctapersm=4"], 64),
        ):
            self.input.write_text(text.replace("p)\n", f"p){head}\n"))
            done = self.call("-arch=sm_90a", *words, self.input, env=verify)
            found = re.findall(r"requires 90 registers.* has (\d+) ", done.stderr)
            self.assertEqual((done.returncode, found), (1, [str(bound)]) if bound else (0, []), (words, done.stderr))
            done = self.assemble("answer()", "--", *words)
            self.assertEqual((done.returncode, "[codegen-registers]" in done.stdout), (int(bool(bound)), bool(bound)))

    def test_configuration(self):
        self.input.write_text(FAULTY)
        (self.work / ".ptxray").write_text("off = unknown-qualifier\n")
        done = self.call(self.input, "-o", self.output)
        self.assertEqual((done.returncode, done.stderr), (0, "ptxas info    : hello\n"))
        (self.work / ".ptxray").write_text("off = no-such-rule\n")
        done = self.call(self.input, "-o", self.output)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"(?s)no rule `no-such-rule`.*\[unknown-qualifier\].*ptxas info    : hello")

    def test_subcommand(self):
        done = self.run_ptxray("ptxas", "-o", self.output, self.input, env={"PTXAS": self.ptxas("print(sys.argv[1:])")})
        self.assertEqual(done.stdout, f"{['-o', str(self.output), str(self.input)]}\n")

    def test_finds_inputs_among_options(self):
        self.input.write_text(FAULTY)
        other = self.work / "other file.ptx"
        other.write_text(FAULTY)
        options = self.work / "options"
        options.write_text(f'-arch sm_80 "{other}"\n')
        faulty = ["[unknown-qualifier]"]
        for words, count in (
            ([self.input, other], 2),
            (["-arch", "sm_80", self.input], 1),
            (["-o", self.input], 0),
            (["-optf", options], 1),
            ([f"--options-file={options}"], 1),
            (["-maxrregcount", "32", self.input], 1),
            ([f"{self.input},{other}"], 2),
            (["--input-as-string", FAULTY], 1),
            (["-c", self.input], 1),
            (["-Werror", self.input], 1),
            (["missing.ptx"], 0),
            ([self.work], 0),
        ):
            done = self.call(*words, body="sys.exit(9)")
            self.assertEqual(done.returncode, 9, words)
            self.assertEqual(done.stderr.count(faulty[0]), count, f"{words}: {done.stderr}")

    def test_standard_input(self):
        done = self.call("-arch=sm_80", "-", body="sys.stdout.write(sys.stdin.read())", input=FAULTY)
        self.assertEqual(done.stdout, FAULTY)
        self.assertIn("<stdin>:7:6: error", done.stderr)

    def test_never_itself(self):
        copy = self.folder / "copy"
        copy.write_bytes(pathlib.Path(PTXRAY).read_bytes())
        copy.chmod(0o755)
        script = self.folder / "script"
        script.write_text(f"#!/bin/sh\nexec '{PTXRAY}' ptxas \"$@\"\n")
        script.chmod(0o755)
        for real in (copy, script):
            done = self.run_ptxray(self.input, command=str(self.link), env={"PTXAS": str(real)})
            if real == copy:  # the name is not that of a ptxas, so its words are commands of ptxray
                self.assertEqual(done.returncode, 2)
                continue
            self.assertEqual(done.returncode, 5)
            self.assertIn("ptxas is not installed", done.stderr)
        # The search follows a link, and uses the next candidate.
        done = self.run_ptxray(
            "--version",
            command=str(self.link),
            env={"TRITON_PTXAS_PATH": str(self.link), "CUDA_HOME": str(self.cuda_home())},
        )
        self.assertIn("release 13.5", done.stdout)

    def cuda_home(self):
        home = self.folder / "cuda"
        (home / "bin").mkdir(parents=True)
        os.link(self.ptxas("pass"), home / "bin" / "ptxas")
        return home


if __name__ == "__main__":
    PTXRAY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
