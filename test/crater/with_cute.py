"""Compiles kernels to PTX with CuTe DSL's compiler, without a GPU. Each process compiles for one target."""

import os
import pathlib
import subprocess
import sys
import tempfile

from common import archs

for number, suffix in archs():
    with tempfile.TemporaryDirectory() as folder:
        settings = {"CUTE_DSL_KEEP_PTX": "1", "CUTE_DSL_DUMP_DIR": folder, "CUTE_DSL_DISABLE_FILE_CACHING": "1"}
        settings["CUTE_DSL_ARCH"] = f"sm_{number}{suffix}"
        kernels = pathlib.Path(__file__).with_name("cute_kernels.py")
        subprocess.run([sys.executable, kernels, *sys.argv[1:]], env={**os.environ, **settings}, check=True)
