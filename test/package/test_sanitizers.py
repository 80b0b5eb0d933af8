"""Tests the checker, the C interface and the emulator with ThreadSanitizer, or the checker with AddressSanitizer:
test_sanitizers.py thread|address CMAKE. It only builds the library and one test program."""

import os
import sys

from common import ROOT, need, run

SANITIZERS = {
    "thread": (
        "thread",
        "thread-tests",
        "Checker.OneForEachThread:Checker.EachThreadItsOwnTexts:Api.SeveralThreadsAtOnce:MachineThreads.*",
        {},
    ),
    "address": ("ON", "checker-tests", "Checker.ManyDifferentTexts", {"PTXRAY_CHECKER_CALLS": "1000000"}),
}


def main():
    which, cmake = sys.argv[1:]
    value, target, tests, settings = SANITIZERS[which]
    folder = ROOT / "build" / f"sanitize-{which}"
    compilers = [f"-DCMAKE_C_COMPILER={need('clang-22')}", f"-DCMAKE_CXX_COMPILER={need('clang++-22')}"]
    flags = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1", "-DPTXRAY_UNITY=ON"]
    run(cmake, "-G", "Ninja", "-S", ROOT, "-B", folder, *compilers, *flags, f"-DPTXRAY_SANITIZE={value}")
    run(cmake, "--build", folder, "--target", target)
    program = folder / "test" / "unit" / target
    symbols = run("nm", program)
    assert f"__{'tsan' if which == 'thread' else 'asan'}_init" in symbols, "it is not such a build"
    environment = {**os.environ, **settings, "TSAN_OPTIONS": "halt_on_error=1", "ASAN_OPTIONS": "detect_leaks=1"}
    shown = run(program, f"--gtest_filter={tests}", env=environment)
    assert "[  PASSED  ]" in shown and "0 tests" not in shown.splitlines()[-1], shown
    print(f"nothing is found by the sanitizer `{which}`")


main()
