"""Builds the playground, a page with ptxray, from the files that git lists in the working tree.

usage: tools/playground [--output FOLDER] [--programs FOLDER]

docs/playground.md describes it."""

import argparse
import pathlib
import shutil
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parent)]

import page  # noqa: E402  (lies beside this file)
import wasm  # noqa: E402


def main():
    arguments = argparse.ArgumentParser(prog="tools/playground", description=__doc__.split("\n")[0])
    arguments.add_argument("--output", default=wasm.ROOT / "build/playground", type=pathlib.Path)
    arguments.add_argument("--programs", type=pathlib.Path, help="those there, instead of ones that are compiled now")
    given = arguments.parse_args()
    source, place = (wasm.ROOT, given.programs) if given.programs else wasm.of_working_tree()
    files = page.build(source, place, wasm.WORK, wasm.licences())
    shutil.rmtree(given.output, ignore_errors=True)
    given.output.mkdir(parents=True)
    for name, data in files.items():
        (given.output / name).write_bytes(data)
    if place.resolve() != wasm.WORK.resolve():
        for name in ("ptxray.wasm", *page.PROGRAMS):  # for tests and for the npm package
            shutil.copyfile(place / name, wasm.WORK / name)
    size = sum(len(data) for data in files.values())
    print(f"{size / 1e6:.2f} MB: {given.output / 'index.html'}")


if __name__ == "__main__":
    main()
