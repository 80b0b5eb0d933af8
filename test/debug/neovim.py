#!/usr/bin/env python3
"""Runs neovim.lua, a session of nvim-dap, in Neovim without a screen: neovim.py PTXRAY REPOSITORY

The environment variable NVIM_DAP names the folder of nvim-dap; the default is the folder of Neovim's packages. The
test is skipped (77) without nvim-dap or nvim, unless PTXRAY_REQUIRE names `nvim-dap` or `all`."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def nvim_dap():
    """Returns the folder of the client, or None."""
    if "NVIM_DAP" in os.environ:
        return pathlib.Path(os.environ["NVIM_DAP"])
    found = pathlib.Path.home().glob(".local/share/nvim/site/pack/*/*/nvim-dap")
    return next(found, None)


def main():
    program, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    client = nvim_dap()
    if not shutil.which("nvim") or not client:
        print("skipped: no nvim" if client else "skipped: no nvim-dap")
        required = os.environ.get("PTXRAY_REQUIRE", "").split(",")
        return 1 if "all" in required or "nvim-dap" in required else 77
    page = (repository / "docs" / "debugging.md").read_text()
    with tempfile.TemporaryDirectory() as folder:
        setup = pathlib.Path(folder) / "setup.lua"
        setup.write_text(page.split("```lua\n")[1].split("```")[0])
        environment = {
            **os.environ,
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "KERNEL": str(repository / "test" / "emulate" / "saxpy.ptx"),
            "NVIM_DAP": str(client),
            "SETUP": str(setup),
            **{f"XDG_{name}_HOME": folder for name in ("STATE", "DATA", "CONFIG", "CACHE")},
        }
        command = ["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {HERE / 'neovim.lua'}", "-c", "cquit!"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)
        print((result.stdout + result.stderr).strip())
        return result.returncode


if __name__ == "__main__":
    sys.exit(main())
