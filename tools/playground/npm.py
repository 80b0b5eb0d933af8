"""Builds the npm package: a tar whose bytes only depend on its contents."""

import pathlib

import archive

HERE = pathlib.PurePosixPath("tools/playground")


def build(source, wasm, version, epoch, texts):
    """Returns its name and its bytes. `texts` are the licences of the program's parts."""
    here = source / HERE
    files = {f"{name}.mjs": (here / f"{name}.mjs").read_bytes() for name in ("wasi", "memory", "server")}
    for name in ("cli.mjs", "index.mjs", "index.d.ts", "server.d.ts", "disk.mjs"):
        files[f"npm/{name}"] = (here / "npm" / name).read_bytes()
    files["npm/ptxray.wasm"] = wasm
    files["README.md"] = (here / "npm" / "README.md").read_bytes()
    files["LICENSE"] = (source / "LICENSE").read_bytes()
    files["THIRD-PARTY-LICENSES"] = texts.encode()
    files["package.json"] = (here / "npm" / "package.json").read_text().replace("VERSION", version).encode()
    placed = {f"package/{name}": (0o755 if name == "npm/cli.mjs" else 0o644, data) for name, data in files.items()}
    return f"ptxray-{version}.tgz", archive.gz(archive.tar(placed, epoch, folders=False))
