#!/usr/bin/env python3
"""Tests that `ptxray check --watch` checks again when a file is saved: watch.py PTXRAY"""

import pathlib
import subprocess
import sys
import tempfile
import threading

TEXT = ".version 8.0\n.target sm_80\n.visible .entry k()\n{{\n  {}\n}}\n"
SECONDS = 60


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "k.ptx"
        file.write_text(TEXT.format("ret"))
        words = [sys.argv[1], "check", "--no-config", "--format=short", "--watch", file]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
            end = threading.Timer(SECONDS, program.kill)
            end.start()

            def round_of_lines():
                lines = []
                for line in program.stdout:
                    if line.startswith("watching"):
                        return lines
                    lines.append(line)
                raise AssertionError(f"it ended after {lines}")

            first = round_of_lines()
            assert any("expected-semicolon" in line for line in first), first
            file.write_text(TEXT.format("ret;"))
            second = round_of_lines()
            assert not any("error" in line for line in second), second
            end.cancel()
            program.kill()
    print("two rounds")


main()
