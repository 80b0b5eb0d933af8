#!/usr/bin/env python3
"""Runs emacs.el in Emacs without a display, with the settings of docs/editors.md.

    emacs.py PTXRAY ROOT

Skipped (77) without a program emacs or Eglot (Debian: emacs-nox, elpa-eglot), unless PTXRAY_REQUIRE names `emacs` or
`all`."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "package"))
from common import need, skip  # noqa: E402


def main():
    program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    emacs = need("emacs")
    if subprocess.run([emacs, "--batch", "--eval", "(require 'eglot)"], capture_output=True).returncode:
        skip("emacs", "this Emacs has no Eglot")
    (settings,) = re.findall(r"```elisp\n(.*?)```", (root / "docs" / "editors.md").read_text(), re.S)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "ptxray").symlink_to(program)
        (folder / "settings.el").write_text(settings)
        kernel = shutil.copy(root / "docs" / "examples" / "mistakes.ptx", folder)
        environment = {
            **os.environ,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "HOME": name,
            "SETTINGS": str(folder / "settings.el"),
            "KERNEL": str(kernel),
            "LC_ALL": "C.UTF-8",
        }
        command = [emacs, "--batch", "-l", HERE / "emacs.el"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        print((result.stdout + result.stderr).strip() if result.returncode else result.stdout.strip())
        return result.returncode


if __name__ == "__main__":
    sys.exit(main())
