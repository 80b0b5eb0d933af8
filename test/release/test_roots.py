"""ptxray as an ordinary user builds it by the README in a Debian or an Ubuntu that has nothing else:
test_roots.py PTXRAY [SUITE...].

In each root `tools/dev check` says what it needs, root installs exactly that, and it builds. What was built is static,
works and judges all modules of the tests as PTXRAY does. mmdebstrap makes the roots from where apt gets packages; those
of Ubuntu, with the keys that Debian has of it, from where mmdebstrap gets them."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from try_program import Program, compare, try_commands

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import CACHE, copy_sources, need, run, skip

SUITES = {"bookworm": ["main"], "trixie": ["main"], "noble": ["main", "universe"]}
ENTER = """mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && r=$0 && user=$1 && shift &&
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/user LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \\
  chroot --userspec="$user" "$r" sh -c "$1" """


def ubuntu_keys():
    """Of Ubuntu's archive, out of Debian 13, where they are a package."""
    keys = CACHE / "ubuntu-archive-keyring.gpg"
    if not keys.exists():
        with tempfile.TemporaryDirectory() as name:
            packages = packed("trixie")
            inside = "./usr/share/keyrings/ubuntu-archive-keyring.gpg"
            run("tar", "-xf", packages, "-C", name, inside)
            keys.write_bytes((pathlib.Path(name) / inside).read_bytes())
    return keys


def packed(suite):
    """A tar of the system with apt and nothing else, made once."""
    base = CACHE / f"root-{suite}.tar"
    if not base.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = base.with_suffix(".partial.tar")
        components = f"--components={','.join(SUITES[suite])}"
        words = [need("mmdebstrap"), "--variant=apt", "--mode=root", "--quiet", components]
        if suite == "trixie":
            words.append("--include=ubuntu-keyring")
        if "universe" in SUITES[suite]:
            words.append(f"--keyring={ubuntu_keys()}")
        if subprocess.run([*words, suite, partial]).returncode != 0:
            skip("mmdebstrap", f"no root of {suite} can be made")
        partial.rename(base)
    return base


class Root:
    def __init__(self, suite, folder):
        self.folder = folder
        run("tar", "-xf", packed(suite), "-C", folder)
        for name in ("resolv.conf", "hosts"):
            (folder / "etc" / name).write_bytes((pathlib.Path("/etc") / name).read_bytes())
        with open(folder / "etc/passwd", "a") as users, open(folder / "etc/group", "a") as groups:
            users.write("user:x:1000:1000::/home/user:/bin/sh\n")
            groups.write("user:x:1000:\n")
        home = folder / "home/user"
        home.mkdir(parents=True)
        copy_sources(home / "ptxray")
        run("chown", "-R", "1000:1000", home)

    def run(self, user, command):
        """exit status and what is printed"""
        words = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", ENTER, self.folder, user, command]
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout


def build(root):
    """What was installed, and the seconds to the first answer."""
    installed = []
    for _ in range(4):
        began = time.monotonic()
        status, said = root.run("user:user", "cd ~/ptxray && tools/dev check docs/examples/transpose.ptx")
        if status == 0:
            return installed, time.monotonic() - began
        asked = r"please (?:run|install), as root: apt-get update(?: && apt-get install ([^\x1b\n]*))?"
        wanted = re.search(asked, said)
        assert wanted, said[-4000:]
        command = "apt-get update -qq"
        if wanted[1]:
            installed += wanted[1].split()
            command += f" && apt-get install -y -qq --no-install-recommends {wanted[1]}"
        status, said = root.run("root:root", command)
        assert status == 0, said[-4000:]
    sys.exit(f"it asks again and again: {' '.join(installed)}")


def main():
    if os.geteuid() != 0:
        skip("root", "roots of other systems are made by root")
    judged = Program([pathlib.Path(sys.argv[1]).resolve()])
    for suite in sys.argv[2:] or SUITES:
        with tempfile.TemporaryDirectory(dir=CACHE) as name:
            root = Root(suite, pathlib.Path(name))
            installed, seconds = build(root)
            status, said = root.run("user:user", "cd ~/ptxray && tools/dev build release ptxray")
            assert status == 0, said[-4000:]
            built = root.folder / "home/user/ptxray/build/release/tools/ptxray/ptxray"
            with tempfile.TemporaryDirectory() as work:
                use = pathlib.Path(work) / "use"
                use.mkdir()
                program = Program([built])  # static: it runs out here as well
                try_commands(program, use)
                count = compare(program, judged, pathlib.Path(work))
        packages = " ".join(installed)
        print(f"{suite}: answers after {seconds:.0f} s with {packages}; judges {count} modules alike", flush=True)


main()
