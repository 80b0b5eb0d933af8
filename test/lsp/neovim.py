#!/usr/bin/env python3
"""Runs neovim.lua in Neovim without a display.

    neovim.py PTXRAY ROOT

Skipped (77) without a program nvim, unless PTXRAY_REQUIRE names `neovim` or `all`."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    if not shutil.which("nvim"):
        print("skipped: no program nvim")
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        return 1 if "all" in required or "neovim" in required else 77
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder) / "mistakes.ptx"
        shutil.copy(root / "docs" / "examples" / "mistakes.ptx", kernel)
        environment = {
            **os.environ,
            "PTXRAY": str(pathlib.Path(program).resolve()),
            "KERNEL": str(kernel),
            "XDG_STATE_HOME": folder,
            "XDG_DATA_HOME": folder,
            "XDG_CONFIG_HOME": folder,
        }
        command = ["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {HERE / 'neovim.lua'}", "-c", "cquit!"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        print((result.stdout + result.stderr).strip())
        return result.returncode


if __name__ == "__main__":
    sys.exit(main())
