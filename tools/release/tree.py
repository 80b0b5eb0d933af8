"""Lists the installed files, as {path below the prefix: (mode, bytes)}."""

import archive
import sources


def installed(target, programs, pages, root, work, zig):
    """Returns the files of a target. `programs` is the folder of compile.py, `pages` contains the man page and the
    completions, and `root` is the source."""
    files = {f"bin/{target.program}": (0o755, (programs / "ptxray" / target.program).read_bytes())}
    if target.is_linux:
        files["libexec/ptxray-run"] = (0o755, (programs / "ptxray-run" / "ptxray-run").read_bytes())
    if not target.is_windows:
        files["share/man/man1/ptxray.1.gz"] = (0o644, archive.gz(pages["man"]))
        files["share/bash-completion/completions/ptxray"] = (0o644, pages["bash"])
        files["share/zsh/site-functions/_ptxray"] = (0o644, pages["zsh"])
        files["share/fish/vendor_completions.d/ptxray.fish"] = (0o644, pages["fish"])
    for name in ("README.md", "CHANGELOG.md", "LICENSE"):
        files[f"share/doc/ptxray/{name}"] = (0o644, (root / name).read_bytes())
    texts = sources.licences(work, zig, target.zig)
    files["share/doc/ptxray/THIRD-PARTY-LICENSES"] = (0o644, texts.encode())
    return files


def tarball(target, files, version, epoch):
    """Returns the name and bytes of an archive that can be unpacked anywhere: a zip for Windows."""
    top = f"ptxray-{version}-{target.name}"
    placed = {f"{top}/{path}": entry for path, entry in files.items()}
    if target.is_windows:
        return f"{top}.zip", archive.zip_of(placed, epoch)
    return f"{top}.tar.gz", archive.gz(archive.tar(placed, epoch))
