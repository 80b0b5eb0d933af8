#!/usr/bin/env python3
"""Tests a campaign with a ptxas that has a planted fault: campaign.py PTXRAY PTXAS [ray]

The planted fault is a signal at each program with `popc.b64`. The campaign is stopped and continues, finds the
fault, reduces the programs and files one of them, with a command that shows the fault. With `ray`, a cluster of two
nodes on this machine does the same. Another ptxas confuses `popc.b64` with `clz.b64` above -O0, and its wrong
results reveal it. Its machine code is PTX, and the emulator replaces the GPU."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HUNT = ROOT / "test" / "device" / "hunt.py"
WITHOUT = 77
PLANTED = "popc.b64"
PROGRAMS = 12
# This module replaces cuda.py next to a copy of hunt.py. A cubin is PTX.
GPU = """import os, subprocess, tempfile

class Gpu:
    def allocate(self, size):
        return bytearray(size)

    def write(self, memory, data):
        memory[: len(data)] = data

    def clear(self, memory, size):
        memory[:size] = bytes(size)

    def read(self, memory, size):
        return bytes(memory[:size])

    def launch(self, cubin, kernel, grid, block, buffers):
        with tempfile.TemporaryDirectory() as folder:
            open(f"{folder}/k.ptx", "wb").write(cubin)
            for number, buffer in enumerate(buffers):
                open(f"{folder}/{number}", "wb").write(buffer)
            words = ["run", "--emulate", "--no-config", "--cores=1", f"--out=1=file:{folder}/left"]
            words += [f"{folder}/k.ptx", f"--grid={grid}", f"--block={block}", f"file:{folder}/0", f"file:{folder}/1"]
            subprocess.run([os.environ["PTXRAY"], *words], check=True, stdout=subprocess.DEVNULL)
            left = open(f"{folder}/left", "rb").read()
            buffers[1][: len(left)] = left
"""
# The script is called with -arch=TARGET LEVEL FILE -o CUBIN, or --version.
WRONG = """#!/bin/sh
case $2 in
"") echo 'a ptxas with a fault' ;;
-O0) cp "$3" "$5" ;;
*) sed s/popc.b64/clz.b64/ "$3" >"$5" ;;
esac
"""


def campaign(folder, ptxray, ptxas, *more, hunt=HUNT):
    words = [sys.executable, hunt, "run", folder / "campaign", "--blocks=1", "--size=40", "--jobs=2"]
    words += ["--families=compute", f"--ptxray={ptxray}", f"--ptxas={ptxas}", *more]
    ran = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode in (0, 1), ran.stdout
    return ran.stdout


def done(folder):
    return sorted(int(line.split()[0]) for line in (folder / "campaign" / "done.txt").read_text().splitlines())


def judge(folder, ptxray, ptxas, *more):
    broken = script(
        folder / "ptxas",
        f'#!/bin/sh\nfor word; do grep -qs -e "{PLANTED}" -- "$word" && kill -SEGV $$; done\nexec "{ptxas}" "$@"\n',
    )
    report = folder / "report"
    said = campaign(folder, ptxray, broken, "--levels=-O0", "--count=4", *more)
    assert re.search(r"(?m)^4 programs, ", said) and done(folder) == [1, 2, 3, 4], said
    said = campaign(folder, ptxray, broken, "--levels=-O0", f"--count={PROGRAMS}", f"--file={report}", *more)
    assert f"\n{PROGRAMS - 4} programs, " in "\n" + said, said
    assert done(folder) == list(range(1, PROGRAMS + 1)), done(folder)
    found = [path for path in (folder / "campaign" / "found").glob("*.ptx") if PLANTED in path.read_text()]
    assert found and "1 faults are in" in said, (found, said)
    table = (report / "report.md").read_text()
    rows = re.findall(r"(?m)^\| `(\d+\.ptx)` \| (\d+) \| ptxas -O0 ends with -11: .* \| `(ptxas .*)` \|$", table)
    assert len(rows) == 1, table
    name, lines, command = rows[0]
    assert int(lines) < 12 and PLANTED in (report / name).read_text(), (report / name).read_text()
    again = subprocess.run([broken, *command.split()[1:]], cwd=report)
    assert again.returncode == -11, again
    print(f"{len(found)} of {PROGRAMS} programs have the fault; the one that is filed has {lines} lines")


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def judge_answers(folder, ptxray):
    """Tests that a program with a wrong result after one level is reduced and filed with its machine code."""
    hunt, wrong = folder / "hunt.py", script(folder / "wrong", WRONG)
    shutil.copy(HUNT, hunt)
    (folder / "cuda.py").write_text(GPU)
    os.environ.update(PTXRAY=str(ptxray), NVDISASM=str(script(folder / "nvdisasm", '#!/bin/sh\ncat "$2"\n')))
    report = folder / "answers"
    said = campaign(
        folder, ptxray, wrong, "--first=100", "--levels=-O0,-O1,-O3", "--count=6", f"--file={report}", hunt=hunt
    )
    assert re.search(r"(?m)^[1-9]\d* faults are in", said) and "emulator -O0 | -O1 -O3" in said, said
    table = (report / "report.md").read_text()
    (name, lines) = re.search(r"(?m)^\| `(\d+\.ptx)` \| (\d+) \| emulator -O0 \| -O1 -O3 \|", table).groups()
    small = (report / name).read_text()
    assert PLANTED in small and int(lines) < 16, small
    assert re.search(r"(?m)^// run: --grid=1 --block=1 edges:u64:\d{1,4}:1 ", small) and re.search(
        r"(?m)^// thread 0 ", small
    ), small
    assert PLANTED in (report / f"{name[:-4]}-O0.sass").read_text(), table
    assert "clz.b64" in (report / f"{name[:-4]}-O3.sass").read_text(), table
    command = [sys.executable, hunt, "judge", report / name, f"--ptxray={ptxray}", f"--ptxas={wrong}"]
    judged = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True).stdout
    assert judged.startswith("emulator -O0 | -O1 -O2 -O3\n"), judged
    print(f"a program with wrong answers became {lines} lines")


def on_ray(folder, ptxray, ptxas):
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    try:
        judge(folder, ptxray, ptxas, f"--ray={cluster.address}")
    finally:
        cluster.shutdown()


def main():
    ptxray, ptxas, *ray = sys.argv[1:]
    if not pathlib.Path(ptxas).exists():
        print(f"skipped: there is no {ptxas}")
        sys.exit(WITHOUT)
    if ray and "PTXRAY_CAMPAIGN" not in os.environ:
        sys.path.insert(0, str(ROOT / "test" / "package"))
        from common import python_with

        python = python_with("ray==2.52.1")
        environment = {**os.environ, "PTXRAY_CAMPAIGN": "inside"}
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)
    with tempfile.TemporaryDirectory() as name:
        folder, ptxray, ptxas = pathlib.Path(name), pathlib.Path(ptxray).resolve(), pathlib.Path(ptxas).resolve()
        (on_ray if ray else judge)(folder, ptxray, ptxas)
        if not ray:
            judge_answers(folder, ptxray)


if __name__ == "__main__":
    main()
