"""Provides the sources of all linked libraries. They are downloaded from the Debian archive in apt's configuration,
verified by their checksums, unpacked once, and described for the SBOM."""

import dataclasses
import hashlib
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Source:
    name: str  # the folder for the unpacked source
    title: str
    version: str
    licence: str  # an SPDX expression
    home: str
    texts: tuple  # files of the licence
    archive: str = ""  # path in a Debian archive; empty if zig contains it
    sha256: str = ""
    parts: tuple = ()  # unpacked parts; empty for everything
    strip: int = 1  # leading folders of the names in the archive
    only: str = ""  # targets that contain it; empty for all


SOURCES = [
    Source(
        "llvm-project",
        "LLVM Support",
        "22.1.8",
        "Apache-2.0 WITH LLVM-exception",
        "https://llvm.org",
        ("llvm/LICENSE.TXT", "llvm/lib/Support/COPYRIGHT.regex"),
        "pool/main/l/llvm-toolchain-22/llvm-toolchain-22_22.1.8.orig.tar.xz",
        "b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe",
        (
            "*/llvm/include/*",
            "*/llvm/lib/Support/*",
            "*/llvm/lib/Demangle/*",
            "*/cmake/Modules/*",
            "*/llvm/LICENSE.TXT",
        ),
    ),
    Source(
        "antlr4-cpp-runtime",
        "ANTLR 4 C++ runtime",
        "4.9",
        "BSD-3-Clause",
        "https://www.antlr.org",
        ("LICENSE.txt",),
        "pool/main/a/antlr4-cpp-runtime/antlr4-cpp-runtime_4.9+dfsg.orig.tar.xz",
        "ef6e4798657432fa985bef30a0044e499e96b26017b5d863e072f438feaa2ab4",
        strip=0,
    ),
    Source(
        "nlohmann-json3",
        "JSON for Modern C++",
        "3.11.2",
        "MIT",
        "https://json.nlohmann.me",
        ("LICENSE.MIT",),
        "pool/main/n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz",
        "d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273",
        ("*/single_include/*", "*/LICENSE.MIT"),
    ),
    Source(
        "lz4",
        "LZ4",
        "1.9.4",
        "BSD-2-Clause",
        "https://lz4.org",
        ("lib/LICENSE",),
        "pool/main/l/lz4/lz4_1.9.4.orig.tar.gz",
        "0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b",
        ("*/lib/*",),
    ),
    Source(
        "libzstd",
        "Zstandard",
        "1.5.4",
        "BSD-3-Clause",
        "https://facebook.github.io/zstd",
        ("LICENSE",),
        "pool/main/libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz",
        "8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953",
        ("*/lib/*", "*/LICENSE"),
    ),
    Source(
        "zlib",
        "zlib",
        "1.2.13",
        "Zlib",
        "https://zlib.net",
        ("LICENSE",),
        "pool/main/z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2",
        "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1",
    ),
    Source(
        "libcxx",
        "LLVM libc++, libc++abi and libunwind",
        "of zig",
        "Apache-2.0 WITH LLVM-exception",
        "https://libcxx.llvm.org",
        ("LICENSE.TXT",),
    ),
    Source("musl", "musl", "of zig", "MIT", "https://musl.libc.org", ("COPYRIGHT",), only="linux"),
    Source(
        "wasi",
        "wasi-libc",
        "of zig",
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        "https://github.com/WebAssembly/wasi-libc",
        ("LICENSE", "LICENSE-MIT"),
        only="wasi",
    ),
    Source(
        "mingw", "MinGW-w64 runtime", "of zig", "ZPL-2.1", "https://www.mingw-w64.org", ("COPYING",), only="windows"
    ),
]
# No code here prints these debugging names, which would need libuuid, or the frameworks of macOS.
PATCHES = {"antlr4-cpp-runtime": ("runtime/src/antlr4-common.h", "#define GUID_")}


def debian_sites():
    """Returns the Debian archives in apt's configuration."""
    lines = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", "Origin: Debian"], stdout=subprocess.PIPE, text=True
    ).stdout
    return list(dict.fromkeys(lines.split()))


def fetch(source, folder):
    """Returns the archive of a source."""
    target = folder / pathlib.Path(source.archive).name
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        helper = ["/usr/lib/apt/apt-helper", "download-file"]
        for site in debian_sites():
            print(f"fetching {target.name}", file=sys.stderr)
            words = [*helper, f"{site}/{source.archive}", target, f"SHA256:{source.sha256}"]
            if subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                break
        else:
            sys.exit(f"{target.name} cannot be had; put it into {folder} (sha256 {source.sha256})")
    if hashlib.sha256(target.read_bytes()).hexdigest() != source.sha256:
        sys.exit(f"{target}: not the bytes that are pinned in {pathlib.Path(__file__).name}")
    return target


def unpack(source, archives, folder):
    target = folder / source.name
    complete = target / f".complete-{source.sha256[:12]}"
    if complete.exists():
        return
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    archive = fetch(source, archives)
    words = ["tar", "-x", "-f", archive, "-C", target, f"--strip-components={source.strip}", "--wildcards"]
    subprocess.run([*words, "--exclude=*/test/*", *source.parts], check=True)
    if source.name in PATCHES:
        name, unwanted = PATCHES[source.name]
        text = (target / name).read_text()
        kept = [line for line in text.splitlines(keepends=True) if not line.strip().startswith(unwanted)]
        (target / name).write_text("".join(kept))
    complete.touch()


def unpack_all(work):
    """Unpacks all sources in a folder, and returns it."""
    folder = work / "third-party-source"
    for source in SOURCES:
        if source.archive:
            unpack(source, work / "archives", folder)
    return folder


def licences(work, zig, system):
    """Returns the licence texts of all parts of a program for that system, as one text."""
    texts = []
    for source in SOURCES:
        if source.only and source.only not in system:
            continue
        place = work / "third-party-source" / source.name
        if not source.archive:
            places = [zig.parent / "lib" / source.name, zig.parent / "lib" / "libc" / source.name]
            place = next(one for one in places if (one / source.texts[0]).exists())
        title = f"{source.title} ({source.licence}), {source.home}"
        texts.append(f"{title}\n{'=' * len(title)}\n")
        texts += [(place / name).read_text(errors="replace").strip() + "\n" for name in source.texts]
    return "\n".join(texts)
