#!/usr/bin/env python3
"""A campaign with a ptxas that has a planted fault: campaign.py PTXRAY PTXAS [ray]

The planted fault is a signal at each program with `popc.b64`. The campaign is stopped and goes on, finds the fault,
makes the programs small and files one of them, with a command that shows the fault. With `ray` the same is done by a
cluster of two nodes in this machine."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HUNT = ROOT / "test" / "device" / "hunt.py"
WITHOUT = 77
PLANTED = "popc.b64"
PROGRAMS = 12


def campaign(folder, ptxray, ptxas, *more):
    words = [sys.executable, HUNT, "run", folder / "campaign", "--blocks=1", "--size=40", "--jobs=2", "--levels=-O0"]
    words += ["--families=compute", f"--ptxray={ptxray}", f"--ptxas={ptxas}", *more]
    ran = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode in (0, 1), ran.stdout
    return ran.stdout


def done(folder):
    return sorted(int(line.split()[0]) for line in (folder / "campaign" / "done.txt").read_text().splitlines())


def judge(folder, ptxray, ptxas, *more):
    broken = folder / "ptxas"
    broken.write_text(
        f'#!/bin/sh\nfor word; do grep -qs -e "{PLANTED}" -- "$word" && kill -SEGV $$; done\nexec "{ptxas}" "$@"\n'
    )
    broken.chmod(0o755)
    report = folder / "report"
    said = campaign(folder, ptxray, broken, "--count=4", *more)
    assert re.search(r"(?m)^4 programs, ", said) and done(folder) == [1, 2, 3, 4], said
    said = campaign(folder, ptxray, broken, f"--count={PROGRAMS}", f"--file={report}", *more)
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
        (on_ray if ray else judge)(pathlib.Path(name), pathlib.Path(ptxray).resolve(), pathlib.Path(ptxas).resolve())


if __name__ == "__main__":
    main()
