"""Measures the first command of the README on a machine with the packages: test_first_answer.py PTXRAY.

In a folder like a fresh clone `tools/dev check` compiles, without ccache, and answers. The seconds that all
processors spend are counted, because a machine may run other work: two processors take half of them. What was built
judges all modules of the tests as PTXRAY does."""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from try_program import Program, compare

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import copy_sources

MOST_SECONDS = 180  # 90 seconds of two processors


def main():
    with tempfile.TemporaryDirectory() as name:
        tree, work = pathlib.Path(name) / "ptxray", pathlib.Path(name) / "work"
        copy_sources(tree)
        work.mkdir()
        began = time.monotonic()
        words = [tree / "tools/dev", "--no-install", "check", "docs/examples/transpose.ptx"]
        result = subprocess.run(words, cwd=tree, env={**os.environ, "CCACHE_DISABLE": "1"}, stderr=subprocess.PIPE)
        assert result.returncode == 0, result.stderr.decode()[-4000:]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime
        print(f"{seconds:.0f} s of CPU, {time.monotonic() - began:.0f} s by the clock", flush=True)
        built = Program([tree / "build/bin/ptxray"])
        help = built.run("--help").decode()
        for command in (
            "as",
            "check",
            "desc",
            "diff",
            "explain",
            "fmt",
            "graph",
            "hazards",
            "layout",
            "reduce",
            "targets",
        ):
            assert f"\n  {command} " in help, f"no {command}"
        count = compare(built, Program([pathlib.Path(sys.argv[1]).resolve()]), work)
        print(f"it judges {count} modules alike")
        assert seconds < MOST_SECONDS, f"more than {MOST_SECONDS} s"


main()
