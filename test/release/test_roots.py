"""Builds ptxray like an ordinary user with the README, on a minimal Debian or Ubuntu: test_roots.py PTXRAY [SUITE...].

In each system, `tools/dev check` lists the required packages, root installs only these, and the build succeeds. The
program must be static and judge all modules of the tests like PTXRAY. mmdebstrap builds the systems from apt's
sources. For Ubuntu, it uses its default sources and the keys that Debian packages."""

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
    """Returns the keys of Ubuntu's archive from Debian 13, which packages them."""
    keys = CACHE / "ubuntu-archive-keyring.gpg"
    if not keys.exists():
        with tempfile.TemporaryDirectory() as name:
            packages = packed("trixie")
            inside = "./usr/share/keyrings/ubuntu-archive-keyring.gpg"
            run("tar", "-xf", packages, "-C", name, inside)
            keys.write_bytes((pathlib.Path(name) / inside).read_bytes())
    return keys


def packed(suite):
    """Returns a tar of the system with only apt, which is built once."""
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
        """Returns the exit status and the output."""
        words = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", ENTER, self.folder, user, command]
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout


def build(root):
    """Returns the installed packages, and the seconds to the first answer."""
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
                program = Program([built])  # the program is static and also runs outside of the root
                try_commands(program, use)
                count = compare(program, judged, pathlib.Path(work))
        packages = " ".join(installed)
        print(f"{suite}: answers after {seconds:.0f} s with {packages}; judges {count} modules alike", flush=True)


main()
