#!/usr/bin/env python3
"""Below a folder, links that lead nowhere and pipes are passed over; what is named must be there.

test/cli/links.py PTXRAY"""

import os
import pathlib
import subprocess
import sys
import tempfile

TEXT = ".version 9.0\n.target sm_90\n.address_size 64\n"


def check(*paths):
    done = subprocess.run([sys.argv[1], "check", "--inline", *paths], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "good.ptx").write_text(TEXT)
    (folder / "linked.ptx").symlink_to("good.ptx")
    (folder / "nowhere.cu").symlink_to("third_party/missing.cu")
    (folder / "itself.h").symlink_to("itself.h")
    os.mkfifo(folder / "pipe.cu")
    assert check(folder)[0] == 0, check(folder)
    assert check(folder, folder / "nowhere.cu")[0] == 2, check(folder / "nowhere.cu")
    (folder / "linked.ptx").unlink()
    (folder / "good.ptx").unlink()
    status, said = check(folder)
    assert status == 2 and "no `*.ptx` file" in said, said
