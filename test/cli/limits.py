#!/usr/bin/env python3
"""Tests the limits of SECURITY.md that no other test covers: limits.py PTXRAY Limits|LaunchLimits

Times are CPU seconds of the released program."""

import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import unittest

PTXRAY = sys.argv.pop(1)
HEAD = ".version 9.0\n.target sm_100\n.address_size 64\n"
KERNEL = HEAD + ".visible .entry k(.param .u64 p)\n{\n%s\nret;\n}\n"
MB = 1 << 20


def run(*words, memory=None, **options):
    """Returns the status, the output, and the CPU time in seconds."""

    def limited():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [PTXRAY, *words], capture_output=True, text=True, timeout=120, check=False, preexec_fn=limited, **options
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout + done.stderr, seconds


def texture_fetches(count):
    """Returns faulty texture fetches, each with operands of other kinds."""
    some = random.Random(2)

    def operands(number):
        kinds = ["%f1", "%r1", "%r2", "%rd3", "1", "0f3f800000", "tex0", "%f2", "-1"]
        return tuple(some.choice(kinds) for _ in range(number))

    line = "tex.grad.2d.v4.f32.f32 {%%f0,%%f1,%%f2,%%f3}, [tex0, %%rd3, {%s,%s}], {%s,%s}, {%s,%s}, %s, %s;\n"
    names = ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n"
    return KERNEL.replace(".visible", ".global .texref tex0;\n.visible") % (
        names + "".join(line % operands(8) for _ in range(count))
    )


def spliced_words(count):
    """Returns statements whose words contain numbers that no choice corrects."""
    words = "mma.sync.aligned.m%{0}n%{1}k%{2}.row.col.f%{3}.f%{0}.f%{1}.f%{2} {{%4}}, {{%4}}, {{%4}}, %x{5};"
    statement = '  asm volatile("%s" :: "n"(A), "n"(B), "n"(C), "n"(D), "r"(x));\n'
    body = "".join(statement % words.format(*(i % 4 for i in range(n, n + 4)), 4, n) for n in range(count))
    return "template <int A, int B, int C, int D> __device__ void f(int x) {\n" + body + "}\n"


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


class Limits(Files):
    def test_advice_has_a_budget(self):
        for count, most in ((60, 3), (600, 15)):
            path = self.write("tex.ptx", texture_fetches(count))
            status, said, seconds = run("check", "--no-config", path)
            self.assertEqual(status, 1, said)
            self.assertLess(seconds, most, f"{count} lines")

    def test_advice_on_few_faults_is_whole(self):
        path = self.write("one.ptx", KERNEL % ".reg .b32 %r<3>;\nadd.s33 %r1, %r2, %r1;")
        self.assertIn("`.s32`", run("check", "--no-config", path)[1])

    def test_trials_of_numbers_have_a_budget(self):
        for count, most in ((40, 4), (400, 30)):
            path = self.write("splices.cu", spliced_words(count))
            status, said, seconds = run("check", "--no-config", path)
            self.assertIn(status, (0, 1), said)
            self.assertLess(seconds, most, f"{count} statements")

    def test_reports_on_a_long_line_take_linear_time(self):
        for form in ("sarif", "gitlab"):
            used = []
            for count in (2500, 10000):
                line = f".global .u32 g[{count}] = {{{','.join(['q'] * count)}}};\n"
                path = self.write("line.ptx", HEAD + line)
                used.append(run("check", "--no-config", f"--format={form}", path)[2])
            self.assertLess(used[1], 8 * used[0] + 0.2, form)

    def test_a_file_is_equal_to_itself(self):
        blocks = self.write("blocks.ptx", KERNEL % "{\n.reg .b64 q;\n{\nmov.u64 q, 1;\n}\n}")
        one = ".visible .entry %s()\n{\n%s;\nret;\n}\n"
        twice = self.write("twice.ptx", HEAD + one % ("k", "bar.sync 0") + one % ("k", "membar.gl"))
        for path in (blocks, twice):
            self.assertEqual(run("diff", path, path)[:2], (0, ""))
        other = self.write("other.ptx", HEAD + one % ("k", "bar.sync 0") + one % ("k", "membar.sys"))
        status, said, _ = run("diff", twice, other)
        self.assertEqual(status, 1)
        self.assertIn("membar.sys", said)

    def test_a_size_beyond_64_bits_is_an_error(self):
        for text in (".global .b64 a[2305843009213693954];", ".shared .v4 .b32 a[4294967296][4294967296];"):
            status, said, _ = run("check", "--no-config", self.write("size.ptx", HEAD + text + "\n"))
            self.assertEqual(status, 1, text)
            self.assertIn("constant-overflow", said)
        text = HEAD + ".extern .global .b8 a[4294967296][4294967295];\n.extern .global .b8 b[][4];\n"
        self.assertEqual(run("check", "--no-config", self.write("size.ptx", text))[:2], (0, ""))

    def test_memory_that_ends_is_one_line(self):
        path = self.write("big.ptx", KERNEL % (".reg .b32 %r<3>;\n" + "mov.u32   %r1,1;\n" * 300_000))
        for command in ("check", "fmt --check", "targets", "graph", "hazards", "dump"):
            status, said, _ = run(*command.split(), path, memory=40 * MB)
            self.assertEqual(status, 2, f"{command}: {said}")
            self.assertEqual(said, "ptxray: out of memory\n", command)
        self.assertEqual(run("check", "--no-config", path)[0], 0)


class LaunchLimits(Files):
    def test_the_memory_of_a_launch_is_limited(self):
        body = """.local .align 8 .b8 room[500000];
.reg .b64 %a;
.reg .pred %q;
mov.u64 %a, 0;
LOOP:
st.local.u64 [room], %a;
add.u64 %a, %a, 1;
setp.lt.u64 %q, %a, 100000000;
@%q bra LOOP;"""
        words = ["run", "--emulate", "--no-config", "--block=1024", "--grid=64", "--memory-limit=100M"]
        status, said, _ = run(*words, self.write("local.ptx", KERNEL % body), "zeros:u32:1")
        self.assertEqual(status, 2)
        self.assertEqual(said, "ptxray: kernel `k` needs more memory than its limit (--memory-limit)\n")

    def test_a_wide_format_takes_no_time(self):
        text = b"%100000000d\0"
        declared = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        declared += ".global .b8 format[%d] = {%s};\n"
        head = declared % (len(text), ",".join(map(str, text)))
        body = """.local .align 8 .b8 values[8];
.reg .b64 %a<3>;
mov.u64 %a1, format;
cvta.global.u64 %a1, %a1;
mov.u64 %a2, values;
cvta.local.u64 %a2, %a2;
st.local.u32 [values], 1;
{ .param .b64 f; .param .b64 v; .param .b32 r;
st.param.b64 [f], %a1; st.param.b64 [v], %a2; call.uni (r), vprintf, (f, v); }"""
        path = self.write("wide.ptx", KERNEL.replace(".visible", head + ".visible") % body)
        status, said, seconds = run("run", "--emulate", "--no-config", "--block=256", path, "zeros:u32:1")
        self.assertEqual((status, len(said)), (0, 256 * 4096))
        self.assertLess(seconds, 2)


if __name__ == "__main__":
    unittest.main()
