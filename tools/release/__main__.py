"""Builds all published files of one version in build/release-VERSION: `tools/dev release`.

The release only contains the current commit, not other changes of the working tree. A source archive leads to the
programs for each target, and these to archives, wheels, packages and an image, with their checksums and an SBOM. The
same commit always produces the same bytes. docs/releasing.md describes the tests."""

import argparse
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import archive
import compile
import deb
import oci
import rpm
import sbom
import source
import sources
import targets
import tree

ZIG = sources.ROOT / "build" / "zig"


def git(*words):
    return subprocess.run(["git", "-C", sources.ROOT, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def newest_zig():
    subprocess.run([sys.executable, sources.ROOT / "tools" / "zig.py"], check=True)
    return max(ZIG.glob("*/zig"))


class Release:
    def __init__(self, revision, work, out):
        self.revision, self.work, self.out = revision, work, out
        self.version = re.search(r"project\(ptxray VERSION (\S+)", git("show", f"{revision}:CMakeLists.txt")).group(1)
        self.epoch = int(git("log", "-1", "--format=%ct", revision))
        self.zig = newest_zig()
        self.artefacts = {}
        self.source = None  # the folder with the committed files, the only source of the release

    def keep(self, name, data):
        (self.out / name).write_bytes(data)
        self.artefacts[name] = (hashlib.sha1(data).hexdigest(), archive.sha256(data))
        print(f"{len(data) / 1e6:7.2f} MB  {name}", file=sys.stderr)

    def make(self, wanted):
        name, packed, self.source = source.build(self.work, self.version, self.revision, self.epoch)
        self.keep(name, packed)
        compiler = compile.Compiler(self.work, self.zig, self.epoch)
        programs = {target: compiler.program(self.source, target) for target in wanted}
        for target in [target for target in programs if target.is_wasm]:
            self.pack_wasm(target, programs.pop(target) / "ptxray")
        pages = self.pages(programs) if programs else {}
        images = []
        for target, place in programs.items():
            files = tree.installed(target, place, pages, self.source, self.work, self.zig)
            self.pack(target, place, files)
            if target.oci:
                texts = "share/doc/ptxray/"
                inside = {path: entry for path, entry in files.items() if path.startswith(("bin/", texts))}
                images.append((target, inside))
        if images:
            self.keep(*oci.build(images, self.version, self.revision, self.epoch))
        self.keep(*sbom.build(self.version, self.revision, self.epoch, self.zig.parent.name, dict(self.artefacts)))
        sums = "".join(f"{sums[1]}  {name}\n" for name, sums in sorted(self.artefacts.items()))
        (self.out / "SHA256SUMS").write_text(sums)

    def pages(self, programs):
        """Returns the man page and the completions, which the program itself prints."""
        native = next((place for target, place in programs.items() if target.name == "x86_64-linux"), None)
        if not native:
            sys.exit("the pages are printed by the program for x86_64-linux, which is not among the targets")
        return {
            page: subprocess.run(
                [native / "ptxray" / "ptxray", "generate", page],
                env={**os.environ, "SOURCE_DATE_EPOCH": str(self.epoch)},  # date of the man page
                stdout=subprocess.PIPE,
                check=True,
            ).stdout
            for page in ("man", "bash", "zsh", "fish")
        }

    def module(self, path):
        """Loads a module of the source, which reads the files beside it."""
        spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, self.source / path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def pack_wasm(self, target, place):
        """Packs the playground for any file server, and the npm package, from the programs in a folder."""
        texts = sources.licences(self.work, self.zig, target.zig)
        page = self.module("tools/playground/page.py").build(self.source, place, self.work, texts)
        top = f"ptxray-{self.version}-playground"
        placed = {f"{top}/{name}": (0o644, data) for name, data in page.items()}
        self.keep(f"{top}.zip", archive.zip_of(placed, self.epoch))
        npm = self.module("tools/playground/npm.py")
        self.keep(*npm.build(self.source, (place / target.program).read_bytes(), self.version, self.epoch, texts))

    def pack(self, target, place, files):
        self.keep(*tree.tarball(target, files, self.version, self.epoch))
        scripts = {target.program: (place / "ptxray" / target.program).read_bytes()}
        if target.is_linux:
            scripts["ptxray-run"] = (place / "ptxray-run" / "ptxray-run").read_bytes()
        licences = files["share/doc/ptxray/THIRD-PARTY-LICENSES"][1]
        wheels = self.module("tools/python/build_wheel.py")
        name = wheels.write_wheel(self.out, target.wheel, scripts, licences)
        self.keep(name, (self.out / name).read_bytes())
        if target.debian:
            text = (self.source / "tools" / "package" / "copyright").read_text()
            self.keep(*deb.build(target, files, text, self.version, self.epoch))
        if target.rpm:
            self.keep(*rpm.build(target, files, self.version, self.epoch))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [target.name for target in targets.TARGETS]
    parser.add_argument("target", nargs="*", help=f"of {', '.join(names)} (default: those for Linux, and wasm32)")
    parser.add_argument("--revision", default="HEAD")
    parser.add_argument("--out", type=pathlib.Path, help="(default: build/release-VERSION)")
    parser.add_argument("--work", type=pathlib.Path, default=sources.ROOT / "build" / "release-work")
    options = parser.parse_args()
    unknown = set(options.target) - set(names)
    if unknown:
        parser.error(f"no target {' '.join(sorted(unknown))}; there are {', '.join(names)}")
    revision = git("rev-parse", options.revision).strip()
    release = Release(revision, options.work.resolve(), None)
    release.out = (options.out or sources.ROOT / "build" / f"release-{release.version}").resolve()
    shutil.rmtree(release.out, ignore_errors=True)
    release.out.mkdir(parents=True)
    release.make(
        [
            target
            for target in targets.TARGETS
            if target.name in options.target or ((target.is_linux or target.is_wasm) and not options.target)
        ]
    )
    print(release.out)


if __name__ == "__main__":
    main()
