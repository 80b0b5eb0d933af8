"""Tests the recipes of docs/scale.md for build graphs: test_build_graph.py ninja|bazel PTXRAY. A file is checked
once, and again after it has changed. A faulty file ends the build."""

import os
import pathlib
import re
import shutil
import sys
import tempfile

from common import BAD, GOOD, ROOT, need, run


def recipe(language):
    text = (ROOT / "docs" / "scale.md").read_text()
    (found,) = re.findall(f"```{language}\n(.*?)```", text, re.S)
    return found


def ninja(folder, ptxray):
    program = need("ninja")
    (folder / "build.ninja").write_text(recipe("ninja"))
    environment = {**os.environ, "PATH": f"{ptxray.parent}{os.pathsep}{os.environ['PATH']}"}
    return [program, "-C", folder], environment


def bazel(folder, ptxray):
    program = need("bazel")
    (folder / "WORKSPACE").touch()
    (folder / "BUILD").write_text(recipe("starlark"))
    (folder / "tools").mkdir()
    shutil.copy2(ptxray, folder / "tools" / "ptxray")
    (folder / "tools" / "BUILD").write_text('exports_files(["ptxray"])\n')
    words = ["--batch", f"--output_user_root={folder / 'bazel'}", "build", "//:kernel_checked"]
    return [program, *words], None


def main():
    engine, ptxray = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words, environment = {"ninja": ninja, "bazel": bazel}[engine](folder, ptxray)
        kernel = folder / "kernel.ptx"
        checked = folder / ("bazel-bin" if engine == "bazel" else "") / "kernel.ptx.checked"

        def build(status):
            run("sh", "-c", 'exec "$@" > log 2>&1', "sh", *words, status=status, cwd=folder, env=environment)
            return (folder / "log").read_text()

        kernel.write_text(GOOD)
        build(0)
        made = checked.stat().st_mtime_ns
        build(0)
        assert checked.stat().st_mtime_ns == made, "it was checked again"
        kernel.write_text(BAD)
        shown = build(1)
        assert "undefined-symbol" in shown, shown
        kernel.write_text(GOOD + "\n")
        build(0)
        assert checked.stat().st_mtime_ns > made, "it was not checked again"
        run("chmod", "-R", "u+w", folder)  # Bazel write-protects its output
    print(f"the recipe for {engine} works")


main()
