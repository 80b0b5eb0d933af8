#!/usr/bin/env python3
"""Checks packages of PyPI, and shows the reports that have not been judged yet.

    tools/dev crater [--only PART] [--fresh] [--jobs N]

From the newest wheel of each package of test/crater/packages.txt, the script unpacks PTX, binaries and sources that may
contain assembly below build/crater/NAME. Existing files are kept, so that a stopped run can continue; --fresh downloads
them again. The package `compiled-kernels` contains the output of tools/corpus.py --newest: kernels of eight compilers
in their newest releases, for four targets, without a GPU. ptxray checks all files, and ptxas judges each error. For
PTX, it compiles the file with its own target. For inline assembly, it compiles the statement, which nvcc translates to
PTX if it is installed.

With --trees FOLDER, each folder below it is a tree, such as a checkout, and replaces the packages. A tree whose hash is
in test/crater/seen.txt is skipped, as are PTX modules with a hash there. --remember adds the hashes of the trees and
modules of this run, so that the next run only reads new ones.

test/crater/judged.txt has a line for each report that a person has judged: its key, which is the same for copies in
other packages, a verdict (true, harmless or false) and the reason. Reports with a line are not shown again. Exit
status: 0 no new reports, 1 new reports, 2 the run failed."""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import inline_judge
import pypi

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = {".ptx", ".cu", ".cuh", ".c", ".h", ".hpp", ".cc", ".cpp", ".inl", ".inc", ".py", ".pyi", ".ll", ".mlir", ".rs"}
BINARIES = {".so", ".a", ".o", ".fatbin", ".cubin", ".bc", ".ltoir"}
VERDICTS = ("true", "harmless", "false")
OPTIONS = ["check", "--no-config", "--inline", "--binaries", "--show-expansion", "--format=json", "--no-fold"]
COMPILED = "compiled-kernels"
MOST_ASKED = 40  # maximum number of statements per package for ptxas


def is_wanted(name):
    suffixes = pathlib.PurePosixPath(name).suffixes
    return bool(suffixes) and (suffixes[-1] in TEXTS | BINARIES or ".so" in suffixes)


def unpack(package, folder, is_fresh):
    """Returns the name of the wheel. Raises subprocess.CalledProcessError if PyPI has none."""
    marker = folder / "wheel"
    if marker.exists() and not is_fresh:
        return marker.read_text()
    shutil.rmtree(folder, ignore_errors=True)
    wheel = pypi.download(package, None, folder / "download")
    with zipfile.ZipFile(wheel) as archive:
        for name in filter(is_wanted, archive.namelist()):
            archive.extract(name, folder / "files")
    shutil.rmtree(folder / "download")
    (folder / "files").mkdir(exist_ok=True)
    marker.write_text(wheel.name)
    return wheel.name


def hash_of(contents):
    return hashlib.sha256(contents).hexdigest()[:16]


def hashes_of(tree):
    """Returns the hash of a tree, and those of its modules by path: neither depends on where the tree is."""
    modules, lines = {}, []
    for path in sorted(tree.rglob("*")):
        if ".git" in path.relative_to(tree).parts or not is_wanted(path.name) or not path.is_file():
            continue
        one = hash_of(path.read_bytes())
        lines.append(f"{path.relative_to(tree)} {one}")
        if path.suffix == ".ptx":
            modules[path] = one
    return hash_of("\n".join(lines).encode()), modules


class Seen:
    """Keeps the hashes of trees and modules that earlier runs have read."""

    def __init__(self, lists):
        self.path = lists / "seen.txt"
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.hashes = {line.split()[1] for line in lines if line and not line.startswith("#")}
        self.new = []

    def add(self, kind, one, name):
        if one not in self.hashes:
            self.hashes.add(one)
            self.new.append(f"{kind} {one} {name}")

    def remember(self):
        with self.path.open("a") as out:
            out.writelines(line + "\n" for line in self.new)


