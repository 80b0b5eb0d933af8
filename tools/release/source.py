"""Builds the source archive: the files of git, and in generated/ the files that require ANTLR (and so Java)."""

import io
import pathlib
import shutil
import subprocess
import sys
import tarfile

import archive
import sources


def generated(work, folder):
    """Returns {path: (mode, bytes)} of generated/: parser, tables, and the libraries that few distributions have."""
    build, log = work / "generated", work / "generated.log"
    print("generating the parser and the tables", file=sys.stderr)
    with open(log, "w") as out:
        configure = ["cmake", "-G", "Ninja", "-S", folder, "-B", build, "-DBUILD_TESTING=OFF"]
        for words in (configure, ["cmake", "--build", build, "--target", "generated"]):
            if subprocess.run(words, stdout=out, stderr=out).returncode != 0:
                sys.exit(log.read_text()[-4000:] + f"\nthe parser cannot be generated; all of it is in {log}")
    place = build / "generated"
    files = {path.relative_to(build): path for path in place.rglob("*") if path.is_file()}
    third = work / "third-party-source"
    runtime = third / "antlr4-cpp-runtime" / "runtime" / "src"
    inside = pathlib.Path("generated")
    for path in runtime.rglob("*"):
        if path.suffix in (".h", ".cpp"):
            files[inside / "antlr4-runtime" / path.relative_to(runtime)] = path
    files[inside / "antlr4-runtime" / "LICENSE.txt"] = third / "antlr4-cpp-runtime" / "LICENSE.txt"
    json = third / "nlohmann-json3"
    files[inside / "include" / "nlohmann" / "json.hpp"] = json / "single_include" / "nlohmann" / "json.hpp"
    files[inside / "include" / "nlohmann" / "LICENSE.MIT"] = json / "LICENSE.MIT"
    return {str(name): (0o644, path.read_bytes()) for name, path in files.items()}


def committed(revision):
    """Returns {path: (mode, bytes)} of a commit."""
    packed = subprocess.run(
        ["git", "-C", sources.ROOT, "archive", "--format=tar", revision], stdout=subprocess.PIPE, check=True
    ).stdout
    files = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as tree:
        for entry in tree:
            if entry.isfile():
                files[entry.name] = (0o755 if entry.mode & 0o100 else 0o644, tree.extractfile(entry).read())
    return files


def lay_out(files, folder):
    for path, (mode, data) in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)


def build(work, version, revision, epoch):
    """Returns the name and the bytes of the archive, and a folder with its contents."""
    sources.unpack_all(work)
    folder = work / "source"
    shutil.rmtree(folder, ignore_errors=True)
    files = committed(revision)
    lay_out(files, folder)
    made = generated(work, folder)
    lay_out(made, folder)
    files |= made
    top = f"ptxray-{version}"
    packed = archive.gz(archive.tar({f"{top}/{path}": entry for path, entry in files.items()}, epoch))
    return f"{top}-source.tar.gz", packed, folder
