#!/usr/bin/env python3
"""Tests how tools/reduce.py (`tools/dev reduce`) reduces findings: findings.py PTXRAY PTXAS

Scripts that fail at some word replace the fuzzers. One kernel with its launch is changed so that warps race and a
rule reports it. Another kernel crashes ptxas."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = """.version 8.0
.target sm_90a
.address_size 64
// run: --block=64 zeros:u32:64 zeros:u32:64
.visible .entry first(.param .u64 in, .param .u64 out)
{
  .shared .align 4 .b32 cell;
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .reg .pred %p;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d1, %d1, %d2;
  CHANGED
  st.global.u32 [%d1], %r2;
  ret;
}
"""
RACE = "st.shared.u32 [cell], %r1;\n  ld.shared.u32 %r2, [cell];"


def reduced(folder, path, what):
    """Runs the command, which must detect the failure, and returns the result."""
    words = [sys.executable, folder / "tools" / "reduce.py", "--build", folder / "build" / "dev", path]
    ran = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode == 0 and f": {what}: " in ran.stdout, ran.stdout
    small = path.with_name(path.name + ".small").read_text()
    print(f"{what}: {path.stat().st_size} bytes became {len(small)}")
    return small


def main():
    ptxray, ptxas = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fuzzers, program = folder / "build/dev/test/fuzz", folder / "build/release/tools/ptxray/ptxray"
        for made in (fuzzers, program.parent, folder / "tools", folder / "build/cuda/13.5/bin"):
            made.mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "reduce.py", folder / "tools")
        program.symlink_to(ptxray)
        if ptxas.exists():
            (folder / "build/cuda/13.5/bin/ptxas").symlink_to(ptxas)
        source = folder / "found.ptx"

        source.write_text(SHARED.replace("CHANGED", "mov.u32 %r2, %r1;"))
        command = [sys.executable, folder / "tools" / "reduce.py", source]
        nothing = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        assert nothing.returncode == 1 and "nothing fails at it" in nothing.stdout, nothing

        source.write_text(SHARED.replace("CHANGED", RACE))
        small = reduced(folder, source, "run-race")
        assert re.match(r"// run: --block=33\n", small) and small.count(";") < 10, small

        source.write_text(SHARED.replace("CHANGED", "add.b32 %r2, %r1, 1;"))
        assert "add.b32" in reduced(folder, source, "rule:illegal-qualifier")
        if ptxas.exists():
            shutil.copy(ROOT / "docs" / "found" / "ptxas" / "setp_sink.ptx", source)
            assert "_|" in reduced(folder, source, "ptxas-crash")

        pipe = folder / "pipe"
        os.mkfifo(pipe)
        source.write_text(SHARED.replace("CHANGED", RACE))
        command = [program, "reduce", "-q", "--keep-finding=run-race", "-o", pipe, source]
        command += ["--", "--block=64", "zeros:u32:64", "zeros:u32:64"]
        with subprocess.Popen(command) as running:
            text = pipe.read_text()
        assert running.returncode == 0 and text.count(".version") == 1, text
        assert pipe.is_fifo()

        for fuzzer, word in ("check-fuzzer", "mul.wide"), ("format-fuzzer", "st.global"):
            script = fuzzers / fuzzer
            script.write_text(f'#!/bin/sh\n! grep -q "{word}" "$1"\n')
            script.chmod(0o755)
            source.write_text(SHARED.replace("CHANGED", "mov.u32 %r2, %r1;"))
            small = reduced(folder, source, f"fuzzer:{fuzzer}")
            assert word in small and small.count(";") < 7, small
            script.unlink()


if __name__ == "__main__":
    main()
