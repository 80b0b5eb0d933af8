#!/usr/bin/env python3
"""Tests what the released ptxray-run requires of a machine.

    launcher_test.py PTXRAY_RUN [OLDEST_GLIBC]

Without OLDEST_GLIBC, zig did not build it: exit status 77, and with PTXRAY_REQUIRE=zig (or all) a failure."""

import os
import re
import subprocess
import sys
import unittest

LAUNCHER = OLDEST_GLIBC = None


def readelf(option):
    return subprocess.run(["readelf", option, "--wide", LAUNCHER], check=True, capture_output=True, text=True).stdout


class Launcher(unittest.TestCase):
    def test_needs_no_new_glibc(self):
        if not OLDEST_GLIBC:
            required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
            if "zig" in required or "all" in required:
                self.fail("zig is required (tools/zig.py fetches it): this ptxray-run was built without")
            self.skipTest("not built with zig (tools/zig.py fetches it)")
        needed = {
            name: tuple(map(int, version.split(".")))
            for name, version in re.findall(r"(\w+)@GLIBC_(\d[\d.]*)", readelf("--dyn-syms"))
        }
        self.assertIn("dlopen", needed)
        newest = tuple(map(int, OLDEST_GLIBC.split(".")))
        self.assertEqual({}, {name: version for name, version in needed.items() if version > newest})
        versions = re.findall(r"Name: GLIBC_(\d[\d.]*)", readelf("--version-info"))
        self.assertLessEqual(max(tuple(map(int, version.split("."))) for version in versions), newest)

    def test_needs_nothing_but_glibc(self):
        libraries = set(re.findall(r"Shared library: \[([a-z0-9_+-]+)", readelf("--dynamic")))
        self.assertIn("libc", libraries)
        self.assertLessEqual(libraries, {"libc", "libm", "libdl", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"})


if __name__ == "__main__":
    LAUNCHER, OLDEST_GLIBC = ([*sys.argv[1:], None])[:2]
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(not result.wasSuccessful() or (77 if result.skipped else 0))
