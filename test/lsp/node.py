#!/usr/bin/env python3
"""Runs node.mjs: a session with VS Code's client library, without VS Code.

    node.py PTXRAY

Skipped (77) without node, npm or their packages, unless PTXRAY_REQUIRE names what is missing, or `all`."""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "package"))
from common import ROOT, need, npm_packages, run  # noqa: E402

PACKAGE = "vscode-languageserver-protocol@3.17.5"


def main():
    program, node = pathlib.Path(sys.argv[1]).resolve(), need("node")
    folder = npm_packages(PACKAGE.replace("@", "-"), PACKAGE)
    (folder / "complete").touch()
    with tempfile.TemporaryDirectory() as work:
        print(run(node, HERE / "node.mjs", folder, program, ROOT / "docs/examples/mistakes.ptx", cwd=work).strip())


if __name__ == "__main__":
    main()
