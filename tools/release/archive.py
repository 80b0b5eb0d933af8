"""Makes archives whose bytes only depend on their contents: sorted, with one date, owned by root."""

import gzip
import hashlib
import io
import tarfile
import time
import zipfile


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def tar(files, epoch, folders=True):
    """Returns the bytes of a tar of `files`: {name: (mode, bytes)}, including their folders."""
    out = io.BytesIO()
    parents = {str(parent) for name in files for parent in _parents(name)} if folders else set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted({*files, *parents}):
            entry = tarfile.TarInfo(name)
            entry.mtime = epoch
            entry.uname = entry.gname = "root"
            if name in files:
                entry.mode, data = files[name]
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            else:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
    return out.getvalue()


def _parents(name):
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def gz(data):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0, compresslevel=9) as packed:
        packed.write(data)
    return out.getvalue()


def zip_of(files, epoch):
    out = io.BytesIO()
    date = time.gmtime(max(epoch, 315532800))[:6]  # a zip cannot contain years before 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            mode, data = files[name]
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()
