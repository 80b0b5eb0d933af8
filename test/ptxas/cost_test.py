#!/usr/bin/env python3
"""Measures the CPU time that ptxray adds to ptxas: for `ptxray as` with a large module, and for a small one as a
replacement of ptxas.

    cost_test.py PTXRAY PTXAS [FILE]

The limits are 5 % and 3 ms. The times of two runs of ptxas differ by more, so ptxray is measured with a stand-in
that ends at once, and ptxas separately. Exit status 77: there is no ptxas. With PTXRAY_REQUIRE=ptxas (or all), this
is a failure."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MOST = 0.05
MOST_OF_SMALL = 0.003
KERNELS = 600
STAND_IN = """#!/bin/sh
case "$*" in
*--version*) echo "Cuda compilation tools, release 13.5, V13.5.37" ;;
*) for out; do :; done; printf '\\177ELF\\002\\001\\001{zeros}' >"$out" ;;
esac
""".format(zeros="\\000" * 57)  # an object file without sections
LOOP = """.visible .entry kernel{n}(.param .u64 in, .param .u64 out, .param .u32 count)
{{
  .reg .pred %p<2>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
  mad.lo.s32 %r5, %r3, %r4, %r2;
  mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  mov.f32 %f1, 0f00000000; mov.u32 %r6, 0;
$loop:
{body}
  add.s32 %r6, %r6, 1; setp.lt.s32 %p1, %r6, %r1; @%p1 bra $loop;
  st.global.f32 [%rd5], %f1;
  ret;
}}
"""


def module():
    kernels = [".version 8.5\n.target sm_90\n.address_size 64\n"]
    for n in range(KERNELS):
        body = "\n".join(
            f"  ld.global.f32 %f2, [%rd4+{4 * (i + n)}];\n  fma.rn.f32 %f1, %f2, %f{1 + i % 2}, %f1;" for i in range(24)
        )
        kernels.append(LOOP.format(n=n, body=body))
    return "".join(kernels)


def processor_time(command, **environment):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main():
    ptxray, ptxas = sys.argv[1:3]
    if not pathlib.Path(ptxas).exists():
        print(f"skipped: no {ptxas} (`tools/dev cuda` fetches it)")
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        sys.exit(1 if "ptxas" in required or "all" in required else 77)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path(folder) / "module.ptx"
        if len(sys.argv) <= 3:
            path.write_text(module())
        gpu = re.search(r"^\.target\s+(\w+)", path.read_text(), re.M).group(1)
        output = f"{folder}/out.cubin"
        stand_in = pathlib.Path(folder) / "ptxas"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        ours = min(processor_time([ptxray, "as", str(path), "-o", output, "--ptxas", str(stand_in)]) for _ in range(5))
        alone = min(processor_time([ptxas, "--gpu-name", gpu, str(path), "-o", output]) for _ in range(2))
        print(
            f"{path.stat().st_size / 1e6:.1f} MB: ptxas {alone:.2f} s, ptxray as {ours:.3f} s more: "
            f"{100 * ours / alone:.1f} %"
        )
        small = pathlib.Path(folder) / "small.ptx"
        small.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
        words = [ptxray, "ptxas", "-arch=sm_80", str(small)]
        there = min(processor_time(words, PTXAS="/bin/true") for _ in range(100))
        more = there - min(processor_time(["/bin/true"]) for _ in range(100))
        print(f"in the place of ptxas, a small file: {1000 * more:.2f} ms more")
        sys.exit(ours > MOST * alone or more > MOST_OF_SMALL)


if __name__ == "__main__":
    main()
