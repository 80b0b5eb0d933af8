"""Compares ptxas with `ptxray isa --enumerate` and with `check`, for each instruction or for the named ones:
enumerate.py PTXRAY SNIPPET_TESTS ORACLE_TESTS [--seed=N] [--count=N] [--ptx=V] [--target=T] [MNEMONIC...] Prints
every difference. Fails if ptxray rejects more than 1 of 2,000 texts that ptxas accepts, or judges more than 1 of 200
differently. The remaining texts are in no manual (docs/manual-notes.md)."""

import os
import pathlib
import subprocess
import sys
import tempfile

ptxray, snippets, oracle, *rest = sys.argv[1:]
options = [word for word in rest if word.startswith("--")]
names = [word for word in rest if not word.startswith("--")]


def output(*arguments):
    return subprocess.run([ptxray, "isa", *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


if not names:
    names = sorted({line.split("\t")[0] for line in output("--list").splitlines()})
with tempfile.TemporaryDirectory() as folder:
    files = []
    for name in names:
        files.append(pathlib.Path(folder, name + ".ptx"))
        files[-1].write_text(output("--enumerate=" + name, *options))
    # The sampler only sees an instruction. `check` judges it in its module.
    subprocess.run(
        [snippets, "--gtest_brief=1", *files], stdout=subprocess.DEVNULL, env={**os.environ, "PTXRAY_BLESS": "1"}
    )
    texts = sum(not line.startswith("//") for file in files for line in file.read_text().splitlines())
    judged = subprocess.run([oracle, "--gtest_brief=1", *files], stdout=subprocess.PIPE, text=True)
print(judged.stdout)
if judged.returncode == 77:
    sys.exit(77)
refused, taken = judged.stdout.count("ptxas accepts it"), judged.stdout.count("ptxas rejects it")
print(f"{texts} texts: {refused} refused that ptxas takes, {taken} taken that ptxas refuses")
sys.exit(texts == 0 or refused > texts / 2000 or refused + taken > texts / 200)
