"""Builds an .rpm of the static program, for Fedora, RHEL and openSUSE."""

import pathlib
import subprocess
import tempfile

SPEC = """Name: ptxray
Version: {version}
Release: 1
Summary: checks PTX, the assembly language of NVIDIA GPUs
License: Apache-2.0
AutoReqProv: no
%description
It says what is wrong with a PTX text: where, why, which section of the manual
says so, and how to fix it. It needs no CUDA toolkit and no GPU.
%install
cp -a {root}/. %{{buildroot}}/
%files
{names}
"""
# The bytes are the same on every machine: no date, no host, no digests of built files, and no stripping or repacking.
MACROS = {
    "_build_id_links": "none",
    "_buildhost": "localhost",
    "__os_install_post": "%{nil}",
    "_binary_payload": "w9.xzdio",
    "use_source_date_epoch_as_buildtime": "1",
    "clamp_mtime_to_source_date_epoch": "1",
    "_source_date_epoch_from_changelog": "0",
    "debug_package": "%{nil}",
}


def build(target, files, version, epoch):
    """Returns the name and the bytes."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        root = folder / "root"
        for path, (mode, data) in files.items():
            file = root / "usr" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(mode)
        names = "\n".join(f"%attr({files[path][0]:o}, root, root) /usr/{path}" for path in sorted(files))
        spec = folder / "ptxray.spec"
        spec.write_text(SPEC.format(version=version, root=root, names=names))
        words = ["rpmbuild", "-bb", "--target", f"{target.rpm}-linux", "--define", f"_topdir {folder}"]
        for name, value in MACROS.items():
            words += ["--define", f"{name} {value}"]
        environment = {"SOURCE_DATE_EPOCH": str(epoch), "PATH": "/usr/bin:/bin", "HOME": work}
        result = subprocess.run([*words, spec], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != 0:
            raise SystemExit(result.stdout.decode()[-4000:])
        built = next((folder / "RPMS").rglob("*.rpm"))
        return built.name, built.read_bytes()
