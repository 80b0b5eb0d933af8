"""Builds the files of the playground: {name: bytes}, from a source folder and the WebAssembly program."""

import array
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.PurePosixPath("tools/playground")


# The page loads the first program at once, and the other one when it first runs a kernel.
PROGRAMS = {"ptxray-page.wasm": "ptxrayPage", "ptxray-machine.wasm": "ptxrayMachine"}


NOT_IN_STRINGS = {1, *map(ord, '\n\r"\\'), *range(0xD800, 0xE000)}


def string_of(data):
    """Encodes bytes as a JavaScript string with two bytes per character, a quarter smaller than base64 on a disk.
    worker.js decodes it. The first character is the number of surplus bytes at the end. A character that no string
    can contain has another highest bit and follows a 1."""
    odd = len(data) % 2
    words = array.array("H", data + bytes(odd))
    return f"{odd}" + "".join(chr(word) if word not in NOT_IN_STRINGS else f"\1{chr(word ^ 0x8000)}" for word in words)


def packed_by(*words, **options):
    if not shutil.which(words[0]):
        sys.exit(f"no program {words[0]}, by which the page is packed: `tools/dev playground` installs it")
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, **options).stdout


def zipped(program):
    """Compresses as gzip, a twentieth smaller than zlib."""
    return packed_by("libdeflate-gzip", "-12", input=program.read_bytes())


def besides(first, second):
    """Returns the difference of a program to another one, which is a third of its size. UnpackDoor.cpp combines
    them."""
    return packed_by(
        "zstd", "--ultra", "-22", "--long=26", "--single-thread", "--stdout", f"--patch-from={first}", second
    )


def packages(source, work):
    """Returns the folder with the npm packages of package-lock.json. It downloads them once, and runs none of their
    scripts."""
    here = source / HERE
    lock = (here / "package-lock.json").read_bytes()
    folder = work / f"npm-{hashlib.sha256(lock).hexdigest()[:12]}"
    if not (folder / "complete").exists():
        if not shutil.which("npm"):
            sys.exit("the playground is bundled by node 20 or newer, with npm, which is not in PATH")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package-lock.json").write_bytes(lock)
        (folder / "package.json").write_bytes((here / "package.json").read_bytes())
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
        (folder / "complete").touch()
    return folder


def licences(folder):
    """Returns the licence texts of the bundled packages."""
    lock = json.loads((folder / "package-lock.json").read_text())
    texts = []
    for path, package in sorted(lock["packages"].items()):
        place = folder / path
        if not path or "esbuild" in path or not place.is_dir():
            continue
        title = f"{path.removeprefix('node_modules/')} {package['version']} ({package['license']})"
        text = next(place.glob("[Ll][Ii][Cc][Ee][Nn][SsCc][Ee]*"), None)
        texts.append(f"{title}\n{'=' * len(title)}\n\n{text.read_text().strip() if text else package['license']}\n")
    return "\n".join(texts)


def examples(source):
    listed = json.loads((source / HERE / "examples" / "index.json").read_text())
    for one in listed:
        one["text"] = (source / one.pop("file")).read_text()
    return listed


def build(source, place, work, texts=""):
    """Builds the files. `place` is the folder with the programs, and `texts` are the licences of their parts."""
    here, folder = source / HERE, packages(source, work)
    with tempfile.TemporaryDirectory() as name:
        made = pathlib.Path(name)
        (made / "examples.json").write_text(json.dumps(examples(source)))
        subprocess.run(["node", here / "bundle.mjs", folder, made, made / "examples.json"], check=True)
        scripts = {name: (made / name).read_bytes() for name in ("start.js", "app.js")}
    files = {name: (here / "page" / name).read_bytes() for name in ("index.html", "page.css", "run.css")}
    files |= scripts
    for name, variable in PROGRAMS.items():
        first = next(iter(PROGRAMS))
        packed = string_of(zipped(place / name) if name == first else besides(place / first, place / name))
        # The mark at the beginning takes precedence over the encoding that a server declares.
        files[f"{name}.js"] = f'\ufeffglobalThis.{variable}="{packed}";\n'.encode("utf-16-le")
    files["licenses.txt"] = (licences(folder) + "\n" + texts).encode()
    return files
