"""Tests the Rust crate and the Go package with the shared library: test_bindings.py LIBRARY. Neither needs a
registry."""

import os
import pathlib
import sys
import tempfile

from common import ROOT, need, run

library = pathlib.Path(sys.argv[1]).resolve()
cargo, go = need("cargo"), need("go")
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "libptxray.so").symlink_to(library)
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(library.parent),  # this folder contains it under the name that programs load
        "PTXRAY_LIB_DIR": name,
        "CARGO_TARGET_DIR": str(folder / "cargo"),
        "CGO_ENABLED": "1",
        "CGO_CFLAGS": f"-I{ROOT / 'include'}",
        "CGO_LDFLAGS": f"-L{name}",
    }
    said = run(cargo, "test", "--offline", cwd=ROOT / "tools" / "rust", env=environment)
    assert "3 passed" in said and "1 passed" in said, said
    said = run(go, "test", "-count=1", "./...", cwd=ROOT / "tools" / "go", env=environment)
    assert said.startswith("ok"), said
print("the Rust crate and the Go package work")
