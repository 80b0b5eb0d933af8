#!/usr/bin/env python3
"""LLVM's own tests verify their PTX with ptxas. They must have the same results if ptxray replaces ptxas.

    llvm_verify.py PTXRAY PTXAS FOLDER

The tests come from Debian's source package of LLVM (kept in FOLDER), `llc` from its package `llvm-22`. Both programs
first answer the queries of LLVM's test suite. Then each RUN line that ends in `%ptxas-verify` is compiled, and both
check its PTX. Both also check a damaged version of the PTX, since the PTX of LLVM's tests is valid. Exit status 77:
llc or the sources are not available. With PTXRAY_REQUIRE=llvm (or all), this is a failure."""

import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "package"))
import common

RUN = re.compile(r"%if\s+(.*?)\s*%\{\s*(llc\b.*?)\|\s*%ptxas-verify(.*?)%\}", re.S)


def fetch(folder):
    """Returns the .ll files, unpacked."""
    tests = folder / "NVPTX"
    if tests.exists():
        return tests
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    releases = ("bookworm", "trixie", "forky", "sid")
    sources = "".join(f"deb-src http://deb.debian.org/debian {release} main\n" for release in releases)
    (folder / "sources.list").write_text(sources)
    options = ["-qq", "-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", "Dir::Etc::sourceparts=-"]
    options += ["-o", f"Dir::State::lists={folder}/lists", "-o", "APT::Sandbox::User=root"]
    subprocess.run(["apt-get", *options, "update"], cwd=folder)
    wanted = ["source", "--download-only", "--tar-only", "llvm-toolchain-22"]
    subprocess.run(["apt-get", *options, *wanted], cwd=folder)
    for archive in folder.glob("llvm-toolchain-22_*.orig.tar.xz"):
        where = "*/llvm/test/CodeGen/NVPTX"
        subprocess.run(["tar", "-xJf", archive, "-C", folder, "--wildcards", where], check=True)
        archive.unlink()
    for found in folder.glob("*/llvm/test/CodeGen/NVPTX"):
        shutil.move(found, tests)
    return tests if tests.exists() else None


def features(command, environment):
    """Returns the features that LLVM's lit.cfg.py detects in a ptxas."""

    def ask(*words):
        done = subprocess.run([*command, *words], capture_output=True, text=True, env={**os.environ, **environment})
        return done.stdout + done.stderr

    found = {"ptxas", "ptxas-" + re.search(r"release (\d+\.\d+)", ask("--version")).group(1)}
    found |= {f"ptxas-isa-{version}" for version in re.findall(r"^\d+\.\d+", ask("--list-version"), re.M)}
    allowed = re.search(r"--gpu-name(.*?)--", ask("--help"), re.S).group(1)
    found |= {f"ptxas-sm_{target}" for target in re.findall(r"'sm_(\d+[af]?)'", allowed)}
    if "is not defined for option 'machine'" not in ask("-m 32"):
        found.add("ptxas-ptr32")
    return found


def holds(condition, known):
    """Evaluates `ptxas-sm_90 && ptxas-isa-8.0`, in lit's syntax."""
    text = re.sub(r"[\w.-]+", lambda word: str(word.group() in known), condition)
    return eval(text.replace("&&", " and ").replace("||", " or ").replace("!", " not "), {})


def run_lines(path, known):
    """Returns (llc's words, ptxas's words) of each verified RUN line that applies, with continued lines joined."""
    text = re.sub(r"\\\s*\n\s*;\s*RUN:", " ", path.read_text(errors="replace"))
    for line in re.findall(r"^\s*;\s*RUN:(.*)$", text, re.M):
        for condition, compile_words, verify_words in RUN.findall(line):
            if holds(condition, known):
                yield compile_words.split(), verify_words.split()


def compile_ptx(llc, path, words):
    replaced = [str(path) if word == "%s" else word for word in words[1:]]
    if "<" in replaced:
        replaced.remove("<")
    done = subprocess.run([llc, *replaced, "-o", "-"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def verdict(command, text, environment):
    done = subprocess.run(command, input=text, capture_output=True, text=True, env={**os.environ, **environment})
    return done.returncode == 0, done.stdout + done.stderr


def damaged(text, seed):
    """Returns the text without the last operand of one instruction."""
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines) if re.match(r"\s+[a-z@].*, [^,;]+;", line)]
    if places:
        place = random.Random(seed).choice(places)
        lines[place] = re.sub(r", [^,;]+;", ";", lines[place])
    return "\n".join(lines)


def judge(llc, hook, ptxas, path, words, options, is_damaged):
    """Judges a file. Returns None if this llc does not compile it."""
    text = compile_ptx(llc, path, words)
    if text is None:
        return None
    if is_damaged:
        text = damaged(text, f"{path.name} {words}")
    by_ptxas, said = verdict([ptxas, "-c", "-", *options, "-o", "/dev/null"], text, {})
    by_ptxray, found = verdict([hook, "-c", "-", *options], text, {"PTXRAY_VERIFY_ONLY": "1"})
    return by_ptxas, by_ptxray, said, found


def main():
    ptxray, ptxas, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    llc = shutil.which("llc-22") or shutil.which("/usr/lib/llvm-22/bin/llc")
    tests = llc and shutil.which("apt-get") and fetch(folder)
    if not tests or not os.path.exists(ptxas):
        common.skip("llvm", "no llc-22, no sources of LLVM or no ptxas")
    hook = folder / "ptxas"
    hook.unlink(missing_ok=True)
    hook.symlink_to(os.path.abspath(ptxray))
    known = features([ptxas], {})
    differ = known ^ features([hook], {"PTXRAY_VERIFY_ONLY": "1"})
    if differ:
        sys.exit(f"asked as LLVM asks, ptxas and ptxray differ in {sorted(differ)}")
    lines = [(path, *words) for path in sorted(tests.rglob("*.ll")) for words in run_lines(path, known)]
    jobs = [(*line, is_damaged) for is_damaged in (False, True) for line in lines]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: judge(llc, hook, ptxas, *job), jobs))
    compared = [(job, result) for job, result in zip(jobs, results) if result]
    wrong = [(job, result) for job, result in compared if result[0] != result[1]]
    for (path, words, options, is_damaged), (by_ptxas, _, said, found) in wrong:
        damage = ", damaged" if is_damaged else ""
        print(f"{path.name}: {' '.join([*words, '|', *options])}{damage}: ptxas {'accepts' if by_ptxas else 'refuses'}")
        print(found[:600] if by_ptxas else said[:600])
    accepted = sum(result[0] for _, result in compared)
    print(
        f"{len(lines)} RUN lines, as they are and damaged: {len(compared)} texts compared, "
        f"{accepted} accepted by ptxas, {len(wrong)} judged otherwise"
    )
    enough = accepted >= 100 and len(compared) - accepted >= 100
    sys.exit(0 if enough and not wrong else 1)


if __name__ == "__main__":
    main()
