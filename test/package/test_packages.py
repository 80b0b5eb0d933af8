"""Tests the .deb and the tarball: test_packages.py BUILD_FOLDER CPACK. dpkg unpacks the .deb, and lintian checks it."""

import pathlib
import re
import shutil
import sys
import tarfile
import tempfile

from common import BAD, need, run, version


def main():
    build, cpack = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    dpkg = need("dpkg-deb")
    release = version()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(cpack, "--config", build / "CPackConfig.cmake", "-G", "DEB;TGZ", "-B", folder / "out")
        (deb,) = (folder / "out").glob("*.deb")
        (tar,) = (folder / "out").glob("*.tar.gz")
        assert deb.name == f"ptxray_{release}_amd64.deb" and release in tar.name, (deb, tar)
        assert run(dpkg, "-f", deb, "Version").strip() == release
        assert re.fullmatch(r"libc6 \(>= [0-9.]+\)\n", run(dpkg, "-f", deb, "Depends"))
        run(dpkg, "-x", deb, folder / "deb")
        with tarfile.open(tar) as archive:
            archive.extractall(folder / "tar")
        for root in (folder / "deb/usr", next((folder / "tar").iterdir())):
            assert f"ptxray {release}\n" in run(root / "bin/ptxray", "version")
            (folder / "bad.ptx").write_text(BAD)
            run(root / "bin/ptxray", "check", folder / "bad.ptx", status=1)
            for file in (
                "share/man/man1/ptxray.1*",
                "share/bash-completion/completions/ptxray",
                "share/zsh/vendor-completions/_ptxray",
                "share/fish/vendor_completions.d/ptxray.fish",
                "lib/**/ptxrayConfig.cmake",
                "lib/**/libptxray.so",
                "lib/**/libptxray.a",
                "include/ptxray/ptxray.h",
                "share/doc/ptxray/changelog.gz",
                "share/doc/ptxray/copyright",
            ):
                assert list(root.glob(file)), f"{root} has no {file}"
            assert "statically linked" in run("file", root / "bin/ptxray") if shutil.which("file") else True
        judged = run(need("lintian"), "--fail-on", "none", "--no-tag-display-limit", deb, status=None)
        # The project has no address yet, and the program is intentionally static.
        known = ("bogus-mail-host", "embedded-library zlib [usr/bin/ptxray]")
        errors = [line for line in judged.splitlines() if line.startswith("E:")]
        errors = [line for line in errors if not any(tag in line for tag in known)]
        assert not errors, judged
    print(deb.name, "and", tar.name, "are right")


if __name__ == "__main__":
    main()
