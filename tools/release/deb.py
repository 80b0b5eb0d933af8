"""Builds a .deb: the program for every Debian and Ubuntu, since it is static."""

import os
import pathlib
import subprocess
import tempfile

import archive

DESCRIPTION = """checks PTX, the assembly language of NVIDIA GPUs
 It says what is wrong with a PTX text: where, why, which section of the manual
 says so, and how to fix it. It needs no CUDA toolkit and no GPU."""
LINTIAN = """# It runs on any Linux: all is inside. ptxray-run opens the CUDA driver; its glibc is recommended.
ptxray: statically-linked-binary [usr/bin/ptxray]
ptxray: embedded-library *
ptxray: undeclared-elf-prerequisites *
ptxray: no-manual-page [usr/libexec/ptxray-run]
"""


def control(target, version, size):
    return (
        f"Package: ptxray\nVersion: {version}\nArchitecture: {target.debian}\n"
        "Maintainer: the authors of ptxray <ptxray@localhost>\nSection: devel\nPriority: optional\n"
        f"Installed-Size: {size // 1024}\nRecommends: libc6 (>= 2.28)\nDescription: {DESCRIPTION}\n"
    )


def build(target, files, copyright_text, version, epoch):
    """Returns the name and the bytes."""
    moved = {"usr/share/zsh/site-functions/_ptxray": "usr/share/zsh/vendor-completions/_ptxray"}
    placed = {moved.get(f"usr/{path}", f"usr/{path}"): entry for path, entry in files.items()}
    document = "usr/share/doc/ptxray"
    del placed[f"{document}/LICENSE"]  # Debian contains it
    placed[f"{document}/changelog.gz"] = (0o644, archive.gz(placed.pop(f"{document}/CHANGELOG.md")[1]))
    placed[f"{document}/copyright"] = (0o644, copyright_text.encode())
    placed["usr/share/lintian/overrides/ptxray"] = (0o644, LINTIAN.encode())
    name = f"ptxray_{version}_{target.debian}.deb"
    with tempfile.TemporaryDirectory() as work:
        root = pathlib.Path(work) / "root"
        for path, (mode, data) in placed.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(mode)
        (root / "DEBIAN").mkdir()
        size = sum(len(data) for _, data in placed.values())
        (root / "DEBIAN" / "control").write_text(control(target, version, size))
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, pathlib.Path(work) / name],
            env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return name, (pathlib.Path(work) / name).read_bytes()