def compile_kernels(folder, is_fresh):
    """Returns a description of the compilers. Raises subprocess.CalledProcessError if nothing could be compiled."""
    marker = folder / "wheel"
    if marker.exists() and not is_fresh:
        return marker.read_text()
    shutil.rmtree(folder, ignore_errors=True)
    made, files = folder / "made", folder / "files"
    subprocess.run([sys.executable, ROOT / "tools" / "corpus.py", "--newest", "--folder", made], check=True)
    kernels = [path for path in made.rglob("*.ptx") if path.relative_to(made).parts[0] != "venv"]
    for path in kernels:
        target = files / path.relative_to(made)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    marker.write_text(f"{len(kernels)} kernels of {', '.join(sorted(path.name for path in files.iterdir()))}")
    return marker.read_text()


def key_of(path, diagnostic):
    """Returns a key of the file name, the rule and the source line, which is the same in each release and copy."""
    text = ""
    if path.suffix not in BINARIES and ".so" not in path.suffixes:
        lines = path.read_bytes().splitlines()
        text = b" ".join(lines[diagnostic["range"]["start"]["line"] - 1].split()).decode(errors="replace")
    words = [path.name, diagnostic["rule"], text or diagnostic["message"]]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]


def reports_of(ptxray, package, folder):
    """Returns the reports about the package's files by key."""
    done = subprocess.run([ptxray, *OPTIONS, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if b'"unreadable-input"' in done.stdout:
        return {}  # no file is PTX or contains assembly
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{package}: status {done.returncode}: {done.stderr.decode(errors='replace')[-200:]}")
    found = {}
    for report in json.loads(done.stdout)["files"]:
        path = pathlib.Path(report["path"].split("!")[0])
        errors = {error["place"][1]: error for error in inline_judge.errors_of(report)}
        for one in report["diagnostics"]:
            if one["severity"] not in ("error", "warning"):
                continue
            line = one["range"]["start"]["line"]
            known = found.setdefault(
                key_of(path, one),
                {
                    "place": f"{path.relative_to(folder)}:{line}",
                    "rule": one["rule"],
                    "severity": one["severity"],
                    "message": one["message"],
                    "error": errors.get(line) if one["severity"] == "error" else None,
                    "path": str(path),
                    "count": 0,
                },
            )
            known["count"] += 1
    return found


def asked(judge, report):
    """Returns the verdict of ptxas on an error: a phrase, and whether it also rejects the text (None: it did not
    judge)."""
    if report["severity"] != "error" or not judge:
        return "", None
    if report["path"].endswith(".ptx"):
        text = pathlib.Path(report["path"]).read_text(errors="replace")
        target = re.search(r"(?m)^\s*\.target\s+(sm_\w+)", text)
        said = judge.ask_ptxas(text, target.group(1) if target else "sm_90a")
        return f"ptxas: {said or 'nothing'}", bool(said)
    if not report["error"]:
        return "", None
    who, said, accepted = judge.confirm(report["rule"], report["error"]["module"], report["error"]["statement"])
    verdict = f"accepted for {' '.join(accepted)}" if accepted else "refused for all targets"
    confirmed = None if who == "nobody" else bool(said) and not accepted
    return f"{who}: {said or 'nothing'}; {verdict}", confirmed


def judged(lists):
    """Returns the verdicts by key."""
    known = {}
    for number, line in enumerate((lists / "judged.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        key, verdict, *reason = line.split(maxsplit=2)
        if verdict not in VERDICTS or not reason:
            raise SystemExit(f"judged.txt:{number}: expected a key, {' | '.join(VERDICTS)} and a reason")
        known[key] = verdict
    return known


def check(package, options, judge, known):
    folder = options.folder / package
    wheel = compile_kernels(folder, options.fresh) if package == COMPILED else unpack(package, folder, options.fresh)
    return wheel, *judge_reports(package, reports_of(options.ptxray, package, folder / "files"), judge, known)


def check_tree(name, options, judge, known, seen):
    """Checks a tree except for modules that were seen in other trees. Returns nothing for a tree that was seen."""
    tree = options.trees / name
    one, modules = hashes_of(tree)
    if one in seen.hashes:
        return f"{name}: seen", collections.Counter(), []
    old = {str(path) for path, module in modules.items() if module in seen.hashes}
    reports = {key: one for key, one in reports_of(options.ptxray, name, tree).items() if one["path"] not in old}
    seen.add("tree", one, name)
    for path, module in modules.items():
        seen.add("module", module, f"{name}/{path.name}")
    what = f"{name}: {len(modules) - len(old)} new modules of {len(modules)}"
    return what, *judge_reports(name, reports, judge, known)


def judge_reports(package, reports, judge, known):
    """Returns counts by verdict, and lines about new reports."""
    counts = collections.Counter(known.get(key, "new") for key in reports)
    lines = []
    for number, (key, one) in enumerate((key, one) for key, one in reports.items() if key not in known):
        phrase, refuses = asked(judge, one) if number < MOST_ASKED else ("", None)
        counts["not confirmed"] += refuses is False
        mark = {True: "confirmed", False: "NOT CONFIRMED", None: "to be read"}[refuses]
        lines.append(f"{key} {package}/{one['place']}: {one['severity']}: {one['message']} [{one['rule']}]")
        lines[-1] += f" x{one['count']}" if one["count"] > 1 else ""
        lines.append(f"    {mark}{'; ' if phrase else ''}{phrase}")
    return counts, lines


def programs():
    """Returns the judge, or None if there is no ptxas."""
    newest = sorted((ROOT / "build" / "cuda").glob("1*/bin/ptxas"))
    ptxas = os.environ.get("PTXRAY_PTXAS") or (newest[-1] if newest else shutil.which("ptxas"))
    if not ptxas:
        print("no ptxas: `tools/dev cuda` fetches it; errors are not confirmed", file=sys.stderr)
        return None
    return inline_judge.Judge(ptxas, ROOT / "build" / "cuda" / "nvcc" / "bin" / "nvcc")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="packages whose name contains this")
    parser.add_argument("--first", type=int, help="so many packages from the beginning of the list")
    parser.add_argument("--fresh", action="store_true", help="ask PyPI for newer wheels")
    parser.add_argument("--ptxray", default=ROOT / "build" / "release" / "tools" / "ptxray" / "ptxray")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "crater")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "test" / "crater", help="where both lists are")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trees", type=pathlib.Path, help="read the folders below this one in place of packages")
    parser.add_argument("--remember", action="store_true", help="add what was read to seen.txt")
    options = parser.parse_args()
    seen = Seen(options.lists)
    lines = (options.lists / "packages.txt").read_text().splitlines()
    packages = [line for line in lines if line and not line.startswith("#") and options.only in line][: options.first]
    if options.trees:
        packages = sorted(one.name for one in options.trees.iterdir() if one.is_dir() and options.only in one.name)
    judge, known = programs(), judged(options.lists)
    total, failed = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        how = (check_tree, (options, judge, known, seen)) if options.trees else (check, (options, judge, known))
        futures = [(name, pool.submit(how[0], name, *how[1])) for name in packages]
        for name, future in futures:
            try:
                wheel, counts, lines = future.result()
            except subprocess.CalledProcessError:
                print(f"{name}: PyPI has no wheel for this machine", file=sys.stderr)
                failed += 1
                continue
            except (RuntimeError, OSError, zipfile.BadZipFile) as error:
                print(f"{name}: {error}", file=sys.stderr)
                failed += 1
                continue
            total += counts
            print(f"{wheel}: {', '.join(f'{n} {what}' for what, n in sorted(counts.items())) or 'nothing'}", flush=True)
            print("".join(line + "\n" for line in lines), end="", flush=True)
    summary = ", ".join(f"{n} {what}" for what, n in sorted(total.items())) or "no report"
    print(f"{len(packages) - failed} {'trees' if options.trees else 'packages'}; {summary}")
    if options.remember:
        seen.remember()
    sys.exit(2 if failed == len(packages) else total["new"] > 0)


if __name__ == "__main__":
    main()
