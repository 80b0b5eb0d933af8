#!/usr/bin/env python3
"""Tests that checking a file of 500 MB needs little more memory than the file.

test/runner/big_file.py PTXRAY"""

import os
import subprocess
import sys
import tempfile

KERNEL = """.visible .entry k%d(.param .u64 p)
{
 .reg .pred %%p<3>;
 .reg .b32 %%r<40>;
 .reg .b64 %%rd<9>;
 ld.param.u64 %%rd1, [p];
 cvta.to.global.u64 %%rd2, %%rd1;
%s ret;
}
"""
BODY = (
    " ld.global.u32 %r1, [%rd2+16];\n mad.lo.s32 %r2, %r1, 3, %r1;\n"
    " setp.gt.s32 %p1, %r2, 7;\n @%p1 st.global.u32 [%rd2], %r2;\n" * 100
)
SIZE = 500_000_000


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "big.ptx")
        with open(path, "w") as file:
            file.write(".version 9.0\n.target sm_90\n.address_size 64\n")
            for i in range(SIZE // (len(KERNEL % (0, BODY)) + 5) + 1):
                file.write(KERNEL % (i, BODY))
        size = os.path.getsize(path)
        child = subprocess.Popen([sys.argv[1], "check", path])
        _, status, usage = os.wait4(child.pid, 0)
        ratio = usage.ru_maxrss * 1024 / size
        print(
            f"{size / 1e6:.0f} MB in {usage.ru_utime + usage.ru_stime:.1f} s, memory {ratio:.2f} of the file, "
            f"status {status}"
        )
        return status != 0 or ratio > 3


if __name__ == "__main__":
    sys.exit(main())
